import { describe, expect, test } from "vitest";
import { failureOf } from "../replying";
import { customerId, of, service } from "./setService";

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
