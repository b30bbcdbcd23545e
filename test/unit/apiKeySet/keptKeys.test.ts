import { expect, test } from "vitest";
import { customerId, type Inputs, type Kept, of, service } from "./setService";

const single = of({ a: { customerId } });
const renamed = of({ b: { customerId, renamedFrom: "a" } });

/** A set of one key after an update that renamed its alias, where the service refused the key's new name. */
async function afterRefusedName() {
  const set = service({ refused: "b" });
  const first = await set.create(single);
  const second = await set.failed(set.update(first, renamed, single));
  expect(second.state["ids"]).toEqual({ a: "key_1" });
  return { ...set, second };
}

const other = { customerId, name: "x" };
const cases: readonly (readonly [string, Inputs, Readonly<Record<string, string>>])[] = [
  ["repeats it", renamed, { b: "key_1" }],
  ["goes back to the old alias", single, { a: "key_1" }],
  ["renames it to a third alias", of({ c: { customerId, renamedFrom: "a" } }), { c: "key_1" }],
  [
    "keeps the old alias and adds a new key under the refused one",
    of({ a: { customerId }, b: other }),
    { a: "key_1", b: "key_2" },
  ],
  [
    "renames it to a third alias and adds a new key under the refused one",
    of({ b: other, c: { customerId, renamedFrom: "a" } }),
    { b: "key_2", c: "key_1" },
  ],
];
test.for(cases)("a key is not deleted if the update after a failed rename %s", async ([, inputs, ids]) => {
  const set = await afterRefusedName();
  set.trouble.refused = "";
  const third = await set.update(set.second, inputs, single);
  expect(third.state["ids"]).toEqual(ids);
  expect(Object.values(third.state["secrets"] as object)).toContain("sk_key_1");
  expect(set.gone).toEqual([]);
  expect(set.changes(third, inputs)).toBe(false);
});

test("if one of several renames failed, all can be repeated, and only that one is written again", async () => {
  const set = service({ refused: "d" });
  const before = of({ a: { customerId }, c: { customerId } });
  const now = of({ b: { customerId, renamedFrom: "a" }, d: { customerId, renamedFrom: "c" } });
  const second = await set.failed(set.update(await set.create(before), now, before));
  expect(second.state["ids"]).toEqual({ a: "key_1", c: "key_2" });
  expect(set.live.get("key_1")).toMatchObject({ name: "b" });
  set.trouble.refused = "";
  const sent = set.calls.length;
  const third = await set.update(second, now, before);
  expect(third.state["ids"]).toEqual({ b: "key_1", d: "key_2" });
  // The other name is already in the service.
  expect(set.calls.slice(sent).filter(({ method }) => method === "PATCH")).toHaveLength(1);
  expect([set.gone, set.changes(third, now)]).toEqual([[], false]);
});

test("a key is not deleted after two failed renames in a row and a return to the old alias", async () => {
  const set = await afterRefusedName();
  set.trouble.refused = "c";
  const again = of({ c: { customerId, renamedFrom: "a" } });
  const third = await set.failed(set.update(set.second, again, single));
  const fourth = await set.update(third, single, single);
  expect(fourth.state["ids"]).toEqual({ a: "key_1" });
  expect(set.gone).toEqual([]);
});

test("R5 a refresh after a failed rename shows the key under its former alias, and the rename can be repeated", async () => {
  const set = await afterRefusedName();
  const read = await set.read(set.second.id, set.second.state);
  expect(read?.inputs).toEqual(single);
  set.trouble.refused = "";
  const third = await set.update(read as Kept, renamed, read?.inputs ?? {});
  expect(third.state["ids"]).toEqual({ b: "key_1" });
  expect(set.gone).toEqual([]);
});

const moved = of({ d: { customerId, existingKey: "sk_key_1" } });
test.for<readonly [string, Inputs, Readonly<Record<string, string>>]>([
  ["repeats that", moved, { d: "key_1" }],
  ["goes back", single, { a: "key_1" }],
])(
  "a key is not deleted if an update that moves its value to a new entry fails and the next one %s",
  async ([, inputs, ids]) => {
    const set = service({ undeletable: true });
    const second = await set.failed(set.update(await set.create(single), of({ d: { customerId } }), single));
    const third = await set.failed(set.update(second, moved, single));
    expect(third.state["ids"]).toEqual({ a: "key_1", d: "key_2" });
    set.trouble.undeletable = false;
    const fourth = await set.update(third, inputs, single);
    expect(fourth.state["ids"]).toEqual(ids);
    expect(set.gone).toEqual(["key_2"]);
  },
);

test.each([
  ["", "b"],
  [", however long another key's alias is", "é".repeat(40_000)],
])("after a create that failed halfway, state has the keys that were created%s", async (_, alias) => {
  const set = service({ refused: "b" });
  const kept = await set.failed(set.create(of({ a: { customerId }, [alias]: { customerId, name: "b" } })));
  expect(kept.state).toMatchObject({ ids: { a: "key_1" } });
});

test("after an update that failed halfway, a refresh shows no change, and the next preview shows what is left to do", async () => {
  const set = await afterRefusedName();
  const { id, state } = (await set.read(set.second.id, set.second.state)) as Kept;
  set.progress.length = 0;
  // The engine compares the refreshed state with the inputs from before the update.
  expect(set.changes({ id, state }, single)).toBe(false);
  expect(set.changes({ id, state }, renamed)).toBe(undefined);
  expect(set.changes({ id, state }, of({ b: { customerId } }))).toBe(undefined);
  expect(set.progress).toEqual([
    'Keys of workspace ws_1: 1 to keep under a new alias: "b".',
    'Keys of workspace ws_1: 1 to delete: "a".',
  ]);
});

test("a key that could not be deleted keeps its secret, and is kept if the program declares it again", async () => {
  const set = service({ undeletable: true });
  const both = of({ a: { customerId }, b: { customerId } });
  const first = await set.create(both);
  const second = await set.failed(set.update(first, of({ b: { customerId } }), both));
  expect(set.changes(second, of({ b: { customerId } }))).not.toBe(false);
  expect(second.state["__toDelete"]).toBeUndefined();
  set.trouble.undeletable = false;
  const third = await set.update(second, both, both);
  expect(third.state["secrets"]).toEqual(first.state["secrets"]);
  expect(set.gone).toEqual([]);
  await set.update(second, of({ b: { customerId } }), both);
  expect(set.gone).toEqual(["key_1"]);
});

test("R3 a refresh shows no change if only the spelling of the program differs", async () => {
  const set = service({});
  const declared = of({ a: { customerId, existingKey: "sk_old" } });
  const first = await set.create(declared);
  const moved = await set.update(first, of({ b: { customerId, renamedFrom: "a", name: "a" } }), declared);
  const spelled = of({ b: { name: "a" } }, { customerId });
  expect(set.changes(moved, spelled)).toBe(false);
  // A read that returned inputs would replace the program's spelling in state.
  expect(await set.read(moved.id, moved.state)).toEqual(moved);
});

test("R5 a name that was removed outside Pulumi is drift", async () => {
  const set = service({});
  const { id, state } = await set.create(single);
  Object.assign(set.live.get("key_1") ?? {}, { name: "" });
  const read = await set.read(id, state);
  expect(read?.inputs).toEqual(of({ a: { customerId, name: "" } }));
  const seen = { id, state: read?.state ?? {} };
  expect(set.changes(seen, single)).toBe(undefined);
  const after = await set.update(seen, single, single);
  expect(set.live.get("key_1")).toMatchObject({ name: "a" });
  expect(after.state).toEqual(state);
});

test("K6 a new key may have the id of one that a refresh found gone", async () => {
  const set = service({ reuses: true });
  const { id, state } = await set.create(single);
  set.live.clear();
  const read = await set.read(id, state);
  const after = await set.update({ id, state: read?.state ?? {} }, single, read?.inputs ?? {});
  expect(after.state["ids"]).toEqual({ a: "key_1" });
});

const existingKey = "sk_old";
const migrated = of({ a: { customerId, existingKey } });

/** A set with a migrated key, whose update that renamed the key failed because of another key. */
async function afterFailedRename() {
  const set = service({ refused: "x" });
  const renamed = of({ b: { customerId, existingKey, renamedFrom: "a" }, x: { customerId } });
  const failed = await set.failed(set.update(await set.create(migrated), renamed, migrated));
  expect(Object.keys(failed.state["ids"] as object)).toEqual(["a"]);
  return { ...set, second: failed };
}

test("K5 a migrated key and its value are kept if a rename fails halfway and the program goes back", async () => {
  const set = await afterFailedRename();
  const third = await set.update(set.second, migrated, migrated);
  expect(set.gone).toEqual([]);
  expect(third.state).toMatchObject({ ids: { a: "key_1" }, secrets: { a: existingKey } });
});

test("K5 a migrated key can be renamed to a third alias after a rename that failed halfway", async () => {
  const set = await afterFailedRename();
  for (const renamedFrom of ["b", "a"]) {
    const again = of({ c: { customerId, existingKey, renamedFrom } });
    const third = await set.update(set.second, again, migrated);
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

test("K5 a key is never deleted while another entry fails to migrate its value", async () => {
  const set = service({});
  const before = of({ a: { customerId, existingKey } });
  const first = await set.create(before);
  const moved = of({ a: { customerId, existingKey: "sk_new" }, c: { customerId, existingKey } });
  let held = first;
  for (const earlier of [before, moved, moved]) {
    held = await set.failed(set.update(held, moved, earlier));
    expect(held.state).toMatchObject({ ids: { a: "key_2" }, __toDelete: [{ id: "key_1" }] });
  }
  expect(set.gone).toEqual([]);
  const without = of({ a: { customerId, existingKey: "sk_new" } });
  await set.update(held, without, moved);
  expect(set.gone).toEqual(["key_1"]);
});

test("K5 an entry takes over the key whose value or id it names, if its alias is no longer declared", async () => {
  for (const named of [{ existingKey: "sk_key_1" }, { existingId: "key_1", scopes: [] }]) {
    const set = service({});
    const moved = of({ b: { customerId, ...named } });
    const next = await set.update(await set.create(single), moved, single);
    expect(next.state).toMatchObject({ ids: { b: "key_1" }, secrets: { b: "sk_key_1" } });
    expect(set.gone).toEqual([]);
    expect(set.changes(next, moved)).toBe(false);
  }
});
