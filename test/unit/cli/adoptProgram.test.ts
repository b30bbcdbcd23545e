import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ExistingKey,
  identifier,
  importFile,
  plainName,
  programOfKeys,
  programOfSet,
  resourceName,
  uniqueNames,
} from "../../../cli/program";
import { runs } from "../../all";
import { declaredBy } from "./writtenProgram";

const key = (name: string | undefined, rest: Partial<ExistingKey> = {}): ExistingKey => ({
  ...{ id: `id of ${name}`, name, customerId: "cus_1", scopes: [], others: {} },
  ...rest,
});
const adoption = (keys: readonly ExistingKey[], ...taken: string[]) => ({
  ...{ workspaceId: "ws_main", keys, taken: new Set(taken) },
});
const namesOf = (program: string) => declaredBy(program).resources.map(({ name }) => name);

test("K12 the program that adopts keys is what a person would write", () => {
  const scopes = [{ representation: "orders", read: true, update: true } as const];
  const wider = [...scopes, { representation: "carts", del: true } as const];
  const keys = [
    key("ci", { id: "key_1", scopes }),
    key("Shop (EU)", { id: "key_2", others: { enabled: false }, scopes: wider }),
  ];
  expect(programOfKeys(adoption(keys))).toBe(
    `// Existing keys of workspace "ws_main", written by \`npx pulumi-apikeys adopt\`. The first \`pulumi up\` adopts
// them as they are and creates nothing. From then on this stack manages them: \`pulumi destroy\` deletes them.
import { ApiKey } from "pulumi-apikeys";

const workspaceId = "ws_main";

const ci = new ApiKey("ci", {
  workspaceId,
  customerId: "cus_1",
  scopes: [{ representation: "orders", read: true, update: true }],
  existingId: "key_1",
});
const shopEU = new ApiKey("Shop-EU", {
  workspaceId,
  customerId: "cus_1",
  name: "Shop (EU)",
  scopes: [
    { representation: "orders", read: true, update: true },
    { representation: "carts", del: true },
  ],
  enabled: false,
  existingId: "key_2",
});

export const keyIds = {
  ci: ci.id,
  "Shop-EU": shopEU.id,
};
`,
  );
});

test("K12 the program reads the secrets that the user has from stack config, and contains none", () => {
  const scopes = [] as const;
  const keys = [key("ci", { id: "key_1", scopes, isGiven: true }), key("pulumi", { id: "key_2", scopes })];
  expect(programOfKeys(adoption(keys))).toContain(`import * as pulumi from "@pulumi/pulumi";
import { ApiKey } from "pulumi-apikeys";

// The secrets by key id. After that update, state has them: remove each \`existingKey\`, these lines and the config.
const existingKeys = new pulumi.Config().requireSecretObject<Record<string, string>>("existingKeys");
const secretOf = (id: string) => existingKeys.apply((all) => all[id]);

const workspaceId = "ws_main";

const ci = new ApiKey("ci", {
  workspaceId,
  customerId: "cus_1",
  scopes: [],
  existingId: "key_1",
  existingKey: secretOf("key_1"),
});
const pulumiKey = new ApiKey("pulumi", {`);
  const config = { existingKeys: { key_1: "sk_1" } };
  expect(declaredBy(programOfSet(adoption(keys)), config).resources[0]?.args["keys"]).toMatchObject({
    ci: { existingId: "key_1", existingKey: "sk_1" },
    pulumi: { existingId: "key_2" },
  });
  expect(programOfSet(adoption([key("ci")]))).not.toContain("existingKey");
});

test("K12 the program has room for 20,000 keys, even of one name", () => {
  const scopes = Array.from({ length: 5 }, (_, n) => ({ representation: `s${n}`, read: true }) as const);
  const many = adoption(Array.from({ length: 20_000 }, (_, n) => key(`key ${n}`, { scopes })));
  for (const write of [programOfKeys, programOfSet])
    expect(write(many).match(/existingId: /g)).toHaveLength(20_000);
  const nameFor = uniqueNames();
  expect(new Set(Array.from({ length: 20_000 }, () => nameFor("ci", "-"))).size).toBe(20_000);
});

test("K12 each resource of the program has a unique name, compared without case, which isn't taken", () => {
  const same = ["ci", "ci", "CI", "ci-2"].map((name) => key(name));
  expect(namesOf(programOfKeys(adoption(same)))).toEqual(["ci", "ci-2", "CI-3", "ci-2-2"]);
  const taken = adoption([key("ci"), key("new")], "ci", "CI-2");
  expect(namesOf(programOfKeys(taken))).toEqual(["ci-3", "new"]);
  expect(namesOf(programOfSet(adoption([key("keys")], "keys")))).toEqual(["keys-2"]);
  for (const write of [programOfKeys, programOfSet]) expect(namesOf(write(adoption([])))).toEqual([]);
});

test.each([
  ["toString", "key"],
  ["4dabf18193072939515e22adb298388d", "key"],
  ["__proto__", "proto__"],
])("K12 the program gives a key another alias if Pulumi can't carry its name, %s", (name, alias) => {
  const { resources } = declaredBy(programOfSet(adoption([key(name)])));
  expect(resources[0]?.args["keys"]).toEqual({ [alias]: expect.objectContaining({ name }) });
});

test("K12 the program declares a generated name and an empty customerId where the service shows none", () => {
  const program = programOfKeys(adoption([key(undefined, { customerId: undefined })]));
  expect(declaredBy(program).resources[0]?.args).toMatchObject({ name: "key", customerId: "" });
  expect(program).toContain(
    "// The key has no name in the service that a program can have: the first update sets this one.",
  );
  expect(program).toContain("// The service shows no customer for this key");
});

test("K12 the program escapes characters of a name that a reader would not see", () => {
  const name = `a\u2028b\u202e"c\ud800\u00a0*/\u{e0041}`;
  const program = programOfKeys(adoption([key(name)]));
  expect(program).not.toMatch(/[^\n\x20-\x7e]/);
  expect(declaredBy(program).resources[0]?.args["name"]).toBe(name);
});

const oddName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    ...["__proto__", "constructor", "class", "default", "Object", "exports", "require", "keyIds", "ApiKey"],
    ...["undefined", "workspaceId", "2fa", "İstanbul", "ﬁ", "ci", "CI", "ci-2", "*/", "x".repeat(99)],
    ["`", "{x}`"].join("$"),
  ),
);
const permissions = { read: fc.constant(true as const), del: fc.constant(true as const) };
/** Keys with odd names, each with an id of its own. */
const oddKeys = fc
  .array(
    fc.record({
      name: fc.option(oddName, { nil: undefined }),
      customerId: oddName.filter((id) => id !== ""),
      others: fc.constantFrom({}, { enabled: false }),
      scopes: fc.array(fc.record({ representation: oddName, ...permissions }), { maxLength: 2 }),
    }),
    { maxLength: 8 },
  )
  .map((all) => all.map((one, place): ExistingKey => ({ ...one, id: `key "${place}"\n` })));

/** The arguments that adopt the key unchanged. */
const args = ({ id, name, customerId, scopes, others }: ExistingKey, given: string) => ({
  ...{ customerId, existingId: id, name: name ?? given, scopes, enabled: true },
  ...others,
});
/** The arguments that a program declares, with the defaults filled in. */
const meant = (given: string, declared: Readonly<Record<string, unknown>>) => {
  const { workspaceId: _, ...all } = { name: given, scopes: [], enabled: true, ...declared } as Record<
    string,
    unknown
  >;
  return all;
};

test("K12 the program compiles, runs, and declares each key unchanged under a unique name, whatever its name", () => {
  fc.assert(
    fc.property(oddKeys, (keys) => {
      const { resources, exports } = declaredBy(programOfKeys(adoption(keys)));
      expect(resources.map(({ name, args }) => meant(name, args))).toEqual(
        keys.map((one, place) => args(one, resources[place]?.name ?? "")),
      );
      expect(new Set(resources.map(({ name }) => name.toLowerCase())).size).toBe(keys.length);
      expect(Object.keys(exports["keyIds"] ?? {})).toHaveLength(keys.length);
    }),
    { numRuns: runs(400) },
  );
});

test("K12 the program with one set compiles, runs, and declares each key unchanged under a valid alias", () => {
  fc.assert(
    fc.property(oddKeys, (keys) => {
      const { resources } = declaredBy(programOfSet(adoption(keys)));
      const entries = Object.entries(resources[0]?.args["keys"] ?? {});
      const inOrder = entries.toSorted(([, a], [, b]) => (a.existingId < b.existingId ? -1 : 1));
      expect(inOrder.map(([alias, entry]) => meant(alias, entry))).toEqual(
        keys.map((one, place) => args(one, inOrder[place]?.[0] ?? "")),
      );
      expect(entries.filter(([alias]) => alias === "" || alias.startsWith("__"))).toEqual([]);
    }),
    { numRuns: runs(400) },
  );
});

test("R19 the import file has for each key an import id, and a name that Pulumi's code generators accept", () => {
  type Imported = { readonly type: string; readonly name: string; readonly id: string };
  const importedBy = (all: Parameters<typeof importFile>[0]): Imported[] =>
    JSON.parse(importFile(all)).resources;
  fc.assert(
    fc.property(oddKeys, (keys) => {
      const resources = importedBy(adoption(keys));
      expect(resources.map(({ id }) => id)).toEqual(keys.map(({ id }) => `ws_main/${id}`));
      for (const { type, name } of resources) {
        expect(type).toBe("apikeys:index:ApiKey");
        expect(name).toMatch(/^[a-z][\w-]*$/i);
      }
      expect(new Set(resources.map(({ name }) => name.toLowerCase())).size).toBe(keys.length);
    }),
    { numRuns: runs(400) },
  );
  const [inSlash] = importedBy({ ...adoption([key("a/b")]), workspaceId: "team/a" });
  expect(inSlash?.id).toBe("team%2Fa/id of a/b");
});

test.each([
  ["Shop (EU)", "Shop-EU", "shopEU", "Shop-EU"],
  ["web_app 2", "web_app-2", "webApp2", "web_app-2"],
  ["2nd key", "2nd-key", "key2ndKey", "key-2nd-key"],
  ["CI", "CI", "ci", "CI"],
  ["class", "class", "classKey", "class"],
  ["Müller & Söhne", "Müller-Söhne", "mullerSohne", "Muller-Sohne"],
  ["キー", "キー", "key", "key"],
  ["__proto__", "proto__", "proto", "proto__"],
  ["", "key", "key", "key"],
])(
  "the key %j gives a resource %j, a constant %j, and in the import file %j",
  (name, resource, ...others) => {
    expect(resourceName(name)).toBe(resource);
    expect([identifier(resource), plainName(name)]).toEqual(others);
  },
);
