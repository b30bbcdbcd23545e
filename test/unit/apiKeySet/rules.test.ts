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
  test("R8 the check of a set names all wrong inputs at once by their paths, and quotes no value", () => {
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

  test("R8 the check of a set names the first 20 of many wrong inputs, and counts the others", () => {
    const without = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`customer ${n}`, {}]));
    const failures = failuresOf({ keys: { ...without, last: { customerId, enable: true } } });
    expect(failures).toHaveLength(21);
    expect(failures.slice(0, 2)).toEqual([
      expect.stringMatching(/^keys\.last\.enable: no such property\. /),
      'keys["customer 0"].customerId: is missing: set it to the id of a customer, here or in defaults.',
    ]);
    expect(failures.at(-1)).toBe("981 more inputs have errors.");
    expect(failuresOf({ keys: Object.fromEntries(Object.entries(without).slice(0, 20)) })).toHaveLength(20);
  });

  test("R8 the check of a set accepts 5,000 keys, and fails for more than the engine could save after an update that fails halfway", () => {
    const keysOf = (count: number, more = {}) => ({
      keys: Object.fromEntries(
        Array.from({ length: count }, (_, n) => [
          `customer-${n}`,
          { customerId: `cus_${n}`, scopes: [{ representation: "orders", read: true }], ...more },
        ]),
      ),
    });
    expect(failuresOf(keysOf(5_000))).toEqual([]);
    const split = /^keys: these [\d,]+ keys are too large\. .*: split them into several sets\.$/;
    expect(failuresOf(keysOf(15_000))).toEqual([expect.stringMatching(split)]);
    expect(failuresOf(keysOf(1_000, { metadata: { text: "x".repeat(6_000) } }))).toEqual([
      expect.stringMatching(split),
    ]);
  }, 20_000);

  test("K5 the check of a set fails for two entries with the same existingKey", () => {
    const [one, two] = ["sk_old", "sk_other"].map((existingKey) => ({ customerId, existingKey }));
    expect(failuresOf({ keys: { a: one, b: two, c: one, d: { customerId }, e: { customerId } } })).toEqual([
      "keys.c.existingKey: an entry has or names this key already, and one key can't have two entries; leave it out here, or remove the other entry.",
    ]);
  });

  test("K3 the check of a set names a representation that is listed twice in each entry that has it, also from defaults", () => {
    const twice = [
      { representation: "o", read: true },
      { representation: "o", del: true },
    ];
    const keys = { a: { customerId }, b: { customerId }, c: { customerId, scopes: twice } };
    expect(failuresOf({ keys, defaults: { scopes: twice } })).toEqual(
      ["a", "b", "c"].map((alias) =>
        expect.stringMatching(`^keys\\.${alias}\\.scopes\\[1\\]\\.representation: is listed twice`),
      ),
    );
  });

  test("K5 the check of a set fails for inputs that can't be combined with existingKey, in the entry or in defaults", () => {
    const existingKey = "sk_old";
    const keys = {
      a: { customerId, existingKey, expiresAt: 5 },
      b: { customerId, existingKey: "sk_other", prefix: null },
    };
    expect(failuresOf({ keys, defaults: { prefix: "p" } })).toEqual([
      expect.stringMatching(
        /^keys\.a\.prefix: can't be combined with existingKey, .*; leave it out\. A value in defaults counts too, unless the entry has its own, or null\.$/,
      ),
      expect.stringMatching(/^keys\.a\.expiresAt: can't be combined with existingKey, .*; leave it out\./),
    ]);
  });

  test("R8 the check of a set names a missing customerId with what to write, unless defaults or an unknown value may have it", () => {
    const missing = "customerId: is missing: set it to the id of a customer, here or in defaults.";
    expect(failuresOf({})).toEqual(["keys: is missing."]);
    for (const inputs of [
      { keys: { a: {} } },
      { keys: { a: { customerId: null } }, defaults: { customerId } },
    ])
      expect(failuresOf(inputs)).toEqual([`keys.a.${missing}`]);
    const [unknown] = unknownSentinels;
    for (const defaults of [{ customerId }, unknown])
      expect(failuresOf({ keys: { a: {} }, defaults })).toEqual([]);
    for (const keys of [{}, { a: unknown }]) expect(failuresOf({ keys })).toEqual([]);
    // An empty customerId in defaults is one failure, not also a missing one in each entry.
    expect(failuresOf({ keys: { a: {}, b: {} }, defaults: { customerId: "" } })).toEqual([
      "defaults.customerId: must not be empty.",
    ]);
  });

  test("R9 the check of a set names an unknown property of an entry, of defaults or of a scope, and lists those that exist", () => {
    const scopes = [{ representation: "o", raed: true }];
    const entry = { customerId, enable: true, scopes };
    expect(failuresOf({ keys: { a: entry }, defaults: { existingKey: "sk" } })).toEqual([
      "keys.a.scopes[0].raed: no such property. The properties are representation, create, read, update, del.",
      expect.stringMatching(
        /^keys\.a\.enable: no such property\. The properties are customerId, .*existingKey/,
      ),
      expect.stringMatching(/^defaults\.existingKey: no such property\. /),
    ]);
  });

  test("E2 the check of a set fails for an alias with an Output in it, and not for a name that objects inherit", () => {
    const output = "Calling [toString] on an [Output<T>] is not supported.";
    const names = [output, "constructor"];
    const keys = Object.fromEntries(names.map((alias) => [alias, { customerId }]));
    expect(failuresOf({ keys })).toEqual([
      expect.stringMatching(/: can't be an alias: an alias is not empty, has no Output /),
    ]);
  });

  test("E2 the check of a set fails for an alias that is empty or begins with __, and for a renamedFrom that is declared or named twice", () => {
    const of = (renamedFrom: string) => ({ customerId, renamedFrom });
    const plain = { customerId };
    const wrong =
      'can\'t be an alias: an alias is not empty, has no Output in it, and does not begin with "__".';
    expect(failuresOf({ keys: { "": plain, __a: plain } })).toEqual([
      `keys[""]: ${wrong}`,
      `keys.__a: ${wrong}`,
    ]);
    expect(failuresOf({ keys: { a: of("b"), b: plain, c: of("x"), d: of("x"), e: of("e") } })).toEqual([
      expect.stringMatching(/^keys\.a\.renamedFrom: an entry has or names this key/),
      expect.stringMatching(/^keys\.d\.renamedFrom: an entry has or names this key/),
      expect.stringMatching(/^keys\.e\.renamedFrom: an entry has or names this key/),
    ]);
  });

  test("K5 the check of a set fails for a change that existingKey does not allow, even under another alias or in defaults", () => {
    const a = { customerId, existingKey: "sk_old" };
    const before = { keys: { a, b: { customerId, existingKey: "sk_2" } } };
    const keys = { c: { existingKey: "sk_old", renamedFrom: "a" }, b: { existingKey: "sk_3" } };
    const stays = "can't change while the resource keeps an existing key";
    expect(failuresOf({ keys, defaults: { customerId: "cus_2" } }, before)).toEqual([
      expect.stringMatching(`^keys\\.c\\.customerId: ${stays}`),
    ]);
    expect(failuresOf({ keys: { a } }, { keys: { a: { ...a, metadata: { x: 1 } } } })).toEqual([
      expect.stringMatching(
        `^keys\\.a\\.metadata: ${stays}, [^()]*If no update has migrated or adopted it yet, run .*refresh`,
      ),
    ]);
    expect(failuresOf({ workspaceId: "ws_2", ...before }, before)).toEqual(
      ["a", "b"].map((alias) => expect.stringMatching(`^keys\\.${alias}\\.workspaceId: ${stays}, [^()]*$`)),
    );
  });
});
