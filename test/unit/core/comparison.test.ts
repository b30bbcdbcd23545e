import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { changesAt } from "../../../provider/lifecycle/planning";
import { differing, type Meant, meant, written } from "../apiKey/inputArbitraries";
import { least, offline } from "../offline";

const subject = offline();
const sentinel = fc.constantFrom(...unknownSentinels);

/** The fields whose change replaces the key (K2). */
const replacing = [
  "workspaceId",
  "customerId",
  "prefix",
  "expiresAt",
  "externalMeterId",
  "metadata",
  "existingKey",
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

describe("diff of an ApiKey", () => {
  test("R2 shows no change for another spelling of the same inputs", () => {
    fc.assert(
      fc.property(spelledTwice, ([before, now]) => {
        expect(subject.diff("id_1", stateOf(before), now)).toMatchObject({ changes: false, replaces: [] });
        expect(subject.check(before, undefined).inputs).toStrictEqual(subject.check(now, undefined).inputs);
      }),
      { numRuns: 300 },
    );
  });

  test("R2 shows a change exactly if the declarations differ, and replaces for the fields of K2 only", () => {
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

  test.each([
    [{ name: "a" }, { name: "b" }, undefined],
    [{ metadata: { a: 1 } }, { metadata: { a: 1, b: null } }, true],
    [{ metadata: { a: [{ b: null }] } }, { metadata: { a: [{}] } }, true],
    [{ metadata: { b: null } }, { metadata: { b: null }, name: "b" }, undefined],
  ])(
    "R2 leaves the comparison to the engine, which shows exactly what changed, unless that may be only a null: %j, %j",
    (before, now, changes) => {
      const state = stateOf({ ...least, ...before });
      expect(subject.diff("id_1", state, { ...least, ...now }).changes).toBe(changes);
    },
  );

  test("R15 replaces for an unknown value in a field that replaces, and names the field", () => {
    fc.assert(
      fc.property(meant.chain(written), fc.constantFrom(...replacing), sentinel, (inputs, name, unknown) => {
        const { changes, replaces } = subject.diff("id_1", stateOf(inputs), { ...inputs, [name]: unknown });
        expect([changes === false, replaces]).toEqual([false, [name]]);
      }),
    );
  });

  test("R15 replaces for an unknown value deep inside metadata or keepers", () => {
    const state = stateOf({ ...least, metadata: { a: [1] }, keepers: { a: "1" } });
    for (const unknown of unknownSentinels) {
      const news = { ...least, metadata: { a: [unknown] }, keepers: { a: unknown } };
      expect(subject.diff("id_1", state, news)).toMatchObject({
        changes: undefined,
        replaces: ["metadata", "keepers"],
      });
    }
  });

  test("R15 shows a change without a replacement for an unknown value in a field that changes in place", () => {
    const inputs = { ...least, scopes: [{ representation: "orders", read: true }] };
    for (const unknown of unknownSentinels) {
      for (const change of [
        { name: unknown },
        { enabled: unknown },
        { scopes: unknown },
        { scopes: [unknown] },
        { scopes: [{ representation: unknown, read: true }] },
        { scopes: [{ representation: "orders", read: unknown }] },
      ]) {
        expect(subject.diff("id_1", stateOf(inputs), { ...inputs, ...change })).toMatchObject({
          changes: undefined,
          replaces: [],
        });
      }
    }
  });

  test("R11 shows no change for values that only the service sets", () => {
    const state = {
      ...stateOf(least),
      updatedAt: "later",
      lastUsedAt: "now",
      effectivePrefix: "other",
      billingId: "b",
    };
    expect(subject.diff("id_1", state, least)).toMatchObject({ changes: false, replaces: [] });
  });

  test("R3 shows a change for state that a refresh changed, but none for a value that the service rewrote", () => {
    expect(subject.diff("id_1", { ...stateOf(least), enabled: false }, least)).toMatchObject({
      changes: undefined,
      replaces: [],
    });
    const rewritten = { ...stateOf({ ...least, name: "CI" }), __observed: { name: "ci" } };
    expect(subject.diff("id_1", rewritten, { ...least, name: "CI" })).toMatchObject({
      changes: false,
      replaces: [],
    });
  });

  test("K6 replaces a key whose secret is lost, and names `key` beside the fields that the program changed", () => {
    const { key: _, ...rest } = stateOf(least);
    const state = { ...rest, __keyLost: true };
    expect(subject.diff("id_1", state, least)).toMatchObject({ changes: true, replaces: ["key"] });
    expect(subject.diff("id_1", state, { ...least, customerId: "cus_2" })).toMatchObject({
      changes: true,
      replaces: ["key", "customerId"],
    });
  });

  test("K6 does not replace a key whose secret was never in state", () => {
    const { key: _, ...state } = stateOf(least);
    expect(subject.diff("id_1", state, least)).toMatchObject({ changes: false, replaces: [] });
  });
});

const [orders, users, wider] = [{ of: "orders" }, { of: "users" }, { of: "users", read: true }];
test.each<[string, readonly unknown[], readonly unknown[], Readonly<Record<string, string>>]>([
  ["an entry more in front", [orders, users], [{ of: "a" }, orders, users], { "list,0": "add" }],
  ["an entry less in front", [orders, users], [users], { "list,0": "delete" }],
  ["a part of an entry", [orders, users], [orders, wider], { "list,1,read": "add" }],
  [
    "an entry more in front of one that changes",
    [orders, users],
    ["a", orders, wider],
    { "list,0": "add", "list,1": "delete", "list,2": "add" },
  ],
  ["another order", [1, 2], [2, 1], { "list,0": "update", "list,1": "update" }],
  ["one of two equal entries", [1, 1, 2], [1, 2], { "list,1": "update", "list,2": "delete" }],
])("R18 a list with %s shows what only one of the two has", (_which, before, now, expected) => {
  const changes = changesAt(["list"], before, now);
  expect(Object.fromEntries(changes.map(({ path, kind }) => [path.join(), kind]))).toEqual(expected);
});
