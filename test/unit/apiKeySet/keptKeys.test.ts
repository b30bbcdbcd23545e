import { expect, test } from "vitest";
import { failureOf } from "../replying";
import { afterFailure, customerId, type Inputs, type Kept, of, service } from "./setService";

type Set = ReturnType<typeof service>;
const single = of({ a: { customerId } });
const renamed = of({ b: { customerId, renamedFrom: "a" } });

/** A set of one key after an update that renamed its alias, where the service refused the key's new name. */
async function afterRefusedName() {
  const set = await afterFailure({ refused: "b" }, single, renamed);
  expect(set.second.state["ids"]).toEqual({ a: "key_1" });
  return set;
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
test.for(cases)("E2 a key is not deleted if the update after a failed rename %s", async ([, inputs, ids]) => {
  const set = await afterRefusedName();
  set.end();
  const third = await set.update(set.second, inputs, single);
  expect(third.state["ids"]).toEqual(ids);
  expect(Object.values(third.state["secrets"] as object)).toContain("sk_key_1");
  expect(set.gone).toEqual([]);
  expect(set.changes(third, inputs)).toBe(false);
});

test("R5 a refresh after a failed rename shows the key under its former alias, and the preview what is left to do", async () => {
  const set = await afterRefusedName();
  const read = (await set.read(set.second.id, set.second.state)) as Kept & { inputs: Inputs };
  expect(read.inputs).toEqual(single);
  set.notes.length = 0;
  // The engine compares the refreshed state with the inputs from before the update.
  expect(set.changes(read, single)).toBe(false);
  expect(set.changes(read, renamed)).toBe(undefined);
  expect(set.changes(read, of({ b: { customerId } }))).toBe(undefined);
  expect(set.notes).toEqual(['1 to keep under a new alias: "b".', '1 to delete: "a".']);
  set.end();
  const third = await set.update(read, renamed, read.inputs);
  expect([third.state["ids"], set.gone]).toEqual([{ b: "key_1" }, []]);
});

const moved = of({ d: { customerId, existingKey: "sk_key_1" } });
test.for<readonly [string, Inputs, Readonly<Record<string, string>>]>([
  ["repeats that", moved, { d: "key_1" }],
  ["goes back", single, { a: "key_1" }],
])(
  "K5 a key is not deleted if an update that moves its value to a new entry fails and the next one %s",
  async ([, inputs, ids]) => {
    const set = await afterFailure({ undeletable: true }, single, of({ d: { customerId } }));
    const third = await set.failed(set.update(set.second, moved, single));
    expect(third.state["ids"]).toEqual({ a: "key_1", d: "key_2" });
    set.end();
    const fourth = await set.update(third, inputs, single);
    expect(fourth.state["ids"]).toEqual(ids);
    expect(set.gone).toEqual(["key_2"]);
  },
);

test("E1 a key that could not be deleted keeps its secret, and is kept if the program declares it again", async () => {
  const [both, one] = [of({ a: { customerId }, b: { customerId } }), of({ b: { customerId } })];
  const { first, second, ...set } = await afterFailure({ undeletable: true }, both, one);
  expect(set.changes(second, one)).not.toBe(false);
  expect(second.state["toDelete"]).toBeUndefined();
  set.end();
  const third = await set.update(second, both, both);
  expect(third.state["secrets"]).toEqual(first.state["secrets"]);
  expect(set.gone).toEqual([]);
  await set.update(second, one, both);
  expect(set.gone).toEqual(["key_1"]);
});

test("R5 a key's name that was removed outside Pulumi is drift, unless it was the alias", async () => {
  for (const [name, isDrift] of [
    ["n", true],
    [undefined, false],
  ] as const) {
    const set = service({});
    const inputs = of({ a: { customerId, name } });
    const { id, state } = await set.create(inputs);
    Object.assign(set.live.get("key_1") ?? {}, { name: "" });
    const read = await set.read(id, state);
    const seen = { id, state: read?.state ?? {} };
    expect(set.changes(seen, inputs)).toBe(isDrift ? undefined : false);
    if (!isDrift) continue;
    const after = await set.update(seen, inputs, inputs);
    expect(set.live.get("key_1")).toMatchObject({ name });
    expect(after.state).toEqual(state);
  }
});

test.each([
  [
    "a refresh found gone",
    async (set: Set, { id, state }: Kept) => {
      set.live.clear();
      const read = await set.read(id, state);
      return set.update({ id, state: read?.state ?? {} }, single, read?.inputs ?? {});
    },
  ],
  [
    "an update deleted",
    async (set: Set, kept: Kept) => {
      await set.update(kept, of({}), single);
      return set.create(single);
    },
  ],
])("K6 a new key may have the id of one that %s", async (_how, act) => {
  const set = service({ reuses: true });
  expect((await act(set, await set.create(single))).state["ids"]).toEqual({ a: "key_1" });
});

const existingKey = "sk_old";

test.each(["a", "b", "c"])(
  "K5 a migrated key and its value are kept if a rename to b fails halfway and the program names it %s",
  async (alias) => {
    const entry = { customerId, existingKey };
    const migrated = of({ a: entry });
    const halfway = of({ b: { ...entry, renamedFrom: "a" }, x: { customerId } });
    const { second, ...set } = await afterFailure({ refused: "x" }, migrated, halfway);
    expect(second.state["ids"]).toEqual({ a: "key_1" });
    const again = of({ [alias]: { ...entry, ...(alias !== "a" && { renamedFrom: "a" }) } });
    const third = await set.update(second, again, migrated);
    expect(third.state).toMatchObject({ ids: { [alias]: "key_1" }, secrets: { [alias]: existingKey } });
    expect(set.gone).toEqual([]);
  },
);

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
    expect(held.state).toMatchObject({ ids: { a: "key_2" }, toDelete: ["key_1"] });
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

test("K5 an existingKey that is a secret of the set can't replace the key that has it, because that would revoke it", async () => {
  const set = service();
  const before = of({ a: { customerId } });
  const made = await set.create(before);
  const own = { customerId, existingKey: "sk_key_1", keepers: { month: "june" } };
  const { message } = await failureOf(set.update(made, of({ a: own }), before));
  expect(message).toContain("keys.a.keepers: can't change while the resource keeps an existing key");
  expect(message).not.toContain("sk_key_1");
  expect([...set.live.keys()]).toEqual(["key_1"]);
});
