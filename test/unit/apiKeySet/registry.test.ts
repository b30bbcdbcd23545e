import { expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { apiKey } from "../../../provider/resources/apiKey";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { type Asked, failureOf, idIn, replying } from "../replying";

const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });
const theirs = { id: "key_theirs", name: "a", customerId: "c" };

/** A service that already has a key with the name "a". */
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

test("create warns about an existing key of the same name, unless another resource in this run has it", async () => {
  const { set, inputsOf } = service();
  await set.create(inputsOf({ a: {} }));
  expect(set.warnings).toEqual([
    expect.stringContaining("already has a key with this name and customer: key_theirs."),
  ]);

  const other = service();
  // The engine compares it in this run.
  const state = { ...other.inputsOf({ a: {} }), ids: { a: theirs.id }, maskedKeys: {}, secrets: { a: "sk" } };
  other.set.diff("keys-other", state, other.inputsOf({ a: {} }));
  await other.set.create(other.inputsOf({ a: {} }));
  expect(other.set.warnings).toEqual([]);
});

test("an update does not warn about a key of the same name that the set has still to delete", async () => {
  const { set, inputsOf } = service();
  const before = { ...inputsOf({}), ids: {}, maskedKeys: {}, secrets: {} };
  const state = { ...before, __toDelete: [{ id: "key_theirs", name: "a" }] };
  const after = await set.update("keys-1", state, inputsOf({ a: {} }));
  expect(after["ids"]).toEqual({ a: "key_new" });
  expect(after).not.toHaveProperty("__toDelete");
  expect(set.warnings).toEqual([]);
});

test("R6 deleting a set fails if it was last written at another base URL", async () => {
  const set = replying(apiKeySet, (asked) => {
    if (asked.method === "DELETE" || idIn(asked).startsWith("key_")) {
      throw new CallError("refused", "the service answered 404", 404);
    }
    return idIn(asked) === "api-key" ? { apiKeys: [] } : { workspace: { id: "ws_1" } };
  });
  const { inputs } = set.check(of({ a: {} }), undefined);
  const state = { ...inputs, ids: { a: "key_a" }, maskedKeys: {}, secrets: { a: "sk_a" } };
  await expect(set.delete("keys-1", { ...state, __service: "another" })).rejects.toThrow(
    "was sent to another base URL",
  );
  expect(set.calls.map(({ method }) => method)).not.toContain("DELETE");
  await set.delete("keys-1", state);
  expect(set.calls.map(({ method }) => method)).toContain("DELETE");
});

test("K5 a refresh that finds a change returns inputs that include existingKey", async () => {
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

test("the error of a refresh quotes the service's answer without the secrets of the set's keys", async () => {
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
