import { describe, expect, test } from "vitest";
import { failureOf } from "../replying";
import { customerId, type Inputs, type Kept, of, service } from "./setService";

const keys = { a: { customerId }, b: { customerId } };
const methods = ({ calls }: { calls: readonly { method: string }[] }) => calls.map(({ method }) => method);

describe("K5 an existingKey that is already a secret of the set", () => {
  test("can't replace the key that has this secret, because deleting that key would revoke it", async () => {
    const set = service();
    const before = of({ a: { customerId } });
    const made = await set.create(before);
    const own = { customerId, existingKey: "sk_key_1", keepers: { month: "june" } };
    const { kept, lines } = await failureOf(set.update(made, of({ a: own }), before));
    expect(lines?.join()).toContain("keepers: can't change while existingKey stays");
    expect(lines?.join()).not.toContain("sk_key_1");
    expect(kept?.state).toMatchObject({ ids: { a: "key_1" }, secrets: { a: "sk_key_1" } });
    expect([...set.live.keys()]).toEqual(["key_1"]);
  });

  test.each([
    ["stays", { a: { customerId }, c: { customerId, existingKey: "sk_key_1" } }],
    ["is renamed", { z: { customerId, renamedFrom: "a" }, c: { customerId, existingKey: "sk_key_1" } }],
  ])("can't be another entry's key while the entry that has this secret %s", async (_, now) => {
    const set = service();
    const made = await set.create(of(keys));
    const { kept, lines } = await failureOf(set.update(made, of({ b: { customerId }, ...now }), of(keys)));
    expect(lines?.join()).toContain('"c": Nothing was changed: existingKey: is the secret of the key "a"');
    expect(lines?.join()).not.toContain("sk_key_1");
    expect(Object.values(kept?.state["ids"] as object).toSorted()).toEqual(["key_1", "key_2"]);
    expect([...set.live.keys()]).toEqual(["key_1", "key_2"]);
  });
});

describe("a renamedFrom that names no key of the set", () => {
  const before = of({ acme: { customerId }, b: { customerId } });
  const renamed = (renamedFrom: string) => of({ b: { customerId }, c: { customerId, renamedFrom } });

  test.each(["acmee", "ACME", "acm", "amce"])(
    "fails the update, as previewed, if it looks like a misspelling (%s)",
    async (slip) => {
      const set = service();
      const made = await set.create(before);
      const asked = set.calls.length;
      const { message, kept } = await failureOf(set.update(made, renamed(slip), before));
      const refusal = `renamedFrom of "c" names "${slip}", but no key of this set has that alias, and "acme" would be deleted (did you mean "acme"?). Correct it, or leave renamedFrom out to create a new key.`;
      expect(set.progress).toEqual([
        `Keys of workspace ws_1: 1 to delete: "acme". The update will fail: ${refusal}`,
      ]);
      expect(message).toContain(`nothing was changed. ${refusal}`);
      expect(kept).toBeUndefined();
      expect(set.calls.length).toBe(asked);
    },
  );

  test("is ignored if no key would be deleted, or none with a similar alias", async () => {
    const set = service();
    const made = await set.create(before);
    const more = of({ acme: { customerId }, b: { customerId }, c: { customerId, renamedFrom: "acmee" } });
    expect((await set.update(made, more, before)).state).toMatchObject({ ids: { c: "key_3" } });
    expect(set.progress).toEqual([]);
    expect((await set.update(made, renamed("gone"), before)).state).toMatchObject({ ids: { b: "key_2" } });
    expect([...set.live.keys()]).toEqual(["key_2", "key_3", "key_4"]);

    const numbered = service();
    const [seventeen, eighteen] = ["customer-17", "customer-18"];
    const first = of({ [seventeen]: { customerId } });
    const next = of({ c: { customerId, renamedFrom: eighteen } });
    expect((await numbered.update(await numbered.create(first), next, first)).state).toMatchObject({
      ids: { c: "key_2" },
    });

    const short = service();
    const [two, other] = [of(keys), of({ a: { customerId }, c: { customerId, renamedFrom: "x" } })];
    expect((await short.update(await short.create(two), other, two)).state).toMatchObject({
      ids: { c: "key_3" },
    });
  });
});

describe("a renamedFrom of an entry that has had a key of its own since a failed update", () => {
  const refused = async (set: ReturnType<typeof service>, held: Kept, now: Inputs, before: Inputs) => {
    set.progress.length = 0;
    const live = [...set.live.keys()];
    const { message, kept } = await failureOf(set.update(held, now, before));
    expect(set.progress).toEqual([expect.stringContaining("The update will fail: renamedFrom of ")]);
    expect(kept).toBeUndefined();
    expect([...set.live.keys()]).toEqual(live);
    return message;
  };
  const named = (alias: string, former: string) =>
    `nothing was changed. renamedFrom of "${alias}" names "${former}", whose key would be deleted, because this entry already has a key.`;

  test("fails the next update if the failed one created the entry's key", async () => {
    const set = service({ undeletable: true });
    const [before, now] = [of({ a: { customerId } }), of({ d: { customerId } })];
    const second = await set.failed(set.update(await set.create(before), now, before));
    set.trouble.undeletable = false;
    const renamed = of({ d: { customerId, renamedFrom: "a" } });
    expect(await refused(set, second, renamed, before)).toContain(named("d", "a"));
    expect((await set.update(second, now, before)).state["ids"]).toEqual({ d: "key_2" });
  });

  test("fails the next update if an earlier failed update created the entry's key", async () => {
    const set = service({ refused: "x" });
    const [before, x] = [of({ a: { customerId } }), { x: { customerId } }];
    const made = await set.create(before);
    const second = await set.failed(
      set.update(made, of({ a: { customerId }, d: { customerId }, ...x }), before),
    );
    const third = await set.failed(
      set.update(second, of({ a: { customerId }, d: { customerId }, ...x }), before),
    );
    const renamed = of({ d: { customerId, renamedFrom: "a" } });
    expect(await refused(set, third, renamed, before)).toContain(named("d", "a"));
  });

  test("fails the next update of the previous program if the failed one created the named key", async () => {
    const set = service({ refused: "x" });
    const [first, renamed] = [of({ a: { customerId } }), of({ e: { customerId, renamedFrom: "a" } })];
    const held = await set.update(await set.create(first), renamed, first);
    const now = of({ e: { customerId }, a: { customerId }, x: { customerId } });
    const failed = await set.failed(set.update(held, now, renamed));
    expect(failed.state["ids"]).toEqual({ e: "key_1", a: "key_2" });
    expect(await refused(set, failed, renamed, renamed)).toContain(named("e", "a"));
    const back = await set.update(failed, of({ e: { customerId } }), renamed);
    expect(back.state["ids"]).toEqual({ e: "key_1" });
    expect(set.gone).toEqual(["key_2"]);
  });

  test("fails the next update if the failed one was to rename the named key to another alias", async () => {
    const set = service({ refused: "b" });
    const before = of({ a: { customerId } });
    const now = of({ b: { customerId, renamedFrom: "a" }, d: { customerId } });
    const second = await set.failed(set.update(await set.create(before), now, before));
    expect(second.state["ids"]).toEqual({ a: "key_1", d: "key_2" });
    const renamed = of({ d: { customerId, renamedFrom: "a" } });
    expect(await refused(set, second, renamed, before)).toContain(named("d", "a"));
  });
});

describe("K8 a set imported with ids and keys that don't match", () => {
  const imported = (ids: object, declared: object) => ({
    id: "keys-imported",
    state: { ...of(declared), ids },
  });
  const ids = { a: "key_1", b: "key_2" };
  function withKeys() {
    const set = service({ reuses: true });
    for (const [name, id] of Object.entries(ids)) {
      set.live.set(id, { id, name, customerId, enabled: true, scopes: [] });
    }
    return set;
  }

  test("leaves a key alone that has no entry", async () => {
    const set = withKeys();
    const { id, state } = imported(ids, { a: { customerId } });
    const entry = { a: { customerId, enabled: false } };
    const after = await set.update({ id, state }, of(entry), of({ a: { customerId } }));
    expect(after.state).toMatchObject({ ids: { a: "key_1" } });
    expect(methods(set)).not.toContain("DELETE");

    const read = await set.read(id, state);
    expect(read?.state["ids"]).toEqual({ a: "key_1" });
    await set.delete(id, state);
    expect([...set.live.keys()]).toEqual(["key_2"]);
  });

  test("shows an entry without an id as missing after a refresh", async () => {
    const set = service();
    const { id, state } = await set.create(of(keys));
    expect((await set.read(id, state))?.inputs).toBeUndefined();
    const read = await set.read(id, { ...state, ids: { a: "key_1" } });
    expect(Object.keys(read?.inputs?.["keys"] as object)).toEqual(["a"]);
  });
});
