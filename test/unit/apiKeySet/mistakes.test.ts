import { describe, expect, test } from "vitest";
import { failureOf } from "../replying";
import { customerId, of, service } from "./setService";

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
});

test("a renamedFrom that names no key of the set is ignored, as the preview shows", async () => {
  const set = service();
  const before = of({ acme: { customerId }, b: { customerId } });
  const made = await set.create(before);
  const inputs = of({ b: { customerId }, c: { customerId, renamedFrom: "acmee" } });
  const next = await set.update(made, inputs, before);
  expect(set.progress).toEqual(['Keys of workspace ws_1: 1 to delete: "acme".']);
  expect([next.state["ids"], set.gone]).toEqual([{ b: "key_2", c: "key_3" }, ["key_1"]]);
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
