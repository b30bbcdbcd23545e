/**
 * A program with resources of one kind: the name of each → what follows its name, as text. They may spread `base`,
 * which holds the workspace's id. The outputs are the id of each: `<name>Id`.
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
