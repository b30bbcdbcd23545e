/** Programs as source text. A declaration is the text after the resource's name, which may spread `base`. */

/** What `base` has. */
const bases = {
  ApiKey: `{ workspaceId: "ws_main", customerId: "customer" }`,
  WorkspaceSettings: `{ workspaceId: "ws_main" }`,
  Scope: `{ workspaceId: "ws_main" }`,
  CustomerBilling: `{ workspaceId: "ws_main" }`,
};

/** A program with resources of one kind, by name. Its outputs are `<name>Id` and, of ApiKeys, `<name>Secret`. */
export function programOf(kind: keyof typeof bases) {
  return (resources: Readonly<Record<string, string>>): string => {
    const declarations = Object.entries(resources).map(
      ([name, args]) => `
const ${name} = new ${kind}("${name}", ${args});
export const ${name}Id = ${name}.id;
${kind === "ApiKey" ? `export const ${name}Secret = ${name}.key;` : ""}`,
    );
    return `import * as pulumi from "@pulumi/pulumi";
import { ${kind} } from "pulumi-apikeys";

const base = ${bases[kind]};
${declarations.join("\n")}
`;
  };
}

export const programWithKeys = programOf("ApiKey");

/** The arguments of a set, as source text. */
export interface SetText {
  /** Default: "ws_main". */
  readonly workspaceId?: string;
  readonly defaults?: string;
  /** The entries by alias. */
  readonly keys: Readonly<Record<string, string>>;
  /** Statements before the set, which it may use. */
  readonly before?: string;
  /** Statements after the set, which may use it as `set`. */
  readonly after?: string;
}

/** A program with one ApiKeySet, named "set". The outputs are its id and its maps. */
export function programWithSet({ workspaceId = "ws_main", defaults, keys, before, after }: SetText): string {
  const entries = Object.entries(keys).map(([alias, entry]) => `    ${JSON.stringify(alias)}: ${entry},`);
  return [
    `import * as pulumi from "@pulumi/pulumi";`,
    `import { ApiKey, ApiKeySet } from "pulumi-apikeys";`,
    before ?? "",
    `const set = new ApiKeySet("set", {`,
    `  workspaceId: ${JSON.stringify(workspaceId)},`,
    ...(defaults === undefined ? [] : [`  defaults: ${defaults},`]),
    "  keys: {",
    ...entries,
    "  },",
    "});",
    "export const { id, ids, secrets, maskedKeys } = set;",
    after ?? "",
    "",
  ].join("\n");
}
