import { expect, test } from "vitest";
import { failureOf } from "../replying";
import { customerId, type Inputs, type Kept, of, service } from "./setService";

const scopes = [{ representation: "orders", read: true }];
const entry = { customerId, scopes };
const single = of({ a: entry });
const replaced = { ...single, keys: { a: { ...entry, keepers: { time: "1" } } } };

const toAdopt = { ...entry, existingId: "key_1" };

test("E1 no key is deleted in an update in which another fails: the next update does it", async () => {
  const set = service();
  const before = of({ a: entry, b: entry, c: entry });
  const first = await set.create(before);
  const now = of({ a: { ...entry, keepers: { time: "1" } }, c: { ...entry, name: "new" } });
  set.trouble.refused = "new";
  const second = await set.failed(set.update(first, now, before));
  expect(set.gone).toEqual([]);
  expect(second.state).toMatchObject({
    ids: { a: "key_4", b: "key_2", c: "key_3" },
    secrets: { b: "sk_key_2" },
    __toDelete: [{ id: "key_1", name: "a" }],
  });
  set.trouble.refused = "";
  const third = await set.update(second, now, before);
  expect(set.gone.toSorted()).toEqual(["key_1", "key_2"]);
  expect(third.state["ids"]).toEqual({ a: "key_4", c: "key_3" });
});

test("K11 a replaced key stays in state if an entry that is to adopt it in the same update fails", async () => {
  const set = service();
  const first = await set.create(single);
  const failing = of({ ...replaced.keys, b: { ...toAdopt, customerId: "another" } });
  const second = await set.failed(set.update(first, failing, single));
  expect([set.gone, second.state["ids"]]).toEqual([[], { a: "key_2" }]);
  expect(second.state["__toDelete"]).toMatchObject([{ id: "key_1" }]);
  const third = await set.update(second, of({ ...replaced.keys, b: toAdopt }), single);
  expect([set.gone, third.state["ids"]]).toEqual([[], { a: "key_2", b: "key_1" }]);
  expect(third.state["__toDelete"]).toBeUndefined();
});

test("K11 a removed key stays in state with its secret if an entry that is to adopt it in the same update fails", async () => {
  const set = service();
  const before = of({ a: entry, b: entry });
  const first = await set.create(before);
  const adopting = of({ b: entry, c: { ...toAdopt, keepers: { time: "1" }, customerId: "another" } });
  const second = await set.failed(set.update(first, adopting, before));
  expect(set.gone).toEqual([]);
  expect(second.state).toMatchObject({ ids: { a: "key_1", b: "key_2" }, secrets: { a: "sk_key_1" } });
  expect(second.state["__toDelete"]).toBeUndefined();
});

test("a replaced key is kept until its successor is confirmed to match the program", async () => {
  const set = service();
  const [before, now] = [of({ a: { customerId } }), of({ a: { customerId, keepers: { time: "1" } } })];
  const first = await set.create(before);
  set.trouble.unseen = true;
  const second = await set.failed(set.update(first, now, before));
  expect(second.state).toMatchObject({ ids: { a: "key_2" }, __toDelete: [{ id: "key_1" }] });
  const third = await set.failed(set.update(second, now, now));
  expect(set.gone).toEqual([]);
  set.trouble.unseen = false;
  const fourth = await set.update(third, now, now);
  expect([set.gone, fourth.state["ids"]]).toEqual([["key_1"], { a: "key_2" }]);
});

test("K6 a replaced key is kept as long as its successor has no secret, and then deleted with all of those", async () => {
  const set = service();
  const first = await set.create(single);
  set.trouble.silent = true;
  const second = await set.failed(set.update(first, replaced, single));
  expect(second.state).toMatchObject({ __keys: { a: { __keyLost: true } }, secrets: {} });
  expect(set.changes(second, replaced)).toBe(true);
  const third = await set.failed(set.update(second, replaced, single));
  expect(set.gone).toEqual([]);
  set.trouble.silent = false;
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
  const set = service();
  const [before, now] = [of({ a: entry }), of({ a: entry, b: entry })];
  const first = await set.create(before);
  Object.assign(set.trouble, { unmet: true, unseen: true });
  const second = await set.failed(set.update(first, now, before));
  set.progress.length = 0;
  expect(set.changes(second, now)).toBe(true);
  expect(set.progress).toEqual([expect.stringContaining("failed halfway, so it is updated again")]);
  Object.assign(set.trouble, { unmet: false, unseen: false });
  const third = await set.update(second, now, now);
  expect(set.live.get("key_2")?.["scopes"]).toMatchObject(scopes);
  expect(set.changes(third, now)).toBe(false);
});

test("R4 the next update writes a key again if a lost PATCH may have changed it, even if the program went back", async () => {
  const set = service();
  const first = await set.create(single);
  const wider = of({ a: { ...entry, scopes: [{ ...scopes[0], update: true }] } });
  set.trouble.lost = true;
  const second = await set.failed(set.update(first, wider, single));
  expect(second.state["keys"]).toEqual(first.state["keys"]);
  set.trouble.lost = false;
  const third = await set.update(second, single, single);
  expect(set.live.get("key_1")?.["scopes"]).toMatchObject([{ update: false }]);
  expect(set.changes(third, single)).toBe(false);
});

test("R4 a refresh reads a key that could not be confirmed to match the program", async () => {
  const set = service();
  Object.assign(set.trouble, { unmet: true, unseen: true });
  const first = await set.failed(set.create(single));
  set.trouble.unseen = false;
  const second = (await set.read(first.id, first.state)) as Kept;
  expect(second.state).not.toHaveProperty("__keys");
  expect(set.changes(second, single)).not.toBe(false);
});

test("a replaced key that can't be deleted fails the update, and the next update deletes it", async () => {
  const set = service({ undeletable: true });
  const first = of({ a: { customerId } });
  const inputs = of({ a: { customerId: "d" } });
  const second = await set.failed(set.update(await set.create(first), inputs, first));
  expect(second.state["ids"]).toEqual({ a: "key_2" });
  expect(second.state["__toDelete"]).toEqual([{ id: "key_1", name: "a" }]);
  expect(set.changes(second, inputs)).toBe(true);
  set.trouble.undeletable = false;
  const third = await set.update(second, inputs, first);
  expect(set.gone).toEqual(["key_1"]);
  expect(third.state).not.toHaveProperty("__toDelete");
});

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
    const set = service({ unmet: true });
    const first = of({ a: { customerId } });
    const now = of({ a: { customerId: "d", scopes } });
    const second = await set.failed(set.update(await set.create(first), now, first));
    expect(second.state["__toDelete"]).toEqual([{ id: "key_1", name: "a" }]);
    expect(set.gone).toEqual([]);
    set.trouble.unmet = unmet;
    await set.update(second, inputs, first).catch(() => undefined);
    expect([set.gone.toSorted(), [...set.live.keys()]]).toEqual([gone, live]);
  },
);

test("a replaced key is kept until its successor matches the program, even under another alias", async () => {
  const set = service({ unmet: false });
  const before = of({ a: { customerId, scopes } });
  const first = await set.create(before);
  set.trouble.unmet = true;
  const replaced = of({ a: { customerId: "d", scopes } });
  const second = await set.failed(set.update(first, replaced, before));
  expect(set.gone).toEqual([]);
  const renamed = of({ b: { customerId: "d", scopes, renamedFrom: "a" } });
  const third = await set.failed(set.update(second, renamed, before));
  expect(set.gone).toEqual([]);
  const fourth = await set.failed(set.update(third, renamed, before));
  expect(set.gone).toEqual([]);
  set.trouble.unmet = false;
  const fifth = await set.update(fourth, renamed, before);
  expect(set.gone).toEqual(["key_1"]);
  expect(fifth.state["ids"]).toEqual({ b: "key_2" });
});
