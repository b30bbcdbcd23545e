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
    `import { ApiKey, ApiKeySet, Provider } from "pulumi-apikeys";`,
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
