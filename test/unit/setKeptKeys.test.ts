import { expect, test } from "vitest";
import { CallError } from "../../provider/client/callError";
import { encodedBytes, mostKept } from "../../provider/core/stateSize";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { type Asked, failureOf, replying } from "./replying";
import { customerId, type Inputs, type Kept, of, service, type Trouble } from "./setService";

const single = of({ a: { customerId } });
const renamed = of({ b: { customerId, renamedFrom: "a" } });

/** What a set of one key came to, whose new alias, and with it its name, was refused. */
async function afterRefusedName() {
  const trouble: Trouble = { refused: "b" };
  const set = service(trouble);
  const first = await set.create(single);
  const second = await set.failed(set.update(first, renamed, single));
  expect(second.state["ids"]).toEqual({ b: "key_1" });
  return { ...set, second, trouble };
}

const other = { customerId, name: "x" };
const cases: readonly (readonly [string, Inputs, Readonly<Record<string, string>>])[] = [
  ["is taken back", single, { a: "key_1" }],
  ["goes on from the alias in the preview", of({ c: { customerId, renamedFrom: "a" } }), { c: "key_1" }],
  ["goes on from the alias in state", of({ c: { customerId, renamedFrom: "b" } }), { c: "key_1" }],
  [
    "is no longer asked for beside a new key",
    of({ a: { customerId }, b: other }),
    { a: "key_1", b: "key_2" },
  ],
  [
    "goes on beside a new key of the refused alias",
    of({ b: other, c: { customerId, renamedFrom: "a" } }),
    { b: "key_2", c: "key_1" },
  ],
];
test.for(cases)("a key outlives its renaming that failed halfway, where that %s", async ([, inputs, ids]) => {
  const set = await afterRefusedName();
  const third = await set.update(set.second, inputs, single);
  expect(third.state["ids"]).toEqual(ids);
  expect(Object.values(third.state["secrets"] as object)).toContain("sk_key_1");
  expect(set.gone).toEqual([]);
  expect(third.state).not.toHaveProperty("__was");
  expect(set.changes(third, inputs)).toBe(false);
});

test("a key outlives two renamings that failed halfway one after the other, and the way back", async () => {
  const set = await afterRefusedName();
  set.trouble.refused = "c";
  const again = of({ c: { customerId, renamedFrom: "b" } });
  const third = await set.failed(set.update(set.second, again, single));
  const fourth = await set.update(third, single, single);
  expect(fourth.state["ids"]).toEqual({ a: "key_1" });
  expect(set.gone).toEqual([]);
});

test("R5 a refresh after a renaming that failed halfway shows the key where it stands, and that counts from then on", async () => {
  const set = await afterRefusedName();
  const read = await set.read(set.second.id, set.second.state);
  expect(read?.inputs).toEqual(of({ b: { customerId, name: "a", renamedFrom: "a" } }));
  expect(read?.state).not.toHaveProperty("__was");
  const third = await set.update(read as Kept, of({ a: { customerId }, b: other }), read?.inputs ?? {});
  expect(third.state["ids"]).toEqual({ a: "key_2", b: "key_1" });
});

test("a key outlives that an update which failed halfway moved it, by its value, in place of one that such an update made", async () => {
  const trouble: Trouble = { undeletable: true };
  const set = service(trouble);
  const second = await set.failed(set.update(await set.create(single), of({ d: { customerId } }), single));
  const moved = of({ d: { customerId, existingKey: "sk_key_1" } });
  const third = await set.failed(set.update(second, moved, single));
  expect(third.state["ids"]).toEqual({ d: "key_1" });
  trouble.undeletable = false;
  expect((await set.update(third, single, single)).state["ids"]).toEqual({ a: "key_1" });
  expect(set.gone).toEqual(["key_2"]);
});

test("after a create that failed halfway the engine has all of its inputs, and state no mark of another alias", async () => {
  const set = service({ refused: "b" });
  const kept = await set.failed(set.create(of({ a: { customerId }, b: { customerId } })));
  expect(kept.state).toMatchObject({ ids: { a: "key_1" } });
  expect(kept.state).not.toHaveProperty("__was");
});

test("a refresh after an update that failed halfway foretells nothing, and the preview after it what is so", async () => {
  const set = await afterRefusedName();
  const old = set.check(single, undefined).inputs;
  const foretold = async (again: Inputs) => {
    const read = await set.read(set.second.id, set.second.state);
    set.progress.length = 0;
    // The engine compares what was read with the inputs that it had before.
    expect(set.diff(set.second.id, read?.state ?? {}, old).changes).toBe(undefined);
    expect(set.progress).toEqual([]);
    const { inputs } = set.check(again, read?.inputs);
    set.diff(set.second.id, read?.state ?? {}, inputs);
    return set.progress;
  };
  expect(await foretold(renamed)).toEqual([]);
  expect(await foretold(single)).toEqual(['Keys of workspace ws_1: 1 to be deleted: "b".']);
  // An engine that is told to may compare nothing after a read.
  const read = await set.read(set.second.id, set.second.state);
  set.diff(set.second.id, read?.state ?? {}, set.check(single, read?.inputs).inputs);
  expect(set.progress).toHaveLength(2);
});

test("a key that could not be deleted keeps its secret, and stays if it is declared again", async () => {
  const trouble: Trouble = { undeletable: true };
  const set = service(trouble);
  const both = of({ a: { customerId }, b: { customerId } });
  const first = await set.create(both);
  const second = await set.failed(set.update(first, of({ b: { customerId } }), both));
  expect(set.changes(second, of({ b: { customerId } }))).not.toBe(false);
  trouble.undeletable = false;
  const third = await set.update(second, both, both);
  expect(third.state["secrets"]).toEqual(first.state["secrets"]);
  expect(set.gone).toEqual([]);
  await set.update(second, of({ b: { customerId } }), both);
  expect(set.gone).toEqual(["key_1"]);
});

test("of two sets that could not delete the key of one value, the one that declares it again keeps it from the other", async () => {
  const trouble: Trouble = { undeletable: true };
  const set = service(trouble);
  const [taken, none] = [of({ a: { customerId, existingKey: "sk_old" } }), of({})];
  const one = await set.create(taken);
  const two = { id: "keys-2", state: { ...one.state, __chosen: { a: { __holder: "other" } } } };
  const [first, second] = [
    await set.failed(set.update(one, none, taken)),
    await set.failed(set.update(two, none, taken)),
  ];
  trouble.undeletable = false;
  const again = await set.update(second, taken, taken);
  await set.update(first, none, taken);
  expect(set.gone).toEqual([]);
  await set.update(again, none, taken);
  expect(set.gone).toEqual(["key_1"]);
});

test("R3 a refresh shows nothing where only the program spells the same otherwise", async () => {
  const set = service({});
  const declared = of({ a: { customerId, existingKey: "sk_old" } });
  const first = await set.create(declared);
  const moved = await set.update(first, of({ b: { customerId, renamedFrom: "a", name: "a" } }), declared);
  const spelled = of({ b: { name: "a" } }, { customerId });
  expect(set.changes(moved, spelled)).toBe(false);
  // Inputs that a read gives take the place of those that the engine has.
  expect(await set.read(moved.id, moved.state)).toEqual(moved);
});

test("R5 a name that somebody took away is drift", async () => {
  const set = service({});
  const { id, state } = await set.create(single);
  Object.assign(set.live.get("key_1") ?? {}, { name: "" });
  const read = await set.read(id, state);
  expect(read?.inputs).toEqual(of({ a: { customerId, name: null } }));
  const seen = { id, state: read?.state ?? {} };
  expect(set.changes(seen, single)).toBe(undefined);
  const after = await set.update(seen, single, single);
  expect(set.live.get("key_1")).toMatchObject({ name: "a" });
  expect(after.state).toEqual(state);
});

test("K6 a key is made again under the id of one that a refresh found gone", async () => {
  const set = service({ reuses: true });
  const { id, state } = await set.create(single);
  set.live.clear();
  const read = await set.read(id, state);
  const after = await set.update({ id, state: read?.state ?? {} }, single, read?.inputs ?? {});
  expect(after.state["ids"]).toEqual({ a: "key_1" });
});

test("K5 of two keys whose answers were lost no two entries take the same for theirs", async () => {
  const live: Record<string, unknown>[] = [];
  const set = replying(apiKeySet, ({ method, path, body }: Asked) => {
    const id = path.split("/").at(-1) ?? "";
    // A list that lags.
    if (method === "GET" && id === "api-key") return { apiKeys: live.slice(0, 1) };
    if (method === "GET") return { apiKey: live.find((key) => key["id"] === id) };
    const { key: _, ...sent } = body as { key: string };
    live.push({ ...sent, id: `key_${live.length + 1}` });
    throw new CallError("ambiguous", "the connection was lost");
  });
  const keys = { a: { existingKey: "sk_a" }, b: { existingKey: "sk_b" } };
  const { inputs } = set.check(of(keys, { customerId, name: "x" }), undefined);
  const { kept, lines } = await failureOf(set.create(inputs));
  expect(Object.values(kept?.state["ids"] as object)).toEqual(["key_1"]);
  expect(lines).toEqual([expect.stringContaining("state does not hold it")]);
});

test("keys that can't be deleted fail no update where the engine could not keep them beside the new ones", async () => {
  const trouble: Trouble = { undeletable: true };
  const set = service(trouble);
  const key = { customerId, metadata: { text: "x".repeat(240_000) } };
  const many = (letter: string) =>
    of(Object.fromEntries(Array.from({ length: 25 }, (_, place) => [`${letter}${place}`, key])));
  const [before, inputs] = [many("k"), many("m")];
  const first = await set.create(before);
  const second = await set.update(first, inputs, before);
  expect(Object.keys(second.state["ids"] as object)).toEqual(Object.keys(inputs.keys));
  expect(set.warnings.filter((line) => line.includes("Deleting key"))).toHaveLength(20);
  const said = new Set(set.warnings.join("\n").match(/\bkey_\d+\b/g));
  expect([...said].toSorted()).toEqual(Object.values(first.state["ids"] as object).toSorted());
  trouble.undeletable = false;
  await set.update(second, inputs, inputs);
  expect(set.gone.toSorted()).toEqual(Object.values(first.state["ids"] as object).toSorted());
});

test("what state says of an update that fails halfway counts in what the engine could keep of it", async () => {
  const [long, longer] = ["r".repeat(20_000), "s".repeat(20_000)];
  const tried = async (filler: number) => {
    const set = service({ undeletable: true });
    const of25 = (letter: string, alias: string, entry: object) => {
      const text = "x".repeat(letter === "m" ? 216_000 + filler : 216_000);
      const key = { customerId, metadata: { text } };
      const many = Object.fromEntries(Array.from({ length: 25 }, (_, place) => [`${letter}${place}`, key]));
      return of({ ...many, [alias]: { customerId, name: "x", ...entry } });
    };
    const [before, inputs] = [of25("k", long, {}), of25("m", longer, { renamedFrom: long })];
    const updating = set.update(await set.create(before), inputs, before);
    return { set, updating };
  };
  const { kept } = await failureOf((await tried(0)).updating);
  const room = mostKept - encodedBytes(kept?.state);
  const { set, updating } = await tried(Math.ceil((room + 20_000) / 25));
  const after = await updating;
  expect(after.state).not.toHaveProperty("__was");
  expect(after.state["__left"]).toHaveLength(25);
  expect(set.live.size).toBe(51);
});

test("a key of the former alias itself goes before one that was renamed from it, whatever made such a state", async () => {
  const set = await afterRefusedName();
  const ids = { a: "key_9", b: "key_1" };
  const keys = { a: { customerId }, b: { customerId, name: "a" } };
  const state = { ...set.second.state, ids, keys };
  const third = await set.update({ id: set.second.id, state }, single, single);
  expect(third.state["ids"]).toEqual({ a: "key_9" });
});
