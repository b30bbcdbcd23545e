import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { adopting, adoptingSet, adoptions, ids, type Kept, manyKeys, type Properties } from "../adoptions";
import { asks } from "../keyService";
import { failureOf } from "../replying";

describe("a set that adopts keys", () => {
  test("K11 a set adds many existing keys to its own, with no POST, no PATCH and no DELETE", async () => {
    const { create, update, counted, asked } = manyKeys(60);
    const others = Object.fromEntries(Array.from({ length: 40 }, (_, place) => [`own${place}`, {}]));
    const before = adoptingSet({}, others);
    const held = await create(before);
    asked.length = 0;
    const inputs = adoptingSet(ids(60), others);
    const done = await update(held, inputs, before);
    expect(done.notes[0]).toMatch(/^60 to adopt, without a secret: "k0", .* and 40 more\.$/);
    expect(counted()).toEqual({ GET: 60 });
    expect(Object.keys(done.state["secrets"] as object)).toHaveLength(40);
    expect((await update(done, inputs, inputs)).changes).toBe(false);
  });

  test("K11 R6 a set does not adopt a deleted key that the list still contains", async () => {
    const { create, service } = manyKeys(2);
    const listed = { apiKeys: [...service.live.values(), { ...service.live.get("key_0"), id: "key_9" }] };
    service.always(asks("GET", "api-key"), () => listed);
    for (const enabled of [true, false]) {
      const inputs = adoptingSet({ ...ids(2), gone: "key_9" });
      const failure = await failureOf(
        create({ ...inputs, defaults: { ...(inputs["defaults"] as object), enabled } }),
      );
      expect(failure.message).toMatch(/^Creating the keys of workspace ws_1: 1 of 3 failed/);
      expect(failure.options.lines?.[0]).toContain("key_9");
      expect(Object.keys(failure.kept?.state["ids"] as object)).toEqual(["k0", "k1"]);
    }
  });

  test("K11 a set adopts the others if one can't be adopted, and the next update adopts that one", async () => {
    const { create, update, service } = manyKeys(2);
    const inputs = adoptingSet({ ...ids(2), gone: "key_9" });
    const {
      kept,
      options: { lines },
    } = await failureOf(create(inputs));
    expect(lines).toEqual([
      '"gone": Adopting key "ci" in workspace ws_1 (key_9): the workspace has no such key, or the key was deleted. Check existingId, which is an id without a workspace, and workspaceId; to create a new key instead, leave existingId out.',
    ]);
    service.add({ id: "key_9" });
    const done = await update(kept as Kept, inputs, inputs);
    expect(done.state["ids"]).toEqual({ ...ids(2), gone: "key_9" });
  });

  test("K11 a set fails the preview if defaults set a field that an adopted key keeps", () => {
    const { sets } = adoptions();
    const inputs = {
      ...adoptingSet({ a: "key_0" }),
      defaults: { customerId: "c", scopes: [], prefix: "p", metadata: { a: 1 } },
    };
    expect(sets.check(inputs, undefined).failures).toEqual(
      ["prefix", "metadata"].map(
        (name) =>
          `keys.a.${name}: can't be combined with existingId, because an adopted key keeps its own; leave it out. A value in defaults counts too, unless the entry has its own, or null.`,
      ),
    );
    const keys = { a: { existingId: "key_0", prefix: null, metadata: null } };
    expect(sets.check({ ...inputs, keys }, undefined).failures).toEqual([]);
    expect(sets.check({ ...inputs, defaults: { existingId: "key_0" } }, undefined).failures[0]).toMatch(
      /^defaults.existingId: no such property/,
    );
  });

  test("K11 R18 a set promises in the preview the id of a key to be adopted, and no secret", () => {
    const { sets } = adoptions();
    const inputs = sets.checked(adoptingSet({ a: "key_0" }, { b: {} }));
    expect(sets.notes).toEqual(['ApiKeySet "ci": 1 to adopt, without a secret: "a".']);
    const { ids: promised, secrets, maskedKeys } = sets.preview(inputs);
    expect(promised).toMatchObject({ a: "key_0" });
    expect(Object.keys(secrets as object)).toEqual(["b"]);
    expect(unknownSentinels).toContain((maskedKeys as Properties)["a"]);
    const unknown = adoptingSet({ a: unknownSentinels[0] as string });
    expect(unknownSentinels).toContain((sets.preview(sets.checked(unknown))["ids"] as Properties)["a"]);
  });
});

describe("a set whose existingId changes", () => {
  const rotated = { keepers: { time: "1" } };

  test.each<[string, Properties, Properties, Properties, readonly string[]]>([
    [
      "replaces an adopted key with a new one if a change that needs one leaves existingId out",
      adoptingSet(ids(2)),
      adoptingSet({ k1: "key_1" }, { k0: rotated }),
      { k0: "made_1", k1: "key_1" },
      ["key_1", "key_2", "made_1"],
    ],
    [
      "deletes the adopted key of an entry that is removed, though no other entry names a secret or an id",
      adoptingSet({ a: "key_0" }, { b: {} }),
      adoptingSet({}, { b: {}, c: {} }),
      { b: "made_1", c: "made_2" },
      ["key_1", "key_2", "made_1", "made_2"],
    ],
    [
      "keeps the key if an entry with another alias names its id",
      adoptingSet({ a: "key_0", k1: "key_1" }),
      adoptingSet({ b: "key_0", k1: "key_1" }),
      { b: "key_0", k1: "key_1" },
      ["key_0", "key_1", "key_2"],
    ],
    [
      "keeps a key that one entry adopts while the key's own entry adopts another",
      adoptingSet({ a: "key_0", b: "key_1" }),
      adoptingSet({ a: "key_1", b: "key_2" }),
      { a: "key_1", b: "key_2" },
      ["key_1", "key_2"],
    ],
    [
      "creates and replaces keys beside an adopted one, which has no secret",
      adoptingSet({ a: "key_0" }, { b: {} }),
      adoptingSet({ a: "key_0" }, { b: rotated, c: {} }),
      { a: "key_0", b: "made_2", c: "made_3" },
      ["key_0", "key_1", "key_2", "made_2", "made_3"],
    ],
  ])("K11 a set %s", async (_what, before, inputs, expected, live) => {
    const { create, update, there } = manyKeys(3);
    const held = await create(before);
    const were = there();
    const done = await update(held, inputs, before);
    const said = [...done.notes.join().matchAll(/(\d+) to (?:delete|replace)/g)];
    const gone = were.filter((id) => !there().includes(id));
    expect(said.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(gone.length);
    expect([done.state["ids"], there()]).toEqual([expected, live]);
    expect((await update(done, inputs, inputs)).changes).toBe(false);
  });

  const words =
    "can't change while the resource keeps an existing key, because only a new key can have another value. Leave existingKey and existingId out, and the update creates a new key and deletes this one.";

  test("K11 a set fails the preview of a change that needs a new key while existingId stays the same or is added", () => {
    const { sets } = adoptions();
    const told = (name: string) =>
      `${name} ${words} If no update has migrated or adopted it yet, run \`pulumi up --refresh\`.`;
    const changed = adoptingSet({}, { a: { existingId: "key_0", ...rotated } });
    for (const before of [adoptingSet({ a: "key_0" }), adoptingSet({}, { a: {} })]) {
      expect(sets.check(changed, before).failures).toEqual([told("keys.a.keepers:")]);
      const moved = { ...adoptingSet({ a: "key_0" }), workspaceId: "ws_2" };
      expect(sets.check(moved, before).failures).toEqual([told("keys.a.workspaceId:")]);
    }
    for (const before of [adoptingSet({ a: "key_1" }), adoptingSet({})])
      expect(sets.check(changed, before).failures).toEqual([]);
  });

  const twice =
    "an entry has or names this key already, and one key can't have two entries; leave it out here, or remove the other entry.";

  test.each([
    [
      "with another alias, and its keepers",
      { b: { existingId: "key_0", ...rotated } },
      `keys.b.keepers: ${words}`,
    ],
    ["in a second entry", { a: {}, b: { existingId: "key_0" } }, `keys.b.existingId: ${twice}`],
    ["by its value in a second entry", { a: {}, b: { existingKey: "sk_0" } }, `keys.b.existingKey: ${twice}`],
  ])("K11 a set fails the preview of an update which names a key of its own %s", async (_, keys, problem) => {
    const before = adoptingSet({ a: "key_0" });
    const { create, process, there, asked } = manyKeys(1);
    const { id, state } = await create(before);
    asked.length = 0;
    const { sets } = process();
    const held = { ...state, secrets: { a: "sk_0" } };
    const inputs = sets.checked(adoptingSet({}, keys), before);
    expect(() => sets.diff(id, held, inputs)).toThrow(problem);
    const { headline } = await failureOf(sets.update(id, held, inputs));
    expect(headline).toBe(`The resource can't be updated: ${problem}`);
    expect([there(), asked]).toEqual([["key_0"], []]);
  });

  test("K11 a set sees no change if existingId is left out, and removes it from state with the next change", async () => {
    const { create, update, there } = manyKeys(2);
    const before = adoptingSet(ids(2));
    const held = await create(before);
    const without = adoptingSet({}, { k0: {}, k1: {} });
    expect((await update(held, without, before)).changes).toBe(false);
    const changed = adoptingSet({}, { k0: {}, k1: { enabled: false } });
    const done = await update(held, changed, without);
    expect(done.state["keys"]).toEqual({ k0: {}, k1: { enabled: false } });
    expect([done.state["ids"], there()]).toEqual([ids(2), ["key_0", "key_1"]]);
    const named = adoptingSet({ k0: "key_0" }, { k1: { enabled: false } });
    expect((await update(done, named, changed)).changes).toBe(false);
  });

  test("K11 a set adopts the key with the new id, even if keepers change too, and deletes the old key only after that", async () => {
    const { create, update, there } = manyKeys(2);
    const before = adoptingSet({ a: "key_0" });
    const missing = adoptingSet({ a: "key_9" });
    const { kept } = await failureOf(update(await create(before), missing, before));
    expect(kept?.state).toMatchObject({ ids: { a: "key_0" }, keys: { a: { existingId: "key_0" } } });
    expect(there()).toEqual(["key_0", "key_1"]);
    const inputs = adoptingSet({}, { a: { existingId: "key_1", ...rotated } });
    const done = await update(kept as Kept, inputs, missing);
    expect(done.notes).toEqual(['1 to adopt, without a secret: "a"; 1 to delete: "a".']);
    expect([done.state["ids"], there()]).toEqual([{ a: "key_1" }, ["key_1"]]);
  });

  test.each([true, false])(
    "K11 a set keeps a key that was still to be deleted if an entry now adopts it (adoption fails: %s)",
    async (fails) => {
      const { create, update, there } = manyKeys(1);
      const before = adoptingSet({}, { a: {} });
      const held = await create(before);
      const state = { ...held.state, toDelete: ["key_0"] };
      const entry = { existingId: "key_0", ...(fails && { customerId: "cus_2" }) };
      const updating = update({ ...held, state }, adoptingSet({}, { a: {}, b: entry }), before);
      if (fails) await failureOf(updating);
      else expect((await updating).state["ids"]).toEqual({ a: "made_1", b: "key_0" });
      expect(there()).toEqual(["key_0", "made_1"]);
    },
  );
});

describe("a set whose entries have existingKey beside existingId", () => {
  const both = (id: string) => ({ existingId: id, existingKey: `sk_live_${id.replace("_", "")}` });
  const masked = ({ service }: ReturnType<typeof manyKeys>, ...ids: readonly string[]) => {
    for (const id of ids) service.add({ id, maskedKey: `sk_…${id.replace("_", "")}` });
  };
  const inputs = (keys: Properties) => adoptingSet({}, keys);

  test("K11 a set adopts keys with their secrets, with no POST and no PATCH, and names those whose value is wrong", async () => {
    const world = manyKeys(3);
    masked(world, "key_0", "key_1", "key_2");
    const wrong = { ...both("key_1"), existingKey: "sk_live_wrong" };
    const { sets } = world.process();
    const checked = sets.checked(inputs({ a: both("key_0"), b: { existingId: "key_2" } }));
    expect(sets.notes).toEqual([
      'ApiKeySet "ci": 1 to adopt, with the given secret: "a"; 1 to adopt, without a secret: "b".',
    ]);
    expect(sets.preview(checked)["secrets"]).toEqual({ a: "sk_live_key0" });
    const failure = await failureOf(world.create(inputs({ a: both("key_0"), wrong })));
    expect(failure.options.lines).toEqual([
      expect.stringMatching(/^"wrong": Adopting key "ci" in workspace ws_1 \(key_1\): existingKey is not/),
    ]);
    expect(JSON.stringify([failure.message, failure.options])).not.toContain("sk_live");
    expect(failure.kept?.state).toMatchObject({ ids: { a: "key_0" }, secrets: { a: "sk_live_key0" } });
    expect(world.counted()).toEqual({ GET: 2 });
  });

  test("K11 an entry gets the secret of its key later by an update in place, also under another alias", async () => {
    const world = manyKeys(2);
    masked(world, "key_0", "key_1");
    const before = adoptingSet({ a: "key_0", b: "key_1" });
    const held = await world.create(before);
    world.asked.length = 0;
    const next = inputs({ a: both("key_0"), c: both("key_1") });
    const done = await world.update(held, next, before);
    expect(done.notes).toEqual(['1 to keep under a new alias: "c".']);
    expect(JSON.stringify(done.state["keys"])).not.toContain("generation");
    expect(done.state).toMatchObject({
      ids: { a: "key_0", c: "key_1" },
      secrets: { a: "sk_live_key0", c: "sk_live_key1" },
    });
    expect(world.counted()).toEqual({ GET: 2 });
    expect((await world.update(done, next, next)).changes).toBe(false);
    expect((await world.update(done, inputs({ a: {}, c: {} }), next)).changes).toBe(false);
  });

  test("K11 R18 a set promises the secrets that are given, and leaves the others as they are", async () => {
    const world = manyKeys(2);
    const held = await world.create(adoptingSet({ a: "key_0" }, { b: {} }));
    const { sets } = world.process();
    const next = sets.checked(inputs({ a: { ...both("key_0"), existingKey: unknownSentinels[0] }, b: {} }));
    const { secrets } = held.state as { readonly secrets: Properties };
    expect(sets.preview(next, held)["secrets"]).toEqual({ a: unknownSentinels[0], b: secrets["b"] });
  });

  test("K11 R17 a key and its secret move from an ApiKey into a set in one update", async () => {
    const world = manyKeys(0);
    const { keys } = world.process();
    const { existingId: _, ...own } = adopting();
    const made = await keys.create(keys.checked(own));
    const secret = made.state["key"] as string;
    const run = world.process();
    const set = inputs({ a: { existingId: made.id, existingKey: secret } });
    const { state } = await run.sets.create(run.sets.checked(set));
    await run.keys.delete(made.id, made.state);
    expect([state["secrets"], world.there()]).toEqual([{ a: secret }, [made.id]]);
    expect(run.keys.warnings.join()).toContain("stays in the service");
    expect([...run.keys.warnings, ...run.sets.warnings].join()).not.toContain(secret);
  });
});
