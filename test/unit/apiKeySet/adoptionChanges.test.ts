import { describe, expect, test } from "vitest";
import { adoptingSet, adoptions, ids, type Kept, manyKeys } from "../adoptions";

describe("a set whose existingId changes", () => {
  test("K11 replaces an adopted key with a new one if a change that needs a new key leaves existingId out", async () => {
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

  test("K11 deletes the adopted key of an entry that is removed, though no other entry names a secret or an id", async () => {
    const { create, update, service } = manyKeys(1);
    const before = adoptingSet({ a: "key_0" }, { b: {} });
    const done = await update(await create(before), adoptingSet({}, { b: {}, c: {} }), before);
    expect(done.state["ids"]).toEqual({ b: "made_1", c: "made_2" });
    expect([...service.live.keys()]).toEqual(["made_1", "made_2"]);
  });

  const words =
    "can't change while existingId stays the same or is added, because only a new key can have another value; leave existingId out, and the update replaces the key with a new one; or, to adopt another key, declare that under a new name.";

  test("K11 fails the preview of a change that needs a new key while existingId stays the same or is added", () => {
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

  test("K11 fails an update that also changes keepers if an entry with another alias names the id", async () => {
    const { create, update, service, failureOf } = manyKeys(1);
    const before = adoptingSet({ a: "key_0" });
    const held = await create(before);
    const moved = adoptingSet({}, { b: { existingId: "key_0", keepers: { time: "1" } } });
    const { lines } = await failureOf(update(held, moved, before));
    expect(lines).toEqual([`"b": Nothing was changed: keepers: ${words}`]);
    expect([...service.live.keys()]).toEqual(["key_0"]);
  });

  test("K11 lets keepers change together with existingId, even if a failed update set another existingId", async () => {
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

  test("K11 sees no change if existingId is left out, and removes it from state with the next change", async () => {
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

  test("K11 adopts the key with the new id, and deletes the old key only after that", async () => {
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
      'Keys of workspace ws_1: 1 existing key to adopt, without its secret: "a"; 1 to delete: "a".',
    ]);
    expect(done.state["ids"]).toEqual({ a: "key_1" });
    expect([...service.live.keys()]).toEqual(["key_1"]);
  });

  test("K11 keeps the key if an entry with another alias names its id", async () => {
    const { create, update, service, asked } = manyKeys(1);
    const before = adoptingSet({ a: "key_0" });
    const held = await create(before);
    asked.length = 0;
    const done = await update(held, adoptingSet({ b: "key_0" }), before);
    expect(done.state["ids"]).toEqual({ b: "key_0" });
    expect([...service.live.keys()]).toEqual(["key_0"]);
    expect(asked.filter(({ method }) => method === "POST" || method === "DELETE")).toEqual([]);
  });

  test("K11 keeps a key that one entry adopts while the key's own entry adopts another", async () => {
    const { create, update, service } = manyKeys(3);
    const before = adoptingSet({ a: "key_0", b: "key_1" });
    const done = await update(await create(before), adoptingSet({ a: "key_1", b: "key_2" }), before);
    expect(done.state["ids"]).toEqual({ a: "key_1", b: "key_2" });
    expect([...service.live.keys()]).toEqual(["key_1", "key_2"]);
  });

  test.each([true, false])(
    "K11 keeps a key that was still to be deleted if an entry now adopts it (adoption fails: %s)",
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
});
