import { expect, test } from "vitest";
import { customerId, of, service } from "./setService";

const existingKey = "sk_old";

test("K5 a key that was renamed by an update that failed halfway outlives the way back, with its value", async () => {
  const set = service({ refused: "x" });
  const before = of({ a: { customerId, existingKey } });
  const first = await set.create(before);
  const renamed = of({ b: { customerId, existingKey, renamedFrom: "a" }, x: { customerId } });
  const second = await set.failed(set.update(first, renamed, before));
  expect(Object.keys(second.state["ids"] as object)).toEqual(["b"]);
  const third = await set.update(second, before, before).catch(() => undefined);
  expect(set.gone).toEqual([]);
  expect(third?.state["ids"]).toEqual({ a: "key_1" });
  expect(third?.state["secrets"]).toEqual({ a: existingKey });
});

test("K5 a key that was renamed by an update that failed halfway can be renamed once more", async () => {
  const set = service({ refused: "x" });
  const before = of({ a: { customerId, existingKey } });
  const first = await set.create(before);
  const renamed = of({ b: { customerId, existingKey, renamedFrom: "a" }, x: { customerId } });
  const second = await set.failed(set.update(first, renamed, before));
  for (const renamedFrom of ["b", "a"]) {
    const again = of({ c: { customerId, existingKey, renamedFrom } });
    const third = await set.update(second, again, before);
    expect(third.state["ids"]).toEqual({ c: "key_1" });
  }
  expect(set.gone).toEqual([]);
});

test("K5 a value that the program no longer named outlives its move to an entry with a key of its own", async () => {
  const set = service({});
  const before = of({ a: { customerId, existingKey }, b: { customerId } });
  const first = await set.create(before);
  const silent = of({ a: { customerId }, b: { customerId } });
  const moved = of({ b: { customerId, name: "a", existingKey } });
  const next = await set.update(first, moved, silent);
  expect(next.state["secrets"]).toEqual({ b: existingKey });
  expect([...set.live.values()]).toEqual([expect.objectContaining({ key: existingKey })]);
  expect(set.gone).toHaveLength(1);
  expect(set.diff(next.id, next.state, set.check(moved, moved).inputs).changes).toBe(false);
});

test("R8 what is refused for a key that a failed update may have deleted says how to go on", async () => {
  const set = service({});
  const before = of({ a: { customerId, existingKey }, b: { customerId } });
  const refused = [of({ c: { customerId, existingKey } }), of({ b: { customerId, renamedFrom: "a" } })];
  for (const inputs of refused) {
    expect(set.check(inputs, before).failures).toEqual([
      expect.stringMatching(/ If an up failed halfway since then, run `pulumi up --refresh`\.$/),
    ]);
  }
});

test("a replaced key waits for its successor under another alias too", async () => {
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
