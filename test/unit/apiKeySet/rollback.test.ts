import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import { openRun } from "../../../provider/core/run";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { failureOf, idIn, nameIn, replying } from "../replying";

const existingKey = "sk_value_of_long_ago";
const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });

/** A set whose run has ended before its results are saved, on a service that loses the answers for some keys. */
function ended({
  lost = [],
  fails = () => {},
  isOver = () => true,
}: {
  lost?: readonly string[];
  fails?: () => void;
  isOver?: () => boolean;
}) {
  const live: object[] = [];
  const set = replying(
    apiKeySet,
    (asked) => {
      const { method, body } = asked;
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
    { run: openRun({ ask: async () => (isOver() ? "the test ended it" : undefined) }) },
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

test("an update that can't be saved to state deletes the keys that it created, and no others", async () => {
  const { set, inputsOf, stateOf, deleted } = ended({});
  const { message, kept } = await failureOf(
    set.update("keys-1", stateOf(["a", "b"]), inputsOf({ a: {}, c: {} })),
  );
  expect(message).toMatch(/^The result could not be saved to state because the test ended it\./);
  expect(kept).toBeUndefined();
  expect(deleted()).toEqual(["key_c"]);
});

test("keys that were deleted before the run ended are named, because state still has them", async () => {
  const { set, inputsOf, stateOf, deleted } = ended({ isOver: () => deleted().length > 0 });
  const before = inputsOf({ a: {}, b: {} });
  const state = { ...stateOf(["a", "b"]), ids: { a: "key_old", b: "key_b" } };
  await failureOf(
    set.update("keys-1", { ...before, ...state }, inputsOf({ a: { keepers: { n: "2" } }, b: {} })),
  );
  expect(deleted()).toEqual(["key_old", "key_a"]);
  expect(set.warnings).toEqual([
    expect.stringMatching(
      /^Already deleted, although state still has them: "a" \(key_old\)\. .*`pulumi up --refresh`/,
    ),
  ]);
});

test("a key that leaves a set without a DELETE, because another resource adopts it, is not named as deleted", async () => {
  const { set, inputsOf, stateOf, deleted } = ended({ isOver: () => set.warnings.length > 0 });
  const { keys = {} } = inputsOf({ a: { existingId: "key_b" } }) as { keys?: object };
  // The check of the other set, which adopts b's key, claims it.
  set.check({ ...of(keys), defaults: { customerId: "c", scopes: [] } }, undefined, "other");
  const state = stateOf(["a", "b"]);
  await failureOf(set.update("keys-1", state, inputsOf({ a: {} })));
  expect(deleted()).toEqual([]);
  expect(set.warnings.join("\n")).toContain("stays in the service");
  expect(set.warnings.join("\n")).not.toContain("Already deleted");
});

test("K5 a key that state has still to delete is not named as left behind", async () => {
  const { set, inputsOf, stateOf, deleted } = ended({});
  const before = { ...stateOf(["b"]), __toDelete: [{ id: "key_a", name: "a" }] };
  await failureOf(set.update("keys-1", before, inputsOf({ a: { existingKey }, b: {} })));
  expect(deleted()).toEqual([]);
  expect(set.warnings.join("\n")).not.toContain("exists in the service with id key_a");
});

test.each(["create", "update"] as const)(
  "a warning names a key whose answer was lost in a %s that can't be saved to state",
  async (operation) => {
    const { set, inputsOf, stateOf, deleted } = ended({ lost: ["a"] });
    const inputs = inputsOf({ a: {}, b: {} });
    await failureOf(
      operation === "create" ? set.create(inputs) : set.update("keys-1", stateOf(["b"]), inputs),
    );
    expect(deleted()).toEqual(operation === "create" ? ["key_b"] : []);
    expect(set.warnings).toEqual([
      expect.stringMatching(/^"a": Creating key "a" .*It is not known whether the key was created.*key_a/),
    ]);
  },
);

test("each key that could not be deleted again is named, whatever the reason", async () => {
  const { set, inputsOf } = ended({
    fails: () => {
      throw new TypeError("private words");
    },
  });
  const aliases = Array.from({ length: 25 }, (_, place) => `k${place}`);
  const { message } = await failureOf(
    set.create(inputsOf(Object.fromEntries(aliases.map((alias) => [alias, {}])))),
  );
  const told = [message, ...set.warnings].join("\n");
  expect(told).toContain("unexpected error (TypeError)");
  for (const alias of aliases) expect(told).toContain(`"${alias}"`);
  expect(told).not.toContain("private");
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
