/**
 * A program with ApiKeys: the name of each, and the source text after the name, which may spread `base`, the required
 * arguments. Its outputs are `<name>Id` and `<name>Secret`. Leave the secrets out for imported keys, which have none.
 */
export function programWithKeys(
  keys: Readonly<Record<string, string>>,
  { withSecrets = true }: { readonly withSecrets?: boolean } = {},
): string {
  const declarations = Object.entries(keys).map(
    ([name, args]) => `
const ${name} = new ApiKey("${name}", ${args});
export const ${name}Id = ${name}.id;
${withSecrets ? `export const ${name}Secret = ${name}.key;` : ""}`,
  );
  return `import * as pulumi from "@pulumi/pulumi";
import { ApiKey, Provider } from "pulumi-apikeys";

const base = { workspaceId: "ws_main", customerId: "customer" };
${declarations.join("\n")}
`;
}
