import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
  id: `id of ${name}`,
  name,
  customerId: "cus_1",
  scopes: [],
  others: {},
  ...rest,
});
const adoption = (keys: readonly ExistingKey[], ...taken: string[]) => ({
  workspaceId: "ws_main",
  keys,
  taken: new Set(taken),
});
const names = (keys: readonly ExistingKey[], ...taken: string[]) =>
  declaredBy(programOfKeys(adoption(keys, ...taken))).resources.map(({ name }) => name);

describe("the program that adopts keys", () => {
  it("is what a person would write", () => {
    const scopes = [{ representation: "orders", read: true, update: true } as const];
    const program = programOfKeys(
      adoption([
        key("ci", { id: "key_1", scopes }),
        key("Shop (EU)", {
          id: "key_2",
          others: { enabled: false },
          scopes: [...scopes, { representation: "carts", del: true }],
        }),
      ]),
    );
    expect(
      program,
    ).toBe(`// Existing keys of workspace "ws_main", written by \`npx pulumi-apikeys adopt\`. The first \`pulumi up\` adopts
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
`);
  });

  it("has room for 20,000 keys", () => {
    const scopes = Array.from(
      { length: 5 },
      (_, n) => ({ representation: `scope ${n}`, read: true }) as const,
    );
    const many = adoption(Array.from({ length: 20_000 }, (_, n) => key(`key ${n}`, { scopes })));
    for (const write of [programOfKeys, programOfSet]) {
      expect(write(many).match(/existingId: /g)).toHaveLength(20_000);
    }
  });

  it("declares one ApiKeySet on request", () => {
    const program = programOfSet(adoption([key("ci", { id: "key_1" }), key("2nd", { id: "key_2" })]));
    expect(program.replace(/^\/\/.*\n/gm, "")).toBe(`import { ApiKeySet } from "pulumi-apikeys";

const keys = new ApiKeySet("keys", {
  workspaceId: "ws_main",
  keys: {
    ci: {
      customerId: "cus_1",
      scopes: [],
      existingId: "key_1",
    },
    "2nd": {
      customerId: "cus_1",
      scopes: [],
      existingId: "key_2",
    },
  },
});

export const keyIds = keys.ids;
`);
  });

  it.each([programOfKeys, programOfSet])("declares nothing if there is no key to adopt: %o", (write) => {
    expect(declaredBy(write(adoption([]))).resources).toEqual([]);
  });

  it("gives each key a unique resource name, compared without case, and avoids names that are taken", () => {
    expect(names([key("ci"), key("ci"), key("CI"), key("ci-2")])).toEqual(["ci", "ci-2", "CI-3", "ci-2-2"]);
    expect(names([key("ci"), key("new")], "ci", "CI-2")).toEqual(["ci-3", "new"]);
    expect(
      declaredBy(programOfSet(adoption([key("keys")], "keys"))).resources.map(({ name }) => name),
    ).toEqual(["keys-2"]);
  });

  it("declares a generated name for a key without one, and an empty customerId if the service shows none", () => {
    const program = programOfKeys(adoption([key(undefined, { customerId: undefined })]));
    expect(declaredBy(program).resources[0]?.args).toMatchObject({ name: "key", customerId: "" });
    expect(program).toContain("// The key has no name in the service: the first update sets this one.");
    expect(program).toContain("// The service shows no customer for this key");
  });

  it("escapes characters of a name that a reader would not see", () => {
    const name = `a\u2028b\u202e"c\ud800\u00a0*/\u{e0041}`;
    const program = programOfKeys(adoption([key(name)]));
    expect(program).not.toMatch(/[^\n\x20-\x7e]/);
    expect(declaredBy(program).resources[0]?.args["name"]).toBe(name);
  });
});

const oddName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    ...["__proto__", "constructor", "class", "default", "Object", "exports", "require", "keyIds", "ApiKey"],
    ...[
      "undefined",
      "workspaceId",
      "2fa",
      "İstanbul",
      "ﬁ",
      "ci",
      "CI",
      "ci-2",
      ["`", "{x}`"].join("$"),
      "*/",
      "x".repeat(99),
    ],
  ),
);
const oddKey = fc.record({
  name: fc.option(oddName, { nil: undefined }),
  customerId: oddName.filter((id) => id !== ""),
  others: fc.constantFrom({}, { enabled: false }),
  scopes: fc.array(
    fc.record({ representation: oddName, read: fc.constant(true as const), del: fc.constant(true as const) }),
    { maxLength: 2 },
  ),
});
/** Each key has an id of its own. */
const oddKeys = fc
  .array(oddKey, { maxLength: 8 })
  .map((all) => all.map((one, place): ExistingKey => ({ ...one, id: `key "${place}"\n` })));

/** The arguments that adopt the key unchanged. */
const args = ({ id, name, customerId, scopes, others }: ExistingKey, given: string) => ({
  customerId,
  existingId: id,
  name: name ?? given,
  scopes,
  enabled: true,
  ...others,
});
/** The arguments that a program declares, with the defaults filled in. */
const meant = (given: string, declared: Readonly<Record<string, unknown>>) => {
  const all: Record<string, unknown> = { name: given, scopes: [], enabled: true, ...declared };
  delete all["workspaceId"];
  return all;
};

describe("for keys with arbitrary names,", () => {
  it("K12 the program compiles, runs, and declares each key unchanged, under a unique name", () => {
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

  it("K12 the program with one set compiles, runs, and declares each key unchanged, under a valid alias", () => {
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

  it("the import file has for each key an import id, and a name that Pulumi's code generators accept", () => {
    fc.assert(
      fc.property(oddKeys, (keys) => {
        const { resources } = JSON.parse(importFile(adoption(keys)));
        expect(resources.map(({ id }: { id: string }) => id)).toEqual(keys.map(({ id }) => `ws_main/${id}`));
        for (const { type, name } of resources) {
          expect(type).toBe("apikeys:index:ApiKey");
          expect(name).toMatch(/^[a-z][\w-]*$/i);
        }
        expect(new Set(resources.map(({ name }: { name: string }) => name.toLowerCase())).size).toBe(
          keys.length,
        );
      }),
      { numRuns: runs(400) },
    );
  });

  it("R19 the import file writes a slash in the workspace's id as %2F", () => {
    const { resources } = JSON.parse(importFile({ ...adoption([key("a/b")]), workspaceId: "team/a" }));
    expect(resources).toMatchObject([{ id: "team%2Fa/id of a/b" }]);
  });
});

describe("generated names", () => {
  it.each([
    ["ci", "ci", "ci"],
    ["Shop (EU)", "Shop-EU", "shopEU"],
    ["web_app 2", "web_app-2", "webApp2"],
    ["2nd key", "2nd-key", "key2ndKey"],
    ["CI", "CI", "ci"],
    ["class", "class", "classKey"],
    ["Müller & Söhne", "Müller-Söhne", "mullerSohne"],
    ["キー", "キー", "key"],
    ["__proto__", "proto__", "proto"],
    ["  ", "key", "key"],
    ["", "key", "key"],
  ])("for the key %j are %j for the resource and %j for the constant", (name, resource, constant) => {
    expect(resourceName(name)).toBe(resource);
    expect(identifier(resource)).toBe(constant);
  });

  it("are ASCII in the import file, from which Pulumi generates code", () => {
    expect(["Müller & Söhne", "キー", "2nd", ""].map(plainName)).toEqual([
      "Muller-Sohne",
      "key",
      "key-2nd",
      "key",
    ]);
  });

  it("are found quickly for many keys with one name", () => {
    const nameFor = uniqueNames();
    const generated = Array.from({ length: 20_000 }, () => nameFor("ci", "-"));
    expect(new Set(generated).size).toBe(20_000);
  });
});
