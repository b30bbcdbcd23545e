import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { asks } from "../keyService";
import { type Asked, failureOf, idIn, nameIn, replying } from "../replying";
import { service } from "./setService";

const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });
const own = { customerId: "c", scopes: [], enabled: true };

test("R2 the outputs of a set are in the program's order, whichever key was created or read first", async () => {
  const set = service();
  const slowly = (isIt: (asked: Asked) => boolean) =>
    set.always(isIt, async (answer) => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      return answer();
    });
  slowly((asked) => asked.method === "POST" && nameIn(asked) === "a");
  const { id, state } = await set.create(of({ a: {}, b: {}, c: {} }));
  const [a, b, c] = Object.values(state["ids"] as Record<string, string>) as [string, string, string];
  // Without a change made outside Pulumi, the read would return no inputs.
  for (const changed of [b, c]) set.live.set(changed, { ...set.live.get(changed), enabled: false });
  slowly(asks("GET", b));
  const read = await set.read(id, state);
  for (const all of [state["ids"], read?.state["ids"], read?.inputs?.["keys"]])
    expect(Object.keys(all as object)).toEqual(["a", "b", "c"]);
  expect(read?.state["ids"]).toEqual({ a, b, c });
});

test.each([
  ["a replaced key once, even if only the deletion of the old one fails", { a: { prefix: "new" } }, "1 of 1"],
  ["failed keys among those that needed a change", { a: {}, b: {}, c: {}, d: {} }, "1 of 3"],
])("E1 the error of an update counts %s", async (_what, keys, count) => {
  const set = service({ refused: "b", undeletable: true });
  const before = of({ a: {} });
  const { headline } = await failureOf(set.update(await set.create(before), of(keys), before));
  expect(headline).toMatch(
    new RegExp(`^Updating the keys of workspace ws_1: ${count} failed\\. State records what succeeded`),
  );
});

test("E1 K6 after a lost answer, the error says that a key may exist, and the update that creates it again names it", async () => {
  const set = service({ refused: "b" });
  const [both, retried] = [of({ a: {}, b: {} }), of({ a: {}, c: {} })];
  set.once(asks("POST"), (answer) => {
    answer();
    throw new CallError("ambiguous", "the connection was lost");
  });
  const failure = await failureOf(set.create(both));
  expect(failure.headline).toMatch(/: 2 of 2 failed\. State records what succeeded\./);
  expect([failure.options.unresolved, failure.kept]).toEqual([true, undefined]);
  expect(failure.options.lines?.[0]).toMatch(
    /^"a": Creating key "a" .*It is not known whether the key was created.*key_1/,
  );
  await set.create(retried);
  expect(set.warnings).toEqual([
    expect.stringMatching(/already has a key with the name and customer .*: key_1 \(created/),
  ]);
});

test.each([false, true])(
  "K5 if the migration of an entry returns the entry's own key, that key is kept (update fails: %s)",
  async (unmet) => {
    const set = replying(apiKeySet, (asked) => {
      const apiKey = { ...own, id: "key_a", name: "a", enabled: !unmet };
      if (asked.method === "POST") return { apiKey: { ...apiKey, key: "sk_old" } };
      return asked.method === "GET" && idIn(asked) === "api-key" ? { apiKeys: [apiKey] } : { apiKey };
    });
    const before = set.check(of({ a: {} }), undefined).inputs;
    const state = { ...before, ids: { a: "key_a" }, maskedKeys: {}, secrets: {} };
    const inputs = set.check(of({ a: { existingKey: "sk_old" } }), before).inputs;
    const updated = set.update("keys-1", state, inputs);
    const after = unmet ? ((await failureOf(updated)).kept?.state ?? {}) : await updated;
    expect(after["ids"]).toEqual({ a: "key_a" });
    expect(after).not.toHaveProperty("toDelete");
    expect(set.calls.map(({ method }) => method)).not.toContain("DELETE");
    expect(set.warnings.join("\n")).not.toContain("stays in the service");
  },
);

test("K5 a refresh that finds a change returns inputs that include existingKey", async () => {
  const set = service();
  const { id, state } = await set.create(of({ a: { existingKey: "sk_old" } }));
  set.live.set("key_1", { ...set.live.get("key_1"), enabled: false });
  const { inputs } = set.check(of({ a: { existingKey: "sk_old", enabled: false } }), undefined);
  expect((await set.read(id, state))?.inputs).toEqual(inputs);
});

describe("keys that are still to be deleted", () => {
  const left = ["old_1", "old_2"];
  const opened = async () => {
    const set = service();
    const { id, state } = await set.create(of({ a: {} }));
    for (const id of left) set.live.set(id, { ...own, id, name: "b" });
    return { set, id, state: { ...state, toDelete: left } };
  };

  test("R6 K11 keys to delete stay in state after a refresh, and destroy deletes them unless another resource has them", async () => {
    const { set, id, state } = await opened();
    expect((await set.read(id, state))?.state["toDelete"]).toEqual(left);
    const { inputs } = set.check(of({ a: {} }), undefined);
    set.diff("keys-2", { ...state, ids: { a: "old_2" }, toDelete: [] }, inputs, "other");
    await set.delete(id, state);
    expect(set.gone.toSorted()).toEqual(["key_1", "old_1"]);
  });

  test("K6 an update that creates keys with the name of keys to delete does not warn of these", async () => {
    const { set, id, state } = await opened();
    const next = await set.update({ id, state }, of({ a: {}, b: {} }), of({ a: {} }));
    expect(next.state).not.toHaveProperty("toDelete");
    expect(set.warnings).toEqual([]);
  });
});

test.each(["ApiKey", "ApiKeySet"])(
  "K11 a key that an ApiKey and a set have is not deleted with the %s",
  async (first) => {
    const shared = new Map();
    const reply = (asked: Asked) => ({ apiKey: { id: idIn(asked), deleted: true } });
    const [single, set] = [replying(apiKey, reply, { shared }), replying(apiKeySet, reply, { shared })];
    const key = single.check({ workspaceId: "ws_1", customerId: "c", name: "a" }, undefined).inputs;
    const keys = set.check(of({ a: {} }), undefined).inputs;
    const both = [
      { of: single, id: "key_1", state: key, inputs: key },
      { of: set, id: "keys-1", state: { ...keys, ids: { a: "key_1" } }, inputs: keys },
    ];
    const [gone, last] = first === "ApiKey" ? both : both.toReversed();
    last?.of.diff(last.id, last.state, last.inputs, "last");
    await gone?.of.delete(gone.id, gone.state);
    expect(gone?.of.calls).toEqual([]);
    expect(gone?.of.warnings.join()).toContain("(key_1) stays in the service, because the resource last has");
  },
);

test("R16 the error of a refresh quotes the service's answer without the secrets of the set's keys", async () => {
  const set = replying(apiKeySet, ({ path }) => {
    throw new CallError("refused", `the service answered 403 "${path} sk_of_a"`, 403);
  });
  const state = {
    workspaceId: "ws_1",
    keys: { a: { customerId: "c" } },
    ids: { a: "key_1" },
    secrets: { a: "sk_of_a" },
  };
  const { message } = await failureOf(set.read("keys-1", state));
  expect(message).toContain("the service answered 403");
  expect(message).not.toContain("sk_of_a");
});
