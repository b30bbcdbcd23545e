/**
 * A program with ApiKeys: the name of each → what follows its name, as text. They may spread `base`, which holds
 * the required arguments. The outputs are the id and the secret of each: `<name>Id`, `<name>Secret`. An up of a key that
 * was imported would fail for its secret.
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
