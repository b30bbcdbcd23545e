import { capitalised, type Granted, importId, type Properties, specialKey } from "./provider";

/** A key of the service as a program declares it. */
export interface ExistingKey {
  readonly id: string;
  /** `undefined` where the service has none that a program can declare. */
  readonly name: string | undefined;
  readonly customerId: string | undefined;
  readonly scopes: readonly Granted[];
  /** Its other inputs, where they differ from their defaults. */
  readonly others: Properties;
  /** Whether the user has its secret, which the program then reads from config. Default: no. */
  readonly isGiven?: boolean;
}

export interface Adoption {
  readonly workspaceId: string;
  readonly keys: readonly ExistingKey[];
  /** Names of resources that the program must not use. */
  readonly taken: ReadonlySet<string>;
}

type Lines = readonly string[];

export function programOfKeys({ workspaceId, keys, taken }: Adoption): string {
  if (keys.length === 0) return nothing(workspaceId);
  const [nameFor, constantFor] = [uniqueNames(taken), uniqueNames()];
  const all = keys.map((key) => {
    const name = nameFor(resourceName(key.name), "-");
    return { key, name, constant: constantFor(identifier(name), "") };
  });
  return joined([
    ...header(workspaceId),
    ...imports("ApiKey", keys),
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

export function programOfSet({ workspaceId, keys, taken }: Adoption): string {
  if (keys.length === 0) return nothing(workspaceId);
  const aliasFor = uniqueNames();
  const entries = keys.flatMap((key) => {
    const alias = aliasFor(resourceName(key.name), "-");
    return [`${propertyName(alias)}: {`, ...indented(inputs(key, alias)), "},"];
  });
  return joined([
    ...header(workspaceId),
    ...imports("ApiKeySet", keys),
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

function imports(kind: string, keys: readonly ExistingKey[]): Lines {
  const line = `import { ${kind} } from "pulumi-apikeys";`;
  if (!keys.some(({ isGiven }) => isGiven)) return [line];
  return [
    `import * as pulumi from "@pulumi/pulumi";`,
    line,
    "",
    "// The secrets by key id. After that update, state has them: remove each `existingKey`, these lines and the config.",
    `const existingKeys = new pulumi.Config().requireSecretObject<Record<string, string>>("${configKey}");`,
    "const secretOf = (id: string) => existingKeys.apply((all) => all[id]);",
  ];
}

/** The stack config that has the secrets. */
export const configKey = "existingKeys";

function nothing(workspaceId: string): string {
  return joined([`// Workspace ${quoted(workspaceId)} has no keys to adopt.`, "export {};"]);
}

/** The inputs of a key. A comment marks what the provider can't adopt unchanged. */
function inputs({ id, name, customerId, scopes, others, isGiven }: ExistingKey, defaultName: string): Lines {
  return [
    customerId === undefined
      ? `customerId: "", // The service shows no customer for this key: fill in the customer's id.`
      : `customerId: ${quoted(customerId)},`,
    ...(name === undefined
      ? [
          `name: ${quoted(defaultName)}, // The key has no name in the service that a program can have: the first update sets this one.`,
        ]
      : name === defaultName
        ? []
        : [`name: ${quoted(name)},`]),
    ...scopeLines(scopes),
    ...Object.entries(others).map(([input, value]) => `${input}: ${quoted(value)},`),
    `existingId: ${quoted(id)},`,
    ...(isGiven ? [`existingKey: secretOf(${quoted(id)}),`] : []),
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

// Names for declarations, derived from names in the service, which may contain anything.

const longest = 64;

/** A name for a resource or an alias: letters and digits of any script, "-" and "_". */
export function resourceName(name = ""): string {
  return cut(name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_]+/gu, "-"));
}

/** A name that can become an identifier, as in Pulumi's own code generators: ASCII, with a letter first. */
export function plainName(name = ""): string {
  const ascii = name.normalize("NFKD").replace(/\p{M}+/gu, "");
  const made = cut(ascii.replace(/\W+/g, "-"));
  return /^\d/.test(made) ? `key-${made}` : made;
}

/** Names that Pulumi can't carry in a map. */
const uncarried = new Set(["", "toString", specialKey]);

/** Shortens a name and removes separators at its ends. State has no alias that begins with two underscores. */
function cut(name: string): string {
  const made = name.replace(/^[-_]+/, "");
  const short = Array.from(made).slice(0, longest).join("").replace(/-+$/, "");
  return uncarried.has(short) ? "key" : short;
}

/** Names that no constant can have, and those that the program uses itself. */
const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval existingKeys export
  exports extends false finally for function globalThis if implements import in instanceof interface keyIds let module new null
  package private protected public pulumi require return secretOf static super switch this throw true try typeof undefined var void
  while with workspaceId yield`.split(/\s+/),
);

/** The name of a constant: camel case, so that it hides no class, and ASCII, for old compilers. */
export function identifier(name: string): string {
  const [first = "", ...others] = plainName(name).split(/[-_]+/);
  const isShouted = first === first.toUpperCase();
  const begun = isShouted ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  const made = begun + others.map(capitalised).join("");
  return reserved.has(made) ? `${made}Key` : made;
}

/** Makes names unique by appending numbers. Case is ignored, because names that differ only in case are easily confused. */
export function uniqueNames(taken: Iterable<string> = []): (name: string, separator: string) => string {
  const used = new Set(Array.from(taken, (name) => name.toLowerCase()));
  const last = new Map<string, number>();
  return (name, separator) => {
    let unique = name;
    for (let n = last.get(name) ?? 2; used.has(unique.toLowerCase()); n += 1) {
      unique = `${name}${separator}${n}`;
      last.set(name, n + 1);
    }
    used.add(unique.toLowerCase());
    return unique;
  };
}
