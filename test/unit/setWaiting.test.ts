import { expect, test } from "vitest";
import { customerId, type Inputs, of, service, type Trouble } from "./setService";

// About replaced keys of a set that are still to be deleted.

test("a replaced key that can't be deleted fails the update, and the next update deletes it", async () => {
  const trouble: Trouble = { undeletable: true };
  const set = service(trouble);
  const first = of({ a: { customerId } });
  const inputs = of({ a: { customerId: "d" } });
  const second = await set.failed(set.update(await set.create(first), inputs, first));
  expect(second.state["ids"]).toEqual({ a: "key_2" });
  expect(second.state["__toDelete"]).toEqual([{ id: "key_1", name: "a" }]);
  expect(set.changes(second, inputs)).toBe(true);
  trouble.undeletable = false;
  const third = await set.update(second, inputs, first);
  expect(set.gone).toEqual(["key_1"]);
  expect(third.state).not.toHaveProperty("__toDelete");
});

const scopes = [{ representation: "o", read: true }];
const successors: readonly (readonly [string, Inputs, boolean, readonly string[], readonly string[]])[] = [
  ["still doesn't match the program", of({ a: { customerId: "d", scopes } }), true, [], ["key_1", "key_2"]],
  ["matches the program", of({ a: { customerId: "d", scopes } }), false, ["key_1"], ["key_2"]],
  ["matches a changed program", of({ a: { customerId: "d" } }), true, ["key_1"], ["key_2"]],
  ["is no longer declared", of({}), true, ["key_1", "key_2"], []],
  ["is replaced in turn", of({ a: { customerId: "e", scopes } }), false, ["key_1", "key_2"], ["key_3"]],
];
test.for(successors)(
  "a replaced key is deleted once its successor matches the program, is replaced or is removed: it %s",
  async ([, inputs, unmet, gone, live]) => {
    const trouble: Trouble = { unmet: true };
    const set = service(trouble);
    const first = of({ a: { customerId } });
    const now = of({ a: { customerId: "d", scopes } });
    const second = await set.failed(set.update(await set.create(first), now, first));
    expect(second.state["__toDelete"]).toEqual([{ id: "key_1", name: "a", alias: "a" }]);
    expect(set.gone).toEqual([]);
    trouble.unmet = unmet;
    await set.update(second, inputs, first).catch(() => undefined);
    expect([set.gone.toSorted(), [...set.live.keys()]]).toEqual([gone, live]);
  },
);

test("a replaced key is kept until its successor matches the program, even under another alias", async () => {
  const trouble = { unmet: false };
  const set = service(trouble);
  const scopes = [{ representation: "o", read: true }];
  const before = of({ a: { customerId, scopes } });
  const first = await set.create(before);
  trouble.unmet = true;
  const replaced = of({ a: { customerId: "d", scopes } });
  const second = await set.failed(set.update(first, replaced, before));
  expect(set.gone).toEqual([]);
  const renamed = of({ b: { customerId: "d", scopes, renamedFrom: "a" } });
  const third = await set.failed(set.update(second, renamed, before));
  expect(set.gone).toEqual([]);
  const fourth = await set.failed(set.update(third, renamed, before));
  expect(set.gone).toEqual([]);
  trouble.unmet = false;
  const fifth = await set.update(fourth, renamed, before);
  expect(set.gone).toEqual(["key_1"]);
  expect(fifth.state["ids"]).toEqual({ b: "key_2" });
});
