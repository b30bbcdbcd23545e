import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { openRun } from "../../../provider/core/run";
import { adopting, adoptingSet, adoptions, ids, type Kept, manyKeys, type Properties } from "../adoptions";
import { idIn } from "../replying";

describe("a set that adopts keys", () => {
  test("K11 adds many of them to its own, with no POST, no PATCH and no DELETE", async () => {
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

  test("K11 R6 does not adopt a deleted key that the list still contains", async () => {
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

  test("K11 adopts the others if one can't be adopted, and the next update adopts that one", async () => {
    const { create, update, service, failureOf } = manyKeys(2);
    const inputs = adoptingSet({ ...ids(2), gone: "key_9" });
    const { kept, lines } = await failureOf(create(inputs));
    expect(lines).toEqual([
      '"gone": Adopting key "ci" in workspace ws_1 (key_9): the workspace has no such key, or the key was deleted. Nothing was changed. Check existingId, which is an id without a workspace, and workspaceId; to create a new key instead, leave existingId out.',
    ]);
    service.add({ id: "key_9" });
    const done = await update(kept as Kept, inputs, inputs);
    expect(done.state["ids"]).toEqual({ ...ids(2), gone: "key_9" });
  });

  test("K11 keeps a key that it adopts from an ApiKey, although the ApiKey is deleted in the same update", async () => {
    const { process, service } = manyKeys(1);
    const { keys } = process();
    const single = await keys.create(keys.checked(adopting({ existingId: "key_0" })));
    const { keys: singles, sets } = process();
    const held = await sets.create(sets.checked(adoptingSet({ a: "key_0" })));
    await singles.delete(single.id, single.state);
    expect([...service.live.keys()]).toEqual(["key_0"]);
    await process().sets.delete(held.id, held.state);
    expect(service.live.size).toBe(0);
  });

  test("K11 adopts the same keys again if the engine replaces the whole set", async () => {
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

  test("K11 deletes no adopted key if the result of a create can't be saved to state", async () => {
    const run = openRun();
    const { create, service, failureOf } = manyKeys(2, {
      run,
      odd: ({ method }) => (method === "POST" ? run.stop("the test ended it") : undefined) as undefined,
    });
    const { message } = await failureOf(create(adoptingSet(ids(2), { own: {} })));
    expect(message).toMatch(/^The result could not be saved to state because the test ended it/);
    expect([...service.live.keys()]).toEqual(["key_0", "key_1"]);
  });

  test("K11 fails the preview if defaults set a field that an adopted key keeps", () => {
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

  test("K11 R18 promises in the preview the id of a key to be adopted, and no secret", () => {
    const { sets } = adoptions();
    const inputs = sets.checked(adoptingSet({ a: "key_0" }, { b: {} }));
    expect(sets.progress).toEqual([
      'Keys of workspace ws_1: 1 existing key to adopt, without its secret: "a".',
    ]);
    const { ids: promised, secrets, maskedKeys } = sets.preview(inputs);
    expect(promised).toMatchObject({ a: "key_0" });
    expect(Object.keys(secrets as object)).toEqual(["b"]);
    expect(unknownSentinels).toContain((maskedKeys as Properties)["a"]);
    const unknown = adoptingSet({ a: unknownSentinels[0] as string });
    expect(unknownSentinels).toContain((sets.preview(sets.checked(unknown))["ids"] as Properties)["a"]);
  });
});
