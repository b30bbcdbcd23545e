import { describe, expect, test } from "vitest";
import { openRun } from "../../provider/core/run";
import { unknownSentinels } from "../../provider/core/unknown";
import { adopting, adoptingSet, adoptions, type Kept, type Properties, type Trouble } from "./adoptions";
import { idIn } from "./replying";

const ids = (count: number, prefix = "k") =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`${prefix}${place}`, `key_${place}`]));

/** A service with so many keys, and runs of the engine with one set. */
function manyKeys(count: number, trouble: Trouble = {}) {
  const world = adoptions(trouble);
  for (const id of Object.values(ids(count))) world.service.add({ id });
  const create = async (inputs: Properties): Promise<Kept> => {
    const { sets } = world.process();
    return sets.create(sets.checked(inputs));
  };
  /** One update in a process of its own, and what its preview says. */
  const update = async ({ id, state }: Kept, inputs: Properties, before: Properties) => {
    const { sets } = world.process();
    const checked = sets.checked(inputs, world.process().sets.checked(before));
    const { changes } = sets.diff(id, state, checked);
    const kept = { id, state: changes === false ? state : await sets.update(id, state, checked) };
    return { ...kept, changes, notes: sets.progress, warnings: sets.warnings };
  };
  const counted = () => {
    const kinds = Map.groupBy(world.asked, (one) =>
      one.method === "GET" && idIn(one) === "api-key" ? "LIST" : one.method,
    );
    return Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]));
  };
  return { ...world, create, update, counted };
}

describe("a set that adopts keys", () => {
  test("K11 adopts many into one that has others, with no POST, no PATCH and no DELETE", async () => {
    const { create, update, counted, asked } = manyKeys(60);
    const others = Object.fromEntries(Array.from({ length: 40 }, (_, place) => [`own${place}`, {}]));
    const before = adoptingSet({}, others);
    const held = await create(before);
    asked.length = 0;
    const inputs = adoptingSet(ids(60), others);
    const done = await update(held, inputs, before);
    expect(done.notes[0]).toMatch(
      /^Keys of workspace ws_1: 60 existing keys to adopt, without their secrets: "k0", .* and 40 more\.$/,
    );
    expect(counted()).toEqual({ GET: 60 });
    expect(Object.keys(done.state["secrets"] as object)).toHaveLength(40);
    expect((await update(done, inputs, inputs)).changes).toBe(false);
  });

  test("K11 R6 a list that still has a deleted key does not make it one that was adopted", async () => {
    const { create, service, failureOf } = manyKeys(0, {
      odd: (one) =>
        idIn(one) === "api-key" && one.method === "GET"
          ? { apiKeys: [...service.live.values(), { ...service.live.get("key_0"), id: "key_9" }] }
          : undefined,
    });
    for (const id of Object.values(ids(2))) service.add({ id });
    for (const enabled of [true, false]) {
      const inputs = adoptingSet({ ...ids(2), gone: "key_9" });
      const failure = await failureOf(
        create({ ...inputs, defaults: { ...(inputs["defaults"] as object), enabled } }),
      );
      expect(failure.message).toMatch(/^Creating the keys of workspace ws_1: 1 of 3 failed/);
      expect(failure.lines[0]).toContain("key_9");
      expect(Object.keys(failure.kept?.state["ids"] as object)).toEqual(["k0", "k1"]);
    }
  });

  test("K11 keys that can't be adopted stop no other, and the next update does the rest", async () => {
    const { create, update, service, failureOf } = manyKeys(2);
    const inputs = adoptingSet({ ...ids(2), gone: "key_9" });
    const { kept, lines } = await failureOf(create(inputs));
    expect(lines).toEqual([
      '"gone": Adopting key "ci" in workspace ws_1 (key_9): the workspace has no such key, or the key was deleted. Nothing was changed. Check existingId and workspaceId; to create a new key instead, leave existingId out.',
    ]);
    service.add({ id: "key_9" });
    const done = await update(kept as Kept, inputs, inputs);
    expect(done.state["ids"]).toEqual({ ...ids(2), gone: "key_9" });
  });

  test("K11 what was adopted is replaced by a new key where existingId is left out", async () => {
    const { create, update, service, counted, asked } = manyKeys(2);
    const before = adoptingSet(ids(2));
    const held = await create(before);
    asked.length = 0;
    const inputs = adoptingSet({ k1: "key_1" }, { k0: { keepers: { time: "1" } } });
    const done = await update(held, inputs, before);
    expect(done.notes).toEqual(['Keys of workspace ws_1: 1 to replace, with a new secret: "k0".']);
    expect(counted()).toMatchObject({ POST: 1, DELETE: 1 });
    expect(done.state).toMatchObject({
      ids: { k0: "made_1", k1: "key_1" },
      secrets: { k0: "sk_made_1" },
      keys: { k0: { keepers: { time: "1" } } },
    });
    expect([...service.live.keys()]).toEqual(["key_1", "made_1"]);
  });

  const words =
    "can't change while existingId stays the same or is added, because only a new key can have another value; leave existingId out, and the update replaces the key with a new one; or, to adopt another key, declare that under a new name.";

  test("K11 what needs a new key can't change while existingId stays the same, or is added", () => {
    const { sets } = adoptions();
    const told = (name: string) =>
      `${name} ${words} If no update has migrated or adopted it yet, run \`pulumi up --refresh\`.`;
    const rotated = adoptingSet({}, { a: { existingId: "key_0", keepers: { time: "1" } } });
    for (const before of [adoptingSet({ a: "key_0" }), adoptingSet({}, { a: {} })]) {
      expect(sets.check(rotated, before).failures).toEqual([told("keys.a.keepers:")]);
      const moved = { ...adoptingSet({ a: "key_0" }), workspaceId: "ws_2" };
      expect(sets.check(moved, before).failures).toEqual([told("keys.a: workspaceId")]);
    }
    expect(sets.check(rotated, adoptingSet({ a: "key_1" })).failures).toEqual([]);
    expect(sets.check(rotated, adoptingSet({})).failures).toEqual([]);
  });

  test("K11 nor where check can't see that the id is that of the key, which stays", async () => {
    const { create, update, service, failureOf } = manyKeys(1);
    const before = adoptingSet({ a: "key_0" });
    const held = await create(before);
    const moved = adoptingSet({}, { b: { existingId: "key_0", keepers: { time: "1" } } });
    const { lines } = await failureOf(update(held, moved, before));
    expect(lines).toEqual([`"b": Nothing was changed: keepers: ${words}`]);
    expect([...service.live.keys()]).toEqual(["key_0"]);
  });

  test("K11 an id that a failed update added doesn't keep another from being adopted with a change", async () => {
    const { create, update, service, failureOf } = manyKeys(1);
    const before = adoptingSet({}, { a: {} });
    const held = await create(before);
    const missing = adoptingSet({ a: "key_9" });
    const { kept } = await failureOf(update(held, missing, before));
    const inputs = adoptingSet({}, { a: { existingId: "key_0", keepers: { time: "1" } } });
    const done = await update(kept as Kept, inputs, missing);
    expect(done.state["ids"]).toEqual({ a: "key_0" });
    expect([...service.live.keys()]).toEqual(["key_0"]);
  });

  test("K11 leaving existingId out is no change, and leaves no trace once something else changes", async () => {
    const { create, update, service } = manyKeys(2);
    const before = adoptingSet(ids(2));
    const held = await create(before);
    const without = adoptingSet({}, { k0: {}, k1: {} });
    expect((await update(held, without, before)).changes).toBe(false);
    const changed = adoptingSet({}, { k0: {}, k1: { enabled: false } });
    const done = await update(held, changed, without);
    expect(done.state["keys"]).toEqual({ k0: {}, k1: { enabled: false } });
    expect(done.state["ids"]).toEqual(ids(2));
    expect([...service.live.keys()]).toEqual(["key_0", "key_1"]);
    const named = adoptingSet({ k0: "key_0" }, { k1: { enabled: false } });
    expect((await update(done, named, changed)).changes).toBe(false);
  });

  test("K11 another id is adopted in place of the key, which is deleted only then", async () => {
    const { create, update, service, process, failureOf } = manyKeys(2);
    const before = adoptingSet({ a: "key_0" });
    const held = await create(before);
    const missing = adoptingSet({ a: "key_9" });
    const { sets } = process();
    const inputs = sets.checked(missing, process().sets.checked(before));
    const { kept } = await failureOf(sets.update(held.id, held.state, inputs));
    expect(kept?.state).toMatchObject({ ids: { a: "key_0" }, keys: { a: { existingId: "key_0" } } });
    expect(service.live.size).toBe(2);
    const done = await update(kept as Kept, adoptingSet({ a: "key_1" }), missing);
    expect(done.notes).toEqual([
      'Keys of workspace ws_1: 1 existing key to adopt, without its secret: "a"; 1 to delete, with another key adopted in its place: "a".',
    ]);
    expect(done.state["ids"]).toEqual({ a: "key_1" });
    expect([...service.live.keys()]).toEqual(["key_1"]);
  });

  test("K11 an entry of another alias keeps the key that its id names", async () => {
    const { create, update, service, asked } = manyKeys(1);
    const before = adoptingSet({ a: "key_0" });
    const held = await create(before);
    asked.length = 0;
    const done = await update(held, adoptingSet({ b: "key_0" }), before);
    expect(done.state["ids"]).toEqual({ b: "key_0" });
    expect([...service.live.keys()]).toEqual(["key_0"]);
    expect(asked.filter(({ method }) => method === "POST" || method === "DELETE")).toEqual([]);
  });

  test("K11 the id of another entry's key fails this entry, and no key is lost", async () => {
    const { create, update, service, failureOf } = manyKeys(1);
    const before = adoptingSet({ a: "key_0" });
    const held = await create(before);
    const without = adoptingSet({}, { a: {} });
    const inputs = adoptingSet({ b: "key_0" }, { a: {} });
    const { lines } = await failureOf(update(held, inputs, without));
    expect(lines).toEqual([
      '"b": Nothing was changed: existingId: is the id of the key "a" of this set, and one key can\'t have two entries; leave it out, or replace the entry "a" by renamedFrom: "a" here.',
    ]);
    expect([...service.live.keys()]).toEqual(["key_0"]);
  });

  test("K11 a key that another entry is to adopt stays when its own entry adopts the next", async () => {
    const { create, update, service, process, failureOf } = manyKeys(3);
    const held = await create(adoptingSet({ a: "key_0", b: "key_1" }));
    const inputs = adoptingSet({ a: "key_1", b: "key_2" });
    const checked = process().sets.check(inputs, adoptingSet({ a: "key_0", b: "key_1" }));
    expect(checked.failures).toEqual([
      'keys.a.existingId: the key with this id belongs to the entry "b"; keep it there, or move it to an unused alias. If an update failed halfway since then, run `pulumi up --refresh`.',
    ]);
    // An alias that is new may take a key whose own alias takes another.
    const moved = adoptingSet({ c: "key_1", b: "key_2" }, { a: {} });
    const { kept } = await failureOf(update(held, moved, adoptingSet({ a: "key_0", b: "key_1" })));
    expect([...service.live.keys()]).toEqual(["key_0", "key_1", "key_2"]);
    const done = await update(kept as Kept, moved, moved);
    expect(done.state["ids"]).toEqual({ a: "key_0", b: "key_2", c: "key_1" });
    expect([...service.live.keys()]).toEqual(["key_0", "key_1", "key_2"]);
  });

  test.each([true, false])(
    "K11 a key that was still to be deleted, and is adopted now, stays (adoption fails: %s)",
    async (fails) => {
      const { create, update, service, failureOf } = manyKeys(1);
      const before = adoptingSet({}, { a: {} });
      const held = await create(before);
      const state = { ...held.state, __toDelete: [{ id: "key_0", name: "ci" }] };
      const entry = { existingId: "key_0", ...(fails && { customerId: "cus_2" }) };
      const updating = update({ ...held, state }, adoptingSet({}, { a: {}, b: entry }), before);
      if (fails) await failureOf(updating);
      else expect((await updating).state["ids"]).toEqual({ a: "made_1", b: "key_0" });
      expect([...service.live.keys()]).toEqual(["key_0", "made_1"]);
    },
  );

  test("K11 a key that an ApiKey had stays when the set adopts it and the ApiKey goes", async () => {
    const { process, service } = manyKeys(1);
    const { keys } = process();
    const single = await keys.create(keys.checked(adopting({ existingId: "key_0" })));
    const { keys: singles, sets } = process();
    const held = await sets.create(sets.checked(adoptingSet({ a: "key_0" })));
    await singles.delete(single.id, single.state);
    expect([...service.live.keys()]).toEqual(["key_0"]);
    const next = process();
    next.sets.diff(
      held.id,
      held.state,
      next.sets.checked(adoptingSet({ a: "key_0" }), adoptingSet({ a: "key_0" })),
    );
    await next.sets.delete(held.id, held.state);
    expect(service.live.size).toBe(0);
  });

  test("K11 a set that the engine replaces as a whole adopts the same keys again", async () => {
    const { create, process, service, asked } = manyKeys(3);
    const inputs = adoptingSet(ids(3));
    const held = await create(inputs);
    asked.length = 0;
    const { sets } = process();
    sets.diff(held.id, held.state, sets.checked(inputs, process().sets.checked(inputs)));
    const next = await sets.create(sets.checked(inputs));
    await sets.delete(held.id, held.state);
    expect(next.state["ids"]).toEqual(held.state["ids"]);
    expect(asked.every(({ method }) => method === "GET")).toBe(true);
    expect(service.live.size).toBe(3);
  });

  test.each(["create", "update"])(
    "K11 a %s that no state will hold deletes no adopted key",
    async (operation) => {
      let isOver = false;
      const run = openRun({ ask: async () => (isOver ? "the test ended it" : undefined) });
      const { create, update, service, failureOf } = manyKeys(2, { run });
      const before = adoptingSet({}, { own: {} });
      const held = await create(before);
      isOver = true;
      const inputs = adoptingSet(ids(2), { own: {}, more: {} });
      const { message } = await failureOf(
        operation === "create" ? create(inputs) : update(held, inputs, before),
      );
      expect(message).toMatch(/^The result could not be saved to state because the test ended it/);
      expect([...service.live.keys()]).toEqual(["key_0", "key_1", "made_1"]);
    },
  );

  test("K11 what an adopted key keeps as it is can't come from defaults either", () => {
    const { sets } = adoptions();
    const inputs = {
      ...adoptingSet({ a: "key_0" }),
      defaults: { customerId: "c", scopes: [], prefix: "p", metadata: { a: 1 } },
    };
    expect(sets.check(inputs, undefined).failures).toEqual(
      ["prefix", "metadata"].map(
        (name) =>
          `keys.a.${name}: can't be combined with existingId, because an adopted key keeps its own; leave it out (this value comes from defaults; override it in the entry, or set null there for no value).`,
      ),
    );
    const keys = { a: { existingId: "key_0", prefix: null, metadata: null } };
    expect(sets.check({ ...inputs, keys }, undefined).failures).toEqual([]);
    expect(sets.check({ ...inputs, defaults: { existingId: "key_0" } }, undefined).failures[0]).toMatch(
      /^defaults.existingId: no such property/,
    );
  });

  test("K11 R18 what is promised of a key to be adopted is its id, and no secret", () => {
    const { sets } = adoptions();
    const inputs = sets.checked(adoptingSet({ a: "key_0" }, { b: {} }));
    expect(sets.progress).toEqual([
      'Keys of workspace ws_1: 1 existing key to adopt, without its secret: "a".',
    ]);
    const { ids: promised, secrets, maskedKeys } = sets.foresee(inputs);
    expect(promised).toMatchObject({ a: "key_0" });
    expect(Object.keys(secrets as object)).toEqual(["b"]);
    expect(unknownSentinels).toContain((maskedKeys as Properties)["a"]);
    const unknown = adoptingSet({ a: unknownSentinels[0] as string });
    expect(unknownSentinels).toContain((sets.foresee(sets.checked(unknown))["ids"] as Properties)["a"]);
  });
});
