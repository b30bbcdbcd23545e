import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifier, plainName, resourceName, uniqueNames } from "../../cli/names";
import { type ExistingKey, importFile, programOfKeys, programOfSet } from "../../cli/program";
import { runs } from "../all";
import { declaredBy } from "./writtenProgram";

const key = (name: string | undefined, rest: Partial<ExistingKey> = {}): ExistingKey => ({
  id: `id of ${name}`,
  name,
  customerId: "cus_1",
  scopes: [],
  enabled: true,
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
          enabled: false,
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

  it("is one set where that is asked for", () => {
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

  it.each([programOfKeys, programOfSet])("declares nothing where there is nothing to adopt: %o", (write) => {
    expect(declaredBy(write(adoption([]))).resources).toEqual([]);
  });

  it("gives keys of one name a name each, whatever case it is in, and leaves names that are taken", () => {
    expect(names([key("ci"), key("ci"), key("CI"), key("ci-2")])).toEqual(["ci", "ci-2", "CI-3", "ci-2-2"]);
    expect(names([key("ci"), key("new")], "ci", "CI-2")).toEqual(["ci-3", "new"]);
    expect(
      declaredBy(programOfSet(adoption([key("keys")], "keys"))).resources.map(({ name }) => name),
    ).toEqual(["keys-2"]);
  });

  it("declares a name where the service has none, and no customer where it names none", () => {
    const program = programOfKeys(adoption([key(undefined, { customerId: undefined })]));
    expect(declaredBy(program).resources[0]?.args).toMatchObject({ name: "key", customerId: "" });
    expect(program).toContain("// The key has no name in the service: the first update sets this one.");
    expect(program).toContain("// The service shows no customer for this key");
  });

  it("shows each mark of a name that a reader would not see", () => {
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
  enabled: fc.boolean(),
  scopes: fc.array(
    fc.record({ representation: oddName, read: fc.constant(true as const), del: fc.constant(true as const) }),
    { maxLength: 2 },
  ),
});
/** Of a service that tells keys apart by their ids. */
const oddKeys = fc
  .array(oddKey, { maxLength: 8 })
  .map((all) => all.map((one, place): ExistingKey => ({ ...one, id: `key "${place}"\n` })));

/** What an adoption of the key has to declare. */
const args = ({ id, name, customerId, scopes, enabled }: ExistingKey, given: string) => ({
  customerId,
  existingId: id,
  name: name ?? given,
  scopes,
  enabled,
});
/** The same of what a program declares, with its defaults. */
const meant = (given: string, declared: Readonly<Record<string, unknown>>) => {
  const all: Record<string, unknown> = { name: given, scopes: [], enabled: true, ...declared };
  delete all["workspaceId"];
  return all;
};

describe("whatever names the service has", () => {
  it("K12 compiles, runs, and declares each key just as it is, under a name of its own", () => {
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

  it("K12 compiles, runs, and declares each entry of a set, under an alias that sets accept", () => {
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

  it("imports each by an id and a name that Pulumi's generators of code accept", () => {
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

  it("R19 writes a slash in the workspace's id as %2F", () => {
    const { resources } = JSON.parse(importFile({ ...adoption([key("a/b")]), workspaceId: "team/a" }));
    expect(resources).toMatchObject([{ id: "team%2Fa/id of a/b" }]);
  });
});

describe("names", () => {
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
  ])("of %j are %j and %j", (name, resource, constant) => {
    expect(resourceName(name)).toBe(resource);
    expect(identifier(resource)).toBe(constant);
  });

  it("are plain where code is generated", () => {
    expect(["Müller & Söhne", "キー", "2nd", ""].map(plainName)).toEqual([
      "Muller-Sohne",
      "key",
      "key-2nd",
      "key",
    ]);
  });

  it("are quickly made for many of one name", () => {
    const nameFor = uniqueNames();
    const made = Array.from({ length: 20_000 }, () => nameFor("ci", "-"));
    expect(new Set(made).size).toBe(20_000);
  });
});
