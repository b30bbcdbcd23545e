import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../provider/core/unknown";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { plan } from "../../provider/resources/apiKeySet/plan";
import { ownedKeys } from "../../provider/resources/apiKeySet/state";
import { differing, type Meant } from "./inputArbitraries";
import { offline } from "./offline";
import { meantSet, stateOfAll, writtenSet } from "./setArbitraries";

const subject = offline(undefined, {}, apiKeySet);
const customerId = "cus_1";

function checked(inputs: object): Record<string, unknown> {
  const { inputs: canonical, failures } = subject.check({ workspaceId: "ws_1", ...inputs }, undefined);
  expect(failures).toEqual([]);
  return canonical;
}
const made = (inputs: object) => stateOfAll(checked(inputs));
const diffed = (state: Record<string, unknown>, inputs: object) =>
  subject.diff("keys-1", state, checked(inputs));
const quiet = { changes: false, replaces: [] };
const changed = { changes: undefined, replaces: [] };

/** What is done with each key that something is done with. */
function steps(state: Record<string, unknown>, inputs: object): Record<string, string> {
  const all = plan(ownedKeys(state), checked(inputs)).steps;
  const told = all.map((step) => [
    step.alias,
    step.op === "same" && step.stateAlias !== step.alias ? "rename" : step.op,
  ]);
  return Object.fromEntries(told.filter(([, op]) => op !== "same"));
}

const replacing = ["customerId", "prefix", "expiresAt", "externalMeterId", "metadata", "keepers"];
function expected(before: Meant | undefined, now: Meant | undefined): string {
  if (before === undefined || now === undefined) return before === undefined ? "create" : "delete";
  const fields = differing(before, now);
  if (fields.length === 0) return "same";
  return fields.some((field) => replacing.includes(field)) ? "replace" : "update";
}

describe("what a preview says besides the fields that change", () => {
  const told = (before: object, now: object) => {
    const lines: string[] = [];
    const telling = offline(undefined, {}, apiKeySet, (line) => lines.push(line));
    telling.diff("keys-1", made(before), checked(now));
    return lines;
  };
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, { customerId: `cus_${n}` }]));
  const keys = entries(30);

  test("the keys whose secrets end: those that are replaced, and those that are deleted", () => {
    const { k29: _, ...others } = keys;
    const now = {
      ...others,
      k3: { customerId, enabled: false },
      k4: { ...keys["k4"], enabled: false },
      x: keys["k3"],
    };
    expect(told({ keys }, { keys: now })).toEqual([
      'Keys of workspace ws_1: 1 to replace, with a new secret: "k3"; 1 to delete: "k29".',
    ]);
    const rotated = told({ keys }, { keys, defaults: { keepers: { month: "june" } } });
    expect(rotated).toEqual([expect.stringMatching(/: 30 to replace, .*: "k0", .*"k19" and 10 more\.$/)]);
  });

  test("R15 of a key that only unknown values may replace, that they may not", () => {
    const customer = { customerId: unknownSentinels[0] };
    expect(told({ keys }, { keys: { ...keys, k0: customer } })).toEqual([
      'Keys of workspace ws_1: 1 to replace if its unknown values change: "k0".',
    ]);
    const now = { ...keys, k0: { ...customer, prefix: "new" }, k1: { ...keys["k1"], prefix: "new" } };
    const defaults = { keepers: { seen: unknownSentinels[0] } };
    expect(told({ keys }, { keys: now, defaults })).toEqual([
      expect.stringMatching(/: 2 to replace, with .*: "k0", "k1"; 28 to replace if their unknown .*: "k2", /),
    ]);
  });

  test("the keys that are still to be deleted, which the engine shows nothing of", () => {
    const lines: string[] = [];
    const telling = offline(undefined, {}, apiKeySet, (line) => lines.push(line));
    const state = { ...made({ keys }), __toDelete: [{ id: "key_old", name: 'Key "0"', alias: "k0" }] };
    expect(telling.diff("keys-1", state, checked({ keys }))).toEqual({ changes: true, replaces: [] });
    expect(lines).toEqual(['Keys of workspace ws_1: 1 already replaced, still to delete: "Key \\"0\\"".']);
  });

  test("no key as deleted while it may be the one of a former alias that is not known yet", () => {
    const { k3, k4, ...others } = keys;
    const renamedFrom = unknownSentinels[0];
    expect(told({ keys }, { keys: { ...others, k4, moved: { ...k3, renamedFrom } } })).toEqual([]);
    const replaced = { ...k4, prefix: "new" };
    expect(told({ keys }, { keys: { ...others, k4: replaced, moved: { ...k3, renamedFrom } } })).toEqual([
      'Keys of workspace ws_1: 1 to replace, with a new secret: "k4".',
    ]);
  });

  test("that a key stays under a new alias, which the engine shows as one removed and another added", () => {
    const { k3, ...others } = keys;
    expect(
      told({ keys }, { keys: { ...others, moved: { ...k3, renamedFrom: "k3" }, x: { customerId } } }),
    ).toEqual(['Keys of workspace ws_1: 1 to keep under a new alias: "moved".']);
  });

  test("nothing where no secret ends, or where the engine shows that all of them do", () => {
    expect(told({ keys }, { keys, defaults: { enabled: false } })).toEqual([]);
    expect(told({ keys }, { keys })).toEqual([]);
    expect(told({ keys }, { keys, workspaceId: "ws_2" })).toEqual([]);
    expect(told({ keys }, { keys: unknownSentinels[6] })).toEqual([]);
  });
});

describe("what a change of the program does to a set", () => {
  test("R2 nothing, if it means the same: by defaults or by entry, in any order and spelling", () => {
    const twice = meantSet.chain((keys) => fc.tuple(writtenSet(keys), writtenSet(keys)));
    fc.assert(
      fc.property(twice, ([one, other]) => {
        expect(diffed(made(one), other)).toEqual(quiet);
      }),
    );
  });

  test("K1 K2 to each key what it would do to an ApiKey, and to the others nothing", () => {
    const pairs = fc
      .tuple(meantSet, meantSet)
      .chain(([left, right]) =>
        fc.tuple(fc.constant([left, right] as const), writtenSet(left), writtenSet(right)),
      );
    fc.assert(
      fc.property(pairs, ([[left, right], before, now]) => {
        const aliases = [...new Set([...left.keys(), ...right.keys()])];
        const meant = aliases.map((alias) => [alias, expected(left.get(alias), right.get(alias))] as const);
        const some = meant.filter(([, op]) => op !== "same");
        expect(steps(made(before), now)).toEqual(Object.fromEntries(some));
        expect(diffed(made(before), now)).toEqual(some.length === 0 ? quiet : changed);
      }),
    );
  });

  test("only another workspace replaces the set", () => {
    const state = made({ keys: { a: { customerId } } });
    const moved = { workspaceId: "ws_2", keys: { a: { customerId } } };
    expect(diffed(state, moved)).toEqual({ changes: undefined, replaces: ["workspaceId"] });
  });

  test("renamedFrom keeps the key under its new alias, once", () => {
    const state = made({ keys: { old: { customerId, name: "n" }, other: { customerId } } });
    const other = { customerId };
    const renamed = { keys: { new: { customerId, name: "n", renamedFrom: "old" }, other } };
    expect(steps(state, renamed)).toEqual({ new: "rename" });
    expect(diffed(state, renamed)).toEqual(changed);
    // The name's default is the alias.
    expect(steps(state, { keys: { new: { customerId, renamedFrom: "old" }, other } })).toEqual({
      new: "update",
    });
    expect(diffed(made(renamed), renamed)).toEqual(quiet);
    expect(diffed(made(renamed), { keys: { new: { customerId, name: "n" }, other } })).toEqual(quiet);
    expect(steps(state, { keys: { new: { customerId, name: "n" }, other } })).toEqual({
      new: "create",
      old: "delete",
    });
    expect(steps(state, { keys: { new: { customerId, renamedFrom: "never" }, other } })).toEqual({
      ...{ new: "create", old: "delete" },
    });
  });

  test("K5 leaving existingKey out later is no change, another one is another key", () => {
    const keys = (existingKey?: string) => ({ keys: { a: { customerId, existingKey } } });
    const { existingKey: _, ...entry } = (checked(keys("sk_old"))["keys"] as { a: Record<string, unknown> })
      .a;
    const state = {
      ...made(keys("sk_old")),
      keys: { a: entry },
      secrets: { a: "sk_old" },
      __migrated: ["a"],
    };
    expect(diffed(state, keys("sk_old"))).toEqual(quiet);
    expect(diffed(state, keys())).toEqual(quiet);
    expect(steps(state, keys("sk_new"))).toEqual({ a: "replace" });
  });

  test("K5 each key of before goes to one entry at most, whichever the failed updates in between left", () => {
    const existingKey = "sk_old";
    const state = (keys: Record<string, object>, secrets: Record<string, string>) => ({
      ...made({ keys }),
      secrets,
      __migrated: Object.keys(secrets),
    });
    const plain = { customerId };
    const taken = { customerId, existingKey };
    const planned = (held: Record<string, unknown>, keys: object) => {
      const canonical = subject.check({ workspaceId: "ws_1", keys }, undefined).inputs;
      const all = plan(ownedKeys(held), canonical).steps;
      return Object.fromEntries(all.map((step) => [step.alias, "key" in step ? step.key.id : step.op]));
    };
    const one = state({ a: plain }, { a: existingKey });
    // The one that names it has it, not the one with its value, in any order.
    const renamed = { customerId, renamedFrom: "a" };
    expect(planned(one, { x: taken, y: renamed })).toEqual({ x: "create", y: "id of a" });
    expect(planned(one, { y: renamed, z: renamed })).toEqual({ y: "id of a", z: "create" });
    // What is still declared goes to nobody else.
    expect(planned(one, { x: taken, a: plain })).toEqual({ x: "create", a: "id of a" });
    // A name that the entry once had counts for more than a value that stands elsewhere.
    const two = state({ a: plain, b: plain }, { a: existingKey, b: "sk_other" });
    expect(planned(two, { x: { ...taken, renamedFrom: "b" } })).toEqual({ x: "id of b", a: "id of a" });
    // An entry keeps its own, whoever else has had its name or its value.
    expect(planned(two, { b: renamed })).toEqual({ b: "id of b", a: "id of a" });
    const twice = state({ a: plain, z: plain }, { a: existingKey, z: existingKey });
    expect(planned(twice, { a: taken })).toEqual({ a: "id of a", z: "id of z" });
  });

  test("K6 a lost secret, or a key that is still to be deleted, asks for an update by itself", () => {
    const keys = { keys: { a: { customerId }, b: { customerId } } };
    const lost = { ...made(keys), __keyLost: ["a"] };
    expect(diffed(lost, keys)).toEqual({ changes: true, replaces: [] });
    expect(steps(lost, keys)).toEqual({ a: "replace" });
    const left = { ...made(keys), __toDelete: [{ id: "key_9", name: "x" }] };
    expect(diffed(left, keys)).toEqual({ changes: true, replaces: [] });
    expect(steps(left, keys)).toEqual({});
  });

  test("R15 an unknown value anywhere is a change, and touches no other key", () => {
    const state = made({
      keys: { a: { customerId }, b: { customerId, scopes: [] } },
      defaults: { enabled: true },
    });
    const b = { customerId };
    for (const unknown of unknownSentinels) {
      for (const inputs of [
        { keys: { a: { customerId: unknown }, b } },
        { keys: { a: { customerId, name: unknown }, b } },
        { keys: { a: unknown, b } },
        { keys: { a: { customerId, scopes: [{ representation: unknown, read: true }] }, b } },
      ]) {
        expect(diffed(state, inputs)).toEqual(changed);
        expect(Object.keys(steps(state, inputs))).toEqual(["a"]);
      }
      expect(diffed(state, { keys: unknown })).toEqual(changed);
      expect(diffed(state, { keys: { a: { customerId }, b }, defaults: unknown })).toEqual(changed);
      expect(diffed(state, { workspaceId: unknown, keys: { a: { customerId }, b } })).toEqual({
        changes: undefined,
        replaces: ["workspaceId"],
      });
    }
  });
});
