import { expect, test } from "vitest";
import { CallError } from "../../provider/client/callError";
import { openKnown } from "../../provider/core/registry";
import { apiKey } from "../../provider/resources/apiKey";
import { apiKeySet } from "../../provider/resources/apiKeySet";
import { type Asked, idIn, replying } from "./replying";

const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });
const theirs = { id: "key_theirs", name: "a", customerId: "c" };

/** A service that has a key of the name "a" already. */
function service() {
  const set = replying(apiKeySet, (asked) => {
    if (asked.method === "GET") return { apiKeys: [theirs] };
    if (asked.method === "DELETE") return { apiKey: { id: idIn(asked), deleted: true } };
    const apiKey = { enabled: true, scopes: [], ...(asked.body as object), id: "key_new" };
    return { apiKey: { ...apiKey, key: "sk_new" } };
  });
  const inputsOf = (keys: object) => set.check(of(keys), undefined).inputs;
  return { set, inputsOf };
}

test("a key of the same name is told of, unless it is one that another resource of the run is known to have", async () => {
  const { set, inputsOf } = service();
  await set.create(inputsOf({ a: {} }));
  expect(set.warnings).toEqual([expect.stringContaining("already, key_theirs")]);

  const other = service();
  // Only the inputs of its last up are known of it so far.
  other.set.check(of({ a: {} }), of({ a: {} }));
  await other.set.create(other.inputsOf({ a: {} }));
  expect(other.set.warnings).toEqual([]);
});

test("what a set has still to delete is no key of somebody else's", async () => {
  const { set, inputsOf } = service();
  const before = { ...inputsOf({}), ids: {}, maskedKeys: {}, secrets: {} };
  const state = { ...before, __left: [{ id: "key_theirs", name: "a" }] };
  const after = await set.update("keys-1", state, inputsOf({ a: {} }));
  expect(after["ids"]).toEqual({ a: "key_new" });
  expect(after).not.toHaveProperty("__left");
  expect(set.warnings).toEqual([]);
});

test("R6 a set that was last written at another base URL is not deleted where its keys can't be found", async () => {
  const set = replying(apiKeySet, (asked) => {
    if (asked.method === "DELETE" || idIn(asked).startsWith("key_")) {
      throw new CallError("refused", "the service answered 404", 404);
    }
    return idIn(asked) === "api-key" ? { apiKeys: [] } : { workspace: { id: "ws_1" } };
  });
  const { inputs } = set.check(of({ a: {} }), undefined);
  const state = { ...inputs, ids: { a: "key_a" }, maskedKeys: {}, secrets: { a: "sk_a" } };
  await expect(set.delete("keys-1", { ...state, __service: "another" })).rejects.toThrow("key_a");
  expect(set.calls.map(({ method }) => method)).not.toContain("DELETE");
  await set.delete("keys-1", state);
  expect(set.calls.map(({ method }) => method)).toContain("DELETE");
});

test("K5 a refresh that finds a change gives the value that was taken over among the inputs", async () => {
  const { set, inputsOf } = service();
  const inputs = inputsOf({ a: { existingKey: "sk_new" } });
  const { id, state } = await set.create(inputs);
  const next = replying(apiKeySet, (asked) =>
    idIn(asked) === "api-key"
      ? { apiKeys: [] }
      : { apiKey: { id: "key_new", name: "a", customerId: "c", enabled: false, scopes: [] } },
  );
  const found = inputsOf({ a: { existingKey: "sk_new", enabled: false } });
  expect((await next.read(id, state))?.inputs).toEqual(found);
});

test.each(["ApiKey", "ApiKeySet"])(
  "K5 a key that was imported by itself and in a set stays where the %s is deleted first",
  async (first) => {
    const known = openKnown();
    const reply = (asked: Asked) => ({ apiKey: { id: idIn(asked), deleted: true } });
    const [single, set] = [replying(apiKey, reply, { known }), replying(apiKeySet, reply, { known })];
    const key = single.check({ workspaceId: "ws_1", customerId: "c", name: "a" }, undefined).inputs;
    const keys = set.check(of({ a: {} }), undefined).inputs;
    const both = [
      { of: single, id: "key_1", state: key, inputs: key },
      { of: set, id: "keys-1", state: { ...keys, ids: { a: "key_1" } }, inputs: keys },
    ];
    for (const one of both) one.of.diff(one.id, one.state, one.inputs);
    const [gone, last] = first === "ApiKey" ? both : both.toReversed();
    await gone?.of.delete(gone.id, gone.state);
    expect(gone?.of.calls).toEqual([]);
    expect(gone?.of.warnings.join()).toContain("(key_1) is left to another resource");
    await last?.of.delete(last.id, last.state);
    expect(last?.of.calls.map(({ method }) => method)).toEqual(["DELETE"]);
  },
);
