import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { openRun } from "../../../provider/core/run";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, idIn, nameIn, replying } from "../replying";

const existingKey = "sk_value_of_long_ago";
const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });

/** A set whose run ends at the first request of this method, on a service that loses the answers for some keys. */
function ended({
  at = "POST",
  lost = [],
  fails = () => {},
}: {
  at?: string;
  lost?: readonly string[];
  fails?: () => void;
}) {
  const live: object[] = [];
  const run = openRun();
  const set = replying(
    apiKeySet,
    (asked) => {
      const { method, body } = asked;
      if (method === at) run.stop("the test ended it");
      if (method === "GET") return { apiKeys: live };
      if (method === "DELETE") {
        fails();
        return { apiKey: { id: idIn(asked), deleted: true } };
      }
      const name = nameIn(asked);
      const { key = `sk_${name}`, ...sent } = body as { key?: string };
      const apiKey = { enabled: true, scopes: [], ...sent, id: `key_${name}` };
      live.push(apiKey);
      if (lost.includes(name)) throw new CallError("ambiguous", "the connection was lost");
      return { apiKey: { ...apiKey, key } };
    },
    { run },
  );
  const inputsOf = (keys: object) => set.check(of(keys), undefined).inputs;
  const stateOf = (aliases: readonly string[]) => {
    const by = (prefix: string) => Object.fromEntries(aliases.map((alias) => [alias, prefix + alias]));
    const inputs = inputsOf(Object.fromEntries(aliases.map((alias) => [alias, {}])));
    return { ...inputs, ids: by("key_"), maskedKeys: {}, secrets: by("sk_") };
  };
  const deleted = () => set.calls.filter(({ method }) => method === "DELETE").map(idIn);
  return { set, inputsOf, stateOf, deleted };
}

test("R20 a create that nobody saves deletes the keys that it created, and no existing one", async () => {
  const { set, inputsOf, deleted } = ended({});
  const { message, kept } = await failureOf(set.create(inputsOf({ a: {}, b: {}, c: { existingKey } })));
  expect(message).toMatch(/^The result could not be saved to state because the test ended it\./);
  expect(kept).toBeUndefined();
  expect(deleted().toSorted()).toEqual(["key_a", "key_b"]);
  expect(set.warnings).toEqual([
    expect.stringMatching(/^Keys of workspace ws_1 \(key_c\): the run ended before /),
  ]);
});

test("R20 an update that nobody saves deletes nothing, and names its new keys", async () => {
  const { set, inputsOf, stateOf, deleted } = ended({});
  const before = { ...stateOf(["b"]), __toDelete: [{ id: "key_old", name: "old" }] };
  const inputs = inputsOf({ b: {}, c: {}, d: { existingKey } });
  await set.update("keys-1", before, inputs).catch(() => {});
  expect(deleted()).toEqual([]);
  expect(set.warnings).toEqual([
    expect.stringMatching(
      /^Keys of workspace ws_1 \(key_c, key_d\): the run ended before .*Delete a new key.*Don't delete the key of an existingKey/,
    ),
  ]);
});

test.each(["create", "update"] as const)(
  "R20 a warning names a key whose answer was lost in a %s that nobody saves",
  async (operation) => {
    const { set, inputsOf, stateOf } = ended({ lost: ["a"] });
    const inputs = inputsOf({ a: {}, b: {} });
    await failureOf(
      operation === "create" ? set.create(inputs) : set.update("keys-1", stateOf(["b"]), inputs),
    );
    expect(set.warnings).toEqual([
      expect.stringMatching(/^"a": Creating key "a" .*It is not known whether the key was created.*key_a/),
    ]);
  },
);

test("R20 the keys that could not be deleted again are named", async () => {
  const { set, inputsOf } = ended({
    fails: () => {
      throw new TypeError("private words");
    },
  });
  const { message } = await failureOf(set.create(inputsOf({ a: {}, b: {} })));
  expect(set.warnings).toEqual([expect.stringMatching(/^Keys of workspace ws_1 \(key_a, key_b\): /)]);
  expect([message, ...set.warnings].join()).not.toContain("private");
});

test("no further key is created once the run has ended", async () => {
  const run = openRun();
  let posts = 0;
  const set = replying(
    apiKeySet,
    (asked) => {
      if (asked.method === "GET") return { apiKeys: [] };
      if (asked.method === "DELETE") return { apiKey: { id: idIn(asked), deleted: true } };
      posts += 1;
      run.stop("the test ended it");
      return { apiKey: { ...(asked.body as object), id: `key_${posts}`, key: `sk_${posts}` } };
    },
    { run },
  );
  const keys = Object.fromEntries(Array.from({ length: 60 }, (_, place) => [`k${place}`, {}]));
  await failureOf(set.create(set.check(of(keys), undefined).inputs));
  expect(posts).toBeLessThanOrEqual(16);
});

describe("R20 once the run is canceled, no further key of a set", () => {
  const aliases = Array.from({ length: 60 }, (_, place) => `k${place}`);
  const toDelete = aliases.map((alias) => ({ id: `key_${alias}`, name: alias }));

  /** A set in state, in a run that is canceled during the first request of this method about a key. */
  function canceledAt(method: string) {
    const run = openRun();
    const set = replying(
      apiKeySet,
      (asked) => {
        const id = idIn(asked);
        if (id === "api-key") return { apiKeys: [] };
        if (asked.method === method) run.close("the run was canceled");
        return { apiKey: { id, enabled: true, scopes: [], deleted: asked.method === "DELETE" } };
      },
      { run },
    );
    const by = (prefix: string) => Object.fromEntries(aliases.map((alias) => [alias, prefix + alias]));
    const { inputs } = set.check(of(Object.fromEntries(aliases.map((alias) => [alias, {}]))), undefined);
    const state = { ...inputs, ids: by("key_"), maskedKeys: {}, secrets: by("sk_") };
    const none = { ...set.check(of({}), undefined).inputs, ids: {}, maskedKeys: {}, secrets: {} };
    const about = () => new Set(set.calls.filter((asked) => asked.method === method).map(idIn)).size;
    return { ...set, state, none, about };
  }

  test("is deleted", async () => {
    const set = canceledAt("DELETE");
    const { message } = await failureOf(set.delete("keys-1", set.state));
    expect(message).toMatch(/: \d+ of 60 failed\. .*Skipped: the run was canceled\./s);
    expect(set.about()).toBeLessThanOrEqual(16);
  });

  test("is read", async () => {
    const set = canceledAt("GET");
    const { message } = await failureOf(set.read("keys-1", set.state));
    expect(message).toMatch(/: \d+ of 60 failed\. .*Skipped: the run was canceled\./s);
    expect(set.about()).toBeLessThanOrEqual(17);
  });

  test("that is still to be deleted is looked up", async () => {
    const set = canceledAt("GET");
    const read = await set.read("keys-1", { ...set.none, __toDelete: toDelete });
    expect(read?.state["__toDelete"]).toEqual(toDelete);
    expect(set.about()).toBeLessThanOrEqual(16);
  });
});
