import { expect, test } from "vitest";
import { failureOf } from "../replying";
import { afterFailure, customerId, type Inputs, of, service } from "./setService";

const scopes = [{ representation: "orders", read: true }];
const entry = { customerId, scopes };
const single = of({ a: entry });
const replaced = { ...single, keys: { a: { ...entry, keepers: { time: "1" } } } };

const toAdopt = { ...entry, existingId: "key_1" };

test("E1: no key is deleted in an update in which another fails: the next update does it", async () => {
  const now = of({ a: { ...entry, keepers: { time: "1" } }, c: { ...entry, name: "new" } });
  const before = of({ a: entry, b: entry, c: entry });
  const set = await afterFailure({ refused: "new" }, before, now);
  expect(set.second.state).toMatchObject({
    ids: { a: "key_4", b: "key_2", c: "key_3" },
    secrets: { b: "sk_key_2" },
    toDelete: ["key_1"],
  });
  set.end();
  const third = await set.update(set.second, now, before);
  expect(set.gone.toSorted()).toEqual(["key_1", "key_2"]);
  expect(third.state["ids"]).toEqual({ a: "key_4", c: "key_3" });
});

test("K11 a replaced key stays in state if an entry that is to adopt it in the same update fails", async () => {
  const failing = of({ ...replaced.keys, b: { ...toAdopt, customerId: "another" } });
  const set = await afterFailure({}, single, failing);
  expect(set.second.state).toMatchObject({ ids: { a: "key_2" }, toDelete: ["key_1"] });
  const third = await set.update(set.second, of({ ...replaced.keys, b: toAdopt }), single);
  expect([set.gone, third.state["ids"]]).toEqual([[], { a: "key_2", b: "key_1" }]);
  expect(third.state["toDelete"]).toBeUndefined();
});

test("E1 R4 a replaced key is kept until its successor is confirmed to match the program", async () => {
  const set = await afterFailure({ unseen: true }, single, replaced);
  expect(set.second.state).toMatchObject({ ids: { a: "key_2" }, toDelete: ["key_1"] });
  const third = await set.failed(set.update(set.second, replaced, replaced));
  expect(set.gone).toEqual([]);
  set.end();
  const fourth = await set.update(third, replaced, replaced);
  expect([set.gone, fourth.state["ids"]]).toEqual([["key_1"], { a: "key_2" }]);
});

test("K6 a replaced key is kept as long as its successor has no secret, and then deleted with all of those", async () => {
  const set = await afterFailure({ silent: true }, single, replaced);
  expect(set.second.state).toMatchObject({ __keys: { a: { __keyLost: true } }, secrets: {} });
  expect(set.changes(set.second, replaced)).toBe(true);
  const third = await set.failed(set.update(set.second, replaced, single));
  expect(set.gone).toEqual([]);
  set.end();
  const fourth = await set.update(third, replaced, single);
  expect(set.gone.toSorted()).toEqual(["key_1", "key_2", "key_3"]);
  expect(fourth.state).toMatchObject({ ids: { a: "key_4" }, secrets: { a: "sk_key_4" } });
  expect(set.changes(fourth, replaced)).toBe(false);
});

test("R7 a destroy deletes the other keys if one can't be deleted, and the next destroy that one", async () => {
  const set = service({ undeletable: true });
  const { id, state } = await set.create(of({ a: entry, b: entry }));
  set.live.delete("key_1");
  const { message } = await failureOf(set.delete(id, state));
  expect(message).toMatch(
    /^Deleting the keys of workspace ws_1: 1 of 2 failed\. The resource stays in state/,
  );
  set.trouble.undeletable = false;
  await set.delete(id, state);
  expect(set.gone).toEqual(["key_2"]);
});

test("R4 the next update writes a new key again if it could not be confirmed to match the program", async () => {
  const now = of({ a: entry, b: entry });
  const set = await afterFailure({ unmet: true, unseen: true }, single, now);
  set.notes.length = 0;
  expect(set.changes(set.second, now)).toBe(true);
  expect(set.notes).toEqual([expect.stringContaining("failed halfway")]);
  set.end();
  const third = await set.update(set.second, now, now);
  expect(set.live.get("key_2")?.["scopes"]).toMatchObject(scopes);
  expect(set.changes(third, now)).toBe(false);
});

test("R4 the next update writes a key again if a lost PATCH may have changed it, even if the program went back", async () => {
  const wider = of({ a: { ...entry, scopes: [{ ...scopes[0], update: true }] } });
  const set = await afterFailure({ lost: true }, single, wider);
  expect(set.second.state["keys"]).toEqual(set.first.state["keys"]);
  set.end();
  const third = await set.update(set.second, single, single);
  expect(set.live.get("key_1")?.["scopes"]).toMatchObject([{ update: false }]);
  expect(set.changes(third, single)).toBe(false);
});

const renamed = of({ b: { customerId: "d", scopes, renamedFrom: "a" } });
const successors: readonly (readonly [string, Inputs, boolean, readonly string[], readonly string[]])[] = [
  ["still doesn't match the program", of({ a: { customerId: "d", scopes } }), true, [], ["key_1", "key_2"]],
  ["matches the program", of({ a: { customerId: "d", scopes } }), false, ["key_1"], ["key_2"]],
  ["matches a changed program", of({ a: { customerId: "d" } }), true, ["key_1"], ["key_2"]],
  ["has another alias, and still doesn't match the program", renamed, true, [], ["key_1", "key_2"]],
  ["has another alias, and matches the program", renamed, false, ["key_1"], ["key_2"]],
  ["is no longer declared", of({}), true, ["key_1", "key_2"], []],
  ["is replaced in turn", of({ a: { customerId: "e", scopes } }), false, ["key_1", "key_2"], ["key_3"]],
];
test.for(successors)(
  "E1 a replaced key is deleted once its successor matches the program, is replaced or is removed: it %s",
  async ([, inputs, unmet, gone, live]) => {
    const first = of({ a: { customerId } });
    const set = await afterFailure({ unmet: true }, first, of({ a: { customerId: "d", scopes } }));
    expect(set.second.state["toDelete"]).toEqual(["key_1"]);
    set.trouble.unmet = unmet;
    await set.update(set.second, inputs, first).catch(() => undefined);
    expect([set.gone.toSorted(), [...set.live.keys()]]).toEqual([gone, live]);
  },
);
