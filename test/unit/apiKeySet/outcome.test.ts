import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { type Asked, failureOf, idIn, nameIn, replying } from "../replying";
import { service } from "./setService";

const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });
const refused = () => new CallError("refused", "the service answered 403", 403);
const made = (asked: Asked, id: string) => ({
  apiKey: { enabled: true, scopes: [], ...(asked.body as object), id, key: `sk_${id}` },
});

const gone = (asked: Asked) => ({ apiKey: { id: idIn(asked), deleted: true } });

/** Waits until all code that needs no further answer has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

test("outputs are in the program's order, whichever key was created or read first", async () => {
  let created = false;
  const set = replying(apiKeySet, async (asked) => {
    const { method } = asked;
    const name = method === "POST" ? nameIn(asked) : idIn(asked).slice(4);
    const record = (one: string) => ({
      id: `key_${one}`,
      name: one,
      customerId: "c",
      // Without a change made outside Pulumi, the read would return no inputs.
      enabled: one !== "c",
      scopes: [],
    });
    if (method === "GET" && idIn(asked) === "api-key") {
      if (!created) return { apiKeys: [] };
      return { apiKeys: [record("a"), { ...record("b"), name: "not yet" }, record("c")] };
    }
    if (name === (method === "POST" ? "a" : "b")) await settled();
    return method === "POST" ? made(asked, `key_${name}`) : { apiKey: record(name) };
  });
  const inputs = set.check(of({ a: {}, b: {}, c: {} }), undefined).inputs;
  const { id, state } = await set.create(inputs);
  expect(Object.keys(state["ids"] as object)).toEqual(["a", "b", "c"]);
  created = true;
  const read = await set.read(id, state);
  expect(Object.keys(read?.state["ids"] as object)).toEqual(["a", "b", "c"]);
  expect(Object.keys(read?.inputs?.["keys"] as object)).toEqual(["a", "b", "c"]);
});

test.each([
  ["a replaced key once, even if only the deletion of the old one fails", { a: { prefix: "new" } }, "1 of 1"],
  ["failed keys among those that needed a change", { a: {}, b: {}, c: {}, d: {} }, "1 of 3"],
])("the error of an update counts %s", async (_what, keys, count) => {
  const set = service({ refused: "b", undeletable: true });
  const before = of({ a: {} });
  const { headline } = await failureOf(set.update(await set.create(before), of(keys), before));
  expect(headline).toMatch(
    new RegExp(`^Updating the keys of workspace ws_1: ${count} failed\\. State records what succeeded`),
  );
});

test("if no key is in state, the error does not say that nothing was created unless that is known", async () => {
  const live: object[] = [];
  const set = replying(apiKeySet, (asked) => {
    if (asked.method === "GET") return { apiKeys: live };
    if (nameIn(asked) !== "a") throw refused();
    live.push({ id: "key_a", name: "a", customerId: "c" });
    throw new CallError("ambiguous", "the connection was lost");
  });
  const inputs = set.check(of({ a: {}, b: {} }), undefined).inputs;
  const failure = await failureOf(set.create(inputs));
  expect(failure.headline).toMatch(
    /: 2 of 2 failed\. None of them is in state; run `pulumi up` again after fixing the cause/,
  );
  expect(failure.unresolved).toBe(true);
  expect(failure.lines[0]).toMatch(
    /^"a": Creating key "a" .*It is not known whether the key was created.*key_a/,
  );
});

test("a new key may have the id of a key that an update deleted", async () => {
  const set = service({ reuses: true });
  const [both, one] = [of({ a: {}, b: {} }), of({ a: {} })];
  await set.update(await set.create(both), one, both);
  expect((await set.create(of({ c: {} }))).state["ids"]).toEqual({ c: "key_2" });
});

test.each([false, true])(
  "K5 if the migration of an entry returns the entry's own key, that key is kept (update fails: %s)",
  async (unmet) => {
    const set = replying(apiKeySet, (asked) => {
      const apiKey = { id: "key_a", name: "a", customerId: "c", enabled: !unmet, scopes: [] };
      if (asked.method === "POST") return { apiKey: { ...apiKey, key: "sk_old" } };
      return asked.method === "GET" && idIn(asked) === "api-key" ? { apiKeys: [apiKey] } : { apiKey };
    });
    const before = set.check(of({ a: {} }), undefined).inputs;
    const state = { ...before, ids: { a: "key_a" }, maskedKeys: {}, secrets: {} };
    const inputs = set.check(of({ a: { existingKey: "sk_old" } }), before).inputs;
    const updated = set.update("keys-1", state, inputs);
    const after = unmet ? ((await failureOf(updated)).kept?.state ?? {}) : await updated;
    expect(after["ids"]).toEqual({ a: "key_a" });
    expect(after).not.toHaveProperty("__toDelete");
    expect(set.calls.map(({ method }) => method)).not.toContain("DELETE");
    expect(set.warnings.join("\n")).not.toContain("stays in the service");
  },
);

test("a refresh keeps the keys still to be deleted, and destroy deletes them unless another resource has them", async () => {
  const set = replying(apiKeySet, (asked) => {
    if (asked.method === "DELETE") return gone(asked);
    return idIn(asked) === "api-key"
      ? { apiKeys: [] }
      : { apiKey: { id: idIn(asked), name: "a", customerId: "c", enabled: true, scopes: [] } };
  });
  const inputs = set.check(of({ a: {} }), undefined).inputs;
  const stateOf = (id: string) => ({ ...inputs, ids: { a: id }, maskedKeys: {}, secrets: { a: `sk_${id}` } });
  const left = [
    { id: "key_2", name: "b" },
    { id: "key_9", name: "z" },
  ];
  const state = { ...stateOf("key_1"), __toDelete: left };
  expect((await set.read("keys-1", state))?.state["__toDelete"]).toEqual(left);
  set.diff("keys-2", stateOf("key_9"), inputs, "other");
  await set.delete("keys-1", state);
  const deleted = set.calls.filter(({ method }) => method === "DELETE").map(idIn);
  expect(deleted).toEqual(["key_1", "key_2"]);
});
