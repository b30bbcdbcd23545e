import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { offline } from "../offline";

const subject = offline(undefined, {}, apiKeySet);
const failuresOf = (inputs: object, before?: object) =>
  subject.check(
    { workspaceId: "ws_1", ...inputs },
    before === undefined ? undefined : { workspaceId: "ws_1", ...before },
  ).failures;
const customerId = "cus_1";

describe("check of an ApiKeySet", () => {
  test("R8 names all wrong inputs at once by their paths, and quotes no value", () => {
    const failures = failuresOf({
      keys: {
        a: { customerId: 7, scopes: [{ representation: "o", read: "quoted" }] },
        "b c": { expiresAt: 0, enabled: "quoted" },
        d: "quoted",
        e: { customerId, existingKey: 5, keepers: { x: 5 } },
      },
      defaults: { prefix: ["quoted"] },
    });
    expect(failures.map((line) => line.split(": ")[0])).toEqual([
      "keys.a.customerId",
      "keys.a.scopes[0].read",
      'keys["b c"].enabled',
      'keys["b c"].expiresAt',
      "keys.d",
      "keys.e.keepers.x",
      "keys.e.existingKey",
      "defaults.prefix",
      'keys["b c"].customerId',
    ]);
    expect(failures.join("\n")).not.toMatch(/quoted|invalid input|expected|received/i);
  });

  test("R8 names the first 20 of many wrong inputs, and counts the others", () => {
    const without = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`customer ${n}`, {}]));
    const failures = failuresOf({ keys: { ...without, last: { customerId, enable: true } } });
    expect(failures).toHaveLength(21);
    expect(failures.slice(0, 2)).toEqual([
      expect.stringMatching(/^keys\.last\.enable: no such property; /),
      'keys["customer 0"].customerId: is missing: set it to the id of a customer, here or in defaults.',
    ]);
    expect(failures.at(-1)).toBe("981 more inputs have errors.");
    expect(failuresOf({ keys: Object.fromEntries(Object.entries(without).slice(0, 20)) })).toHaveLength(20);
  });

  test("R8 accepts 5,000 keys, and fails for more than the engine could save after an update that fails halfway", () => {
    const keysOf = (count: number, more = {}) => ({
      keys: Object.fromEntries(
        Array.from({ length: count }, (_, n) => [
          `customer-${n}`,
          { customerId: `cus_${n}`, scopes: [{ representation: "orders", read: true }], ...more },
        ]),
      ),
    });
    expect(failuresOf(keysOf(5_000))).toEqual([]);
    const split = /^keys: these [\d,]+ keys are too large: .*; split them into several sets\.$/;
    expect(failuresOf(keysOf(15_000))).toEqual([expect.stringMatching(split)]);
    expect(failuresOf(keysOf(1_000, { metadata: { text: "x".repeat(6_000) } }))).toEqual([
      expect.stringMatching(split),
    ]);
  }, 20_000);

  test("R8 names a missing input with what to write", () => {
    expect(failuresOf({})).toEqual(["keys: is missing."]);
    expect(failuresOf({ keys: {} })).toEqual([]);
    const missing = "is missing: set it to the id of a customer, here or in defaults.";
    expect(failuresOf({ keys: { a: {} } })).toEqual([`keys.a.customerId: ${missing}`]);
    expect(failuresOf({ keys: { a: { customerId: null } }, defaults: { customerId } })).toEqual([
      `keys.a.customerId: ${missing}`,
    ]);
    expect(failuresOf({ keys: { a: {} }, defaults: { customerId } })).toEqual([]);
    // An unknown value may contain it.
    for (const unknown of unknownSentinels) {
      expect(failuresOf({ keys: { a: {} }, defaults: unknown })).toEqual([]);
      expect(failuresOf({ keys: { a: unknown } })).toEqual([]);
    }
    // An empty customerId in defaults is one failure, not also a missing one in each entry.
    const empty = "customerId: must not be empty.";
    expect(failuresOf({ keys: { a: { customerId: "" } } })).toEqual([`keys.a.${empty}`]);
    expect(failuresOf({ keys: { a: {}, b: {} }, defaults: { customerId: "" } })).toEqual([
      `defaults.${empty}`,
    ]);
  });

  test("R9 names an unknown property of an entry, of defaults or of a scope and lists those that exist", () => {
    const scopes = [{ representation: "o", raed: true }];
    expect(
      failuresOf({
        keys: { a: { customerId, enable: true, scopes } },
        defaults: { existingKey: "sk", scopes },
      }),
    ).toEqual([
      "keys.a.scopes[0].raed: no such property; the properties are representation, create, read, update, del.",
      expect.stringMatching(
        /^keys\.a\.enable: no such property; the properties are customerId, .*existingKey/,
      ),
      expect.stringMatching(/^defaults\.scopes\[0\]\.raed: no such property; /),
      expect.stringMatching(/^defaults\.existingKey: no such property; /),
    ]);
  });

  test("R2 treats defaults without a value as absent, in any spelling", () => {
    const keys = { a: { customerId } };
    const bare = subject.check({ workspaceId: "ws_1", keys }, undefined).inputs;
    for (const defaults of [undefined, null, {}, { prefix: null }, { prefix: "", metadata: {} }]) {
      expect(subject.check({ workspaceId: "ws_1", keys, defaults }, undefined).inputs).toEqual(bare);
    }
  });

  test("fails for an alias that is empty or begins with __", () => {
    expect(failuresOf({ keys: { "": { customerId }, __a: { customerId } } })).toEqual([
      'keys[""]: an alias can\'t be empty: choose one.',
      'keys.__a: an alias can\'t begin with "__", because Pulumi hides such names and does not compare them.',
    ]);
  });

  test("fails for a renamedFrom whose alias is still declared, or named by another entry too", () => {
    const of = (renamedFrom: string) => ({ customerId, renamedFrom });
    expect(
      failuresOf({ keys: { a: of("b"), b: { customerId }, c: of("x"), d: of("x"), e: of("e") } }),
    ).toEqual([
      expect.stringMatching(/^keys\.a\.renamedFrom: must name an alias that is no longer declared/),
      expect.stringMatching(/^keys\.d\.renamedFrom: another entry has the same value/),
      expect.stringMatching(/^keys\.e\.renamedFrom: must name an alias that is no longer declared/),
    ]);
  });

  test("K5 fails for two entries with the same existingKey", () => {
    const [one, two] = ["sk_old", "sk_other"].map((existingKey) => ({ customerId, existingKey }));
    expect(failuresOf({ keys: { a: one, b: two, c: one, d: { customerId }, e: { customerId } } })).toEqual([
      "keys.c.existingKey: another entry has the same value, but one key can't have two entries; remove it from one of them.",
    ]);
  });

  test("K3 names a representation that is listed twice once, with its path in the entry or in defaults", () => {
    const twice = [
      { representation: "o", read: true },
      { representation: "o", del: true },
    ];
    const keys = { a: { customerId }, b: { customerId }, c: { customerId, scopes: twice } };
    expect(failuresOf({ keys, defaults: { scopes: twice } })).toEqual([
      expect.stringMatching(/^defaults\.scopes\[1\]\.representation: is listed twice/),
      expect.stringMatching(/^keys\.c\.scopes\[1\]\.representation: is listed twice/),
    ]);
  });

  test("K5 fails for an empty existingKey, which may be an unset variable, and accepts null", () => {
    expect(failuresOf({ keys: { a: { customerId, existingKey: "" } } })).toEqual([
      expect.stringMatching(
        /^keys\.a\.existingKey: must not be empty \(an unset variable\?\): .* new key\.$/,
      ),
    ]);
    expect(failuresOf({ keys: { a: { customerId, existingKey: null } } })).toEqual([]);
  });

  test("K5 fails for inputs that can't be combined with existingKey, in the entry or in defaults", () => {
    const existingKey = "sk_old";
    const keys = {
      a: { customerId, existingKey, expiresAt: 5 },
      b: { customerId, existingKey: "sk_other", prefix: null },
    };
    expect(failuresOf({ keys, defaults: { prefix: "p" } })).toEqual([
      expect.stringMatching(
        /^keys\.a\.prefix: can't be combined with existingKey, .* \(this value comes from defaults; override it in the entry, or set null there for no value\)\.$/,
      ),
      expect.stringMatching(/^keys\.a\.expiresAt: can't be combined with existingKey, .*; leave it out\.$/),
    ]);
  });

  test("K5 fails for a change that existingKey does not allow, even under another alias", () => {
    const before = {
      keys: { a: { customerId, existingKey: "sk_old" }, b: { customerId, existingKey: "sk_2" } },
    };
    const other = { customerId: "cus_2" };
    const keys = {
      c: { existingKey: "sk_old", renamedFrom: "a" },
      b: { existingKey: "sk_3" },
    };
    expect(failuresOf({ keys, defaults: other }, before)).toEqual([
      expect.stringMatching(
        /^keys\.c\.customerId: can't change while existingKey stays.*\(this value comes from defaults/,
      ),
    ]);
  });

  test("K5 says that a changed value comes from defaults only if it does, and what to do if nothing was migrated", () => {
    const existingKey = "sk_old";
    const before = { keys: { a: { customerId, existingKey, metadata: { x: 1 } } } };
    const keys = { a: { customerId, existingKey } };
    const [line = "", ...others] = failuresOf({ keys }, before);
    expect(others).toEqual([]);
    expect(line).toMatch(/^keys\.a\.metadata: can't change while existingKey stays the same, /);
    expect(line).not.toContain("defaults");
    expect(line).toContain("If no update has migrated or adopted it yet, run `pulumi up --refresh`.");
    expect(failuresOf({ workspaceId: "ws_2", ...before }, before)).toEqual([
      expect.stringMatching(/^keys\.a: workspaceId can't change while existingKey stays the same, [^()]*$/),
    ]);
  });
});
