import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { apiKeySet, plan } from "../../../provider/resources/apiKeySet";
import { differing, type Meant } from "../apiKey/inputArbitraries";
import { offline } from "../offline";
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

/** The planned step of each key that is not left as it is. */
function steps(state: Record<string, unknown>, inputs: object): Record<string, string> {
  const all = plan({ id: "keys-1", state, inputs: checked(inputs), time: 0 }).steps;
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

describe("the preview of a set", () => {
  const told = (before: object, now: object, more: object = {}) => {
    const lines: string[] = [];
    const telling = offline(undefined, {}, apiKeySet, (line) => lines.push(line));
    telling.diff("keys-1", { ...made(before), ...more }, checked(now));
    return lines;
  };
  const keys = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`k${n}`, { customerId: `cus_${n}` }] as const),
  );
  const { k3, k29, ...others } = keys;
  const disabled = { customerId, enabled: false };

  test.each<[string, object, object, string | undefined]>([
    [
      "E1 the preview of a set names the keys that are replaced and those that are deleted",
      { keys: { ...others, k3: disabled, k4: { ...keys["k4"], enabled: false }, x: k3 } },
      {},
      '1 to replace, with a new secret: "k3"; 1 to delete: "k29".',
    ],
    [
      "E1 the preview of a set names the replaced keys that are still to be deleted, which the engine does not show",
      { keys },
      { toDelete: ["key_old"] },
      '1 already replaced, still to delete: "key_old".',
    ],
    [
      "E2 the preview of a set says that a key stays under a new alias, because the engine shows one removed and another added",
      { keys: { ...others, k29, moved: { ...k3, renamedFrom: "k3" }, x: { customerId } } },
      {},
      '1 to keep under a new alias: "moved".',
    ],
    [
      "E1 the preview of a set says nothing if every key keeps its secret",
      { keys, defaults: { enabled: false } },
      {},
      undefined,
    ],
    [
      "E1 the preview of a set says nothing if the engine shows all keys as replaced",
      { keys, workspaceId: "ws_2" },
      {},
      undefined,
    ],
    ["R15 the preview of a set says nothing of unknown keys", { keys: unknownSentinels[6] }, {}, undefined],
  ])("%s", (_what, now, more, line) => {
    expect(told({ keys }, now, more)).toEqual(line ? [line] : []);
  });
});

describe("the diff of a set", () => {
  test("R2 the diff of a set shows no change between two spellings of the same: in defaults or entries, in any order", () => {
    const twice = meantSet.chain((keys) => fc.tuple(writtenSet(keys), writtenSet(keys)));
    fc.assert(
      fc.property(twice, ([one, other]) => {
        expect(diffed(made(one), other)).toMatchObject(quiet);
      }),
    );
  });

  test("K1 K2 the diff of a set treats each key as an ApiKey, and leaves unchanged keys alone", () => {
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
        const { changes, replaces } = diffed(made(before), now);
        expect([changes === false, replaces]).toEqual([some.length === 0, []]);
      }),
    );
  });

  test("R10 E1 the diff of a set replaces the whole set only for another workspace", () => {
    const state = made({ keys: { a: { customerId } } });
    const moved = { workspaceId: "ws_2", keys: { a: { customerId } } };
    expect(diffed(state, moved)).toMatchObject({ changes: undefined, replaces: ["workspaceId"] });
  });

  test("E2: the diff of a set keeps a key under its new alias because of renamedFrom, and then needs renamedFrom no more", () => {
    const state = made({ keys: { old: { customerId, name: "n" }, other: { customerId } } });
    const other = { customerId };
    const renamed = { keys: { new: { customerId, name: "n", renamedFrom: "old" }, other } };
    expect(steps(state, renamed)).toEqual({ new: "rename" });
    expect(diffed(state, renamed)).toMatchObject(changed);
    // The name's default is the alias.
    expect(steps(state, { keys: { new: { customerId, renamedFrom: "old" }, other } })).toEqual({
      new: "update",
    });
    expect(diffed(made(renamed), renamed)).toMatchObject(quiet);
    expect(diffed(made(renamed), { keys: { new: { customerId, name: "n" }, other } })).toMatchObject(quiet);
    expect(steps(state, { keys: { new: { customerId, name: "n" }, other } })).toEqual({
      new: "create",
      old: "delete",
    });
    expect(steps(state, { keys: { new: { customerId, renamedFrom: "never" }, other } })).toEqual({
      new: "create",
      old: "delete",
    });
  });

  test("K5 the diff of a set shows no change if existingKey is left out later, and a replacement if it changes", () => {
    const keys = (existingKey?: string) => ({ keys: { a: { customerId, existingKey } } });
    const state = { ...made(keys("sk_old")), secrets: { a: "sk_old" } };
    expect(diffed(state, keys("sk_old"))).toMatchObject(quiet);
    expect(diffed(state, keys())).toMatchObject(quiet);
    expect(steps(state, keys("sk_new"))).toEqual({ a: "replace" });
  });

  test("K5 the diff of a set gives each key in state to one entry at most, whatever failed updates have left in state", () => {
    const existingKey = "sk_old";
    const state = (keys: Record<string, object>, secrets: Record<string, string>) => ({
      ...made({ keys }),
      secrets,
    });
    const plain = { customerId };
    const taken = { customerId, existingKey };
    const planned = (held: Record<string, unknown>, keys: object) => {
      const canonical = subject.check({ workspaceId: "ws_1", keys }, undefined).inputs;
      const all = plan({ id: "keys-1", state: held, inputs: canonical, time: 0 }).steps;
      return Object.fromEntries(all.map((step) => [step.alias, "key" in step ? step.key.id : step.op]));
    };
    const one = state({ a: plain }, { a: existingKey });
    // The first entry that names it gets it.
    const renamed = { customerId, renamedFrom: "a" };
    expect(planned(one, { x: taken, y: renamed })).toEqual({ x: "id of a", y: "create" });
    expect(planned(one, { y: renamed, z: renamed })).toEqual({ y: "id of a", z: "create" });
    // A key whose alias is still declared goes to no other entry.
    expect(planned(one, { x: taken, a: plain })).toEqual({ x: "create", a: "id of a" });
    // renamedFrom takes precedence over the value of another key.
    const two = state({ a: plain, b: plain }, { a: existingKey, b: "sk_other" });
    expect(planned(two, { x: { ...taken, renamedFrom: "b" } })).toEqual({ x: "id of b", a: "id of a" });
    // An entry keeps its own key, whatever other entries name.
    expect(planned(two, { b: renamed })).toEqual({ b: "id of b", a: "id of a" });
    const twice = state({ a: plain, z: plain }, { a: existingKey, z: existingKey });
    expect(planned(twice, { a: taken })).toEqual({ a: "id of a", z: "id of z" });
  });

  test("K6 the diff of a set asks for an update because of a lost secret, or a key that is still to be deleted", () => {
    const keys = { keys: { a: { customerId }, b: { customerId } } };
    const lost = { ...made(keys), __keys: { a: { __keyLost: true } } };
    expect(diffed(lost, keys)).toMatchObject({ changes: true, replaces: [] });
    expect(steps(lost, keys)).toEqual({ a: "replace" });
    const left = { ...made(keys), toDelete: ["key_9"] };
    expect(diffed(left, keys)).toMatchObject({ changes: true, replaces: [] });
    expect(steps(left, keys)).toEqual({});
  });

  test("R15 the diff of a set counts an unknown value as a change of that key only", () => {
    const state = made({
      keys: { a: { customerId }, b: { customerId, scopes: [] } },
      defaults: { enabled: true },
    });
    const b = { customerId };
    const [unknown] = unknownSentinels;
    const scopes = [{ representation: unknown, read: true }];
    for (const a of [
      unknown,
      { customerId: unknown },
      { customerId, name: unknown },
      { customerId, scopes },
    ]) {
      expect(diffed(state, { keys: { a, b } })).toMatchObject(changed);
      expect(Object.keys(steps(state, { keys: { a, b } }))).toEqual(["a"]);
    }
    const keys = { a: { customerId }, b };
    for (const inputs of [{ keys: unknown }, { keys, defaults: unknown }])
      expect(diffed(state, inputs)).toMatchObject(changed);
    expect(diffed(state, { workspaceId: unknown, keys }).replaces).toEqual(["workspaceId"]);
  });
});
