/**
 * A program with resources of one kind: the name of each, and the source text after the name, which may spread `base`, the
 * workspace's id. Its outputs are `<name>Id`.
 */
export function programOf(kind: "WorkspaceSettings" | "Scope" | "CustomerBilling") {
  return (resources: Readonly<Record<string, string>>): string => {
    const declarations = Object.entries(resources).map(
      ([name, args]) => `
const ${name} = new ${kind}("${name}", ${args});
export const ${name}Id = ${name}.id;`,
    );
    return `import * as pulumi from "@pulumi/pulumi";
import { ${kind} } from "pulumi-apikeys";

const base = { workspaceId: "ws_main" };
${declarations.join("\n")}
`;
  };
}
