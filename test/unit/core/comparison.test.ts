import fc from "fast-check";
import { expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { changesAt } from "../../../provider/lifecycle/planning";
import { differing, type Meant, meant, written } from "../apiKey/inputArbitraries";
import { least, offline } from "../offline";

const subject = offline();
const sentinel = fc.constantFrom(...unknownSentinels);

/** The fields whose change replaces the key (K2). */
const replacing = [
  ...["workspaceId", "customerId", "prefix", "expiresAt", "externalMeterId", "metadata", "existingKey"],
  "keepers",
];

/** State after a create with these inputs. */
function stateOf(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { inputs: declared, failures } = subject.check(inputs, undefined);
  expect(failures).toEqual([]);
  return { ...declared, key: "sk_secret", maskedKey: "sk_…", updatedAt: "then", effectivePrefix: "chosen" };
}

const spelledTwice = meant.chain((of) => fc.tuple(written(of), written(of)));
/** Two declarations that differ in a few fields at most, each in one of its spellings. */
const pair = fc
  .tuple(meant, meant)
  .chain(([left, other]) => fc.tuple(fc.constant(left), someOf(other)))
  .map(([left, some]) => [left, { ...left, ...some }] as const)
  .chain(([left, right]) => fc.tuple(fc.constant([left, right] as const), written(left), written(right)));

function someOf(of: Meant): fc.Arbitrary<Partial<Meant>> {
  return fc.subarray(Object.entries(of), { maxLength: 3 }).map((fields) => Object.fromEntries(fields));
}

function holdsNull(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.values(value).some(holdsNull));
}

test("R2: another spelling of the same inputs is no change", () => {
  fc.assert(
    fc.property(spelledTwice, ([before, now]) => {
      expect(subject.diff("id_1", stateOf(before), now)).toMatchObject({ changes: false, replaces: [] });
      expect(subject.check(before, undefined).inputs).toStrictEqual(subject.check(now, undefined).inputs);
    }),
    { numRuns: 300 },
  );
});

test("K2: declarations that differ are a change, and replace the key exactly if a field differs that no edit can change", () => {
  fc.assert(
    fc.property(pair, ([[left, right], before, now]) => {
      const names = differing(left, right);
      const { changes, replaces } = subject.diff("id_1", stateOf(before), now);
      const declared = subject.check(now, undefined).inputs;
      const hasNull = names.some((name) => [stateOf(before), declared].some((all) => holdsNull(all[name])));
      expect(changes).toBe(names.length === 0 ? false : hasNull ? true : undefined);
      expect([...replaces].sort()).toEqual(names.filter((name) => replacing.includes(name)).sort());
    }),
    { numRuns: 500 },
  );
});

/** The answer of diff for a key with this state. */
const diffOf = (state: object, inputs: object) => {
  const { changes, replaces } = subject.diff("id_1", { ...state }, { ...least, ...inputs });
  return { changes, replaces };
};

test.each([
  [{ name: "a" }, { name: "b" }, undefined],
  [{ metadata: { a: 1 } }, { metadata: { a: 1, b: null } }, true],
  [{ metadata: { a: [{ b: null }] } }, { metadata: { a: [{}] } }, true],
  [{ metadata: { b: null } }, { metadata: { b: null }, name: "b" }, undefined],
])(
  "R2 the engine compares, and shows exactly what changed, unless that may be only a null: %j, %j",
  (before, now, changes) => {
    expect(diffOf(stateOf({ ...least, ...before }), now).changes).toBe(changes);
  },
);

test("R15: an unknown value in a field that replaces counts as a change of that field", () => {
  fc.assert(
    fc.property(meant.chain(written), fc.constantFrom(...replacing), sentinel, (inputs, name, unknown) => {
      const { changes, replaces } = subject.diff("id_1", stateOf(inputs), { ...inputs, [name]: unknown });
      expect([changes === false, replaces]).toEqual([false, [name]]);
    }),
  );
});

test.each<[string, (unknown: string) => object, string[]]>([
  ["metadata", (unknown) => ({ metadata: { a: [unknown] } }), ["metadata"]],
  ["keepers", (unknown) => ({ keepers: { a: unknown } }), ["keepers"]],
  ["name", (name) => ({ name }), []],
  ["enabled", (enabled) => ({ enabled }), []],
  ["scopes", (unknown) => ({ scopes: [unknown] }), []],
  ["a scope", (representation) => ({ scopes: [{ representation, read: true }] }), []],
  ["a flag", (read) => ({ scopes: [{ representation: "orders", read }] }), []],
])(
  "R15 an unknown value in %s is a change, and replaces only where a change of it does",
  (_, change, replaces) => {
    const inputs = {
      metadata: { a: [1] },
      keepers: { a: "1" },
      scopes: [{ representation: "orders", read: true }],
    };
    for (const unknown of unknownSentinels)
      expect(diffOf(stateOf({ ...least, ...inputs }), { ...inputs, ...change(unknown) })).toEqual({
        changes: undefined,
        replaces,
      });
  },
);

const { key: _, ...withoutKey } = stateOf(least);
const unchanged = { changes: false, replaces: [] };
test.each<[string, object, object, object]>([
  [
    "R11 values that only the service sets are no change",
    { updatedAt: "later", lastUsedAt: "now", effectivePrefix: "other", billingId: "b" },
    {},
    unchanged,
  ],
  [
    "R3 a value that a refresh changed in state is a change",
    { enabled: false },
    {},
    { changes: undefined, replaces: [] },
  ],
  [
    "R3 a value that the service rewrote is no change",
    { name: "CI", __observed: { name: "ci" } },
    { name: "CI" },
    unchanged,
  ],
  [
    "K6 a lost secret replaces the key",
    { key: undefined, __keyLost: true },
    {},
    { changes: true, replaces: ["key"] },
  ],
  [
    "K6 a lost secret is named beside the fields that the program changed",
    { key: undefined, __keyLost: true },
    { customerId: "cus_2" },
    { changes: true, replaces: ["key", "customerId"] },
  ],
])("%s", (_name, state, inputs, expected) => {
  expect(diffOf({ ...stateOf(least), ...state }, inputs)).toEqual(expected);
});

test("K6 a state without a secret, which never had one, shows no change", () => {
  expect(diffOf(withoutKey, {})).toEqual(unchanged);
});

const [orders, users, wider] = [{ of: "orders" }, { of: "users" }, { of: "users", read: true }];
test.each<[string, readonly unknown[], readonly unknown[], Readonly<Record<string, string>>]>([
  ["one more entry in front", [orders, users], [{ of: "a" }, orders, users], { "list,0": "add" }],
  ["one entry less in front", [orders, users], [users], { "list,0": "delete" }],
  ["one more field in an entry", [orders, users], [orders, wider], { "list,1,read": "add" }],
  [
    "one more entry in front of one that changes",
    [orders, users],
    ["a", orders, wider],
    { "list,0": "add", "list,1": "delete", "list,2": "add" },
  ],
  ["another order", [1, 2], [2, 1], { "list,0": "update", "list,1": "update" }],
  ["one of two equal entries removed", [1, 1, 2], [1, 2], { "list,1": "update", "list,2": "delete" }],
])("R18 the diff of a list with %s shows only what one of the two lacks", (_which, before, now, expected) => {
  const changes = changesAt(["list"], before, now);
  expect(Object.fromEntries(changes.map(({ path, kind }) => [path.join(), kind]))).toEqual(expected);
});

test("R18 the diff adds an entry with the name of an inherited property, such as constructor, like any other", () => {
  const change = { path: ["keys", "constructor"], kind: "add" };
  expect(changesAt(["keys"], { a: {} }, { a: {}, constructor: {} })).toEqual([change]);
});
