import { expect, test } from "vitest";
import { customerId, of, service } from "./setService";

const existingKey = "sk_old";

test("K5 a migrated key and its value are kept if a rename fails halfway and the program goes back", async () => {
  const set = service({ refused: "x" });
  const before = of({ a: { customerId, existingKey } });
  const first = await set.create(before);
  const renamed = of({ b: { customerId, existingKey, renamedFrom: "a" }, x: { customerId } });
  const second = await set.failed(set.update(first, renamed, before));
  expect(Object.keys(second.state["ids"] as object)).toEqual(["a"]);
  const third = await set.update(second, before, before).catch(() => undefined);
  expect(set.gone).toEqual([]);
  expect(third?.state["ids"]).toEqual({ a: "key_1" });
  expect(third?.state["secrets"]).toEqual({ a: existingKey });
});

test("K5 a migrated key can be renamed to a third alias after a rename that failed halfway", async () => {
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

test("K5 a migrated value that the program left out can move to an entry that has another key", async () => {
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

test("R8 check failures about a key that a failed update may have deleted say to refresh", async () => {
  const set = service({});
  const before = of({ a: { customerId, existingKey }, b: { customerId } });
  const refused = [of({ c: { customerId, existingKey } }), of({ b: { customerId, renamedFrom: "a" } })];
  for (const inputs of refused) {
    expect(set.check(inputs, before).failures).toEqual([
      expect.stringMatching(/ If an update failed halfway since then, run `pulumi up --refresh`\.$/),
    ]);
  }
});
