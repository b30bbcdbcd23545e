import type { Properties } from "../provider/core/state";
import { importId } from "../provider/core/text";
import type { Granted } from "../provider/resources/apiKey/scopes";
import { identifier, plainName, resourceName, uniqueNames } from "./names";

/** The text of a program that adopts keys, and of a file that imports them. */

/** A key of the service as a program declares it. */
export interface ExistingKey {
  readonly id: string;
  /** `undefined` where the service has none. */
  readonly name: string | undefined;
  readonly customerId: string | undefined;
  readonly scopes: readonly Granted[];
  /** Its other inputs, where they differ from their defaults. */
  readonly others: Properties;
}

export interface Adoption {
  readonly workspaceId: string;
  readonly keys: readonly ExistingKey[];
  /** Names of resources that the program must not use. */
  readonly taken: ReadonlySet<string>;
}

type Lines = readonly string[];

/** An ApiKey for each key. */
export function programOfKeys({ workspaceId, keys, taken }: Adoption): string {
  if (keys.length === 0) return nothing(workspaceId);
  const [nameFor, constantFor] = [uniqueNames(taken), uniqueNames()];
  const all = keys.map((key) => {
    const name = nameFor(resourceName(key.name), "-");
    return { key, name, constant: constantFor(identifier(name), "") };
  });
  return joined([
    ...header(workspaceId),
    `import { ApiKey } from "pulumi-apikeys";`,
    "",
    `const workspaceId = ${quoted(workspaceId)};`,
    "",
    ...all.flatMap(({ key, name, constant }) => [
      `const ${constant} = new ApiKey(${quoted(name)}, {`,
      ...indented(["workspaceId,", ...inputs(key, name)]),
      "});",
    ]),
    "",
    "export const keyIds = {",
    ...indented(all.map(({ name, constant }) => `${propertyName(name)}: ${constant}.id,`)),
    "};",
  ]);
}

/** One ApiKeySet with all keys. */
export function programOfSet({ workspaceId, keys, taken }: Adoption): string {
  if (keys.length === 0) return nothing(workspaceId);
  const aliasFor = uniqueNames();
  const entries = keys.flatMap((key) => {
    const alias = aliasFor(resourceName(key.name), "-");
    return [`${propertyName(alias)}: {`, ...indented(inputs(key, alias)), "},"];
  });
  return joined([
    ...header(workspaceId),
    `import { ApiKeySet } from "pulumi-apikeys";`,
    "",
    `const keys = new ApiKeySet(${quoted(uniqueNames(taken)("keys", "-"))}, {`,
    ...indented([`workspaceId: ${quoted(workspaceId)},`, "keys: {", ...indented(entries), "},"]),
    "});",
    "",
    "export const keyIds = keys.ids;",
  ]);
}

/** The file for `pulumi import --file`, for the plugin. */
export function importFile({ workspaceId, keys, taken }: Adoption): string {
  const nameFor = uniqueNames(taken);
  const resources = keys.map(({ id, name }) => ({
    type: "apikeys:index:ApiKey",
    name: nameFor(plainName(name), "-"),
    id: importId(workspaceId, id),
  }));
  return joined([JSON.stringify({ resources }, undefined, 2)]);
}

function header(workspaceId: string): Lines {
  return [
    `// Existing keys of workspace ${quoted(workspaceId)}, written by \`npx pulumi-apikeys adopt\`. The first \`pulumi up\` adopts`,
    "// them as they are and creates nothing. From then on this stack manages them: `pulumi destroy` deletes them.",
  ];
}

function nothing(workspaceId: string): string {
  return joined([`// Workspace ${quoted(workspaceId)} has no keys to adopt.`, "export {};"]);
}

/** The inputs of a key. A comment marks what the provider can't adopt unchanged. */
function inputs({ id, name, customerId, scopes, others }: ExistingKey, defaultName: string): Lines {
  return [
    customerId === undefined
      ? `customerId: "", // The service shows no customer for this key: fill in the customer's id.`
      : `customerId: ${quoted(customerId)},`,
    ...(name === undefined
      ? [
          `name: ${quoted(defaultName)}, // The key has no name in the service: the first update sets this one.`,
        ]
      : name === defaultName
        ? []
        : [`name: ${quoted(name)},`]),
    ...scopeLines(scopes),
    ...Object.entries(others).map(([input, value]) => `${input}: ${quoted(value)},`),
    `existingId: ${quoted(id)},`,
  ];
}

function scopeLines(scopes: readonly Granted[]): Lines {
  const all = scopes.map(({ representation, ...flags }) => {
    const granted = Object.keys(flags).map((flag) => `${flag}: true`);
    return `{ ${[`representation: ${quoted(representation)}`, ...granted].join(", ")} }`;
  });
  if (all.length < 2) return [`scopes: [${all.join("")}],`];
  return ["scopes: [", ...indented(all.map((scope) => `${scope},`)), "],"];
}

/** A JSON literal without invisible characters: no line break ends a comment, and no mark reverses the text. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(/(?! )[\p{C}\p{Z}]/gu, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function propertyName(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : quoted(name);
}

/** Takes an array, because a call has no room for the lines of thousands of keys as arguments. */
function indented(lines: Lines): Lines {
  return lines.map((line) => `  ${line}`);
}

function joined(lines: Lines): string {
  return `${lines.join("\n")}\n`;
}
