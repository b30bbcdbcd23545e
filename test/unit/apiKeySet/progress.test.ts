import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openRun } from "../../../provider/core/run";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { type Asked, replying } from "../replying";

const of = (keys: object) => ({ workspaceId: "ws_1", defaults: { customerId: "c" }, keys });

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A set of two keys on a service that delays its answers to requests of one method. */
function service(run = openRun()) {
  const waiting: (() => void)[] = [];
  let unanswered = "";
  const set = replying(
    apiKeySet,
    async ({ method, path, body }: Asked) => {
      if (method === "GET" && path.endsWith("/api-key")) return { apiKeys: [] };
      if (method === unanswered) await new Promise<void>((answer) => waiting.push(answer));
      const sent = body as { name: string } | undefined;
      const id = method === "POST" ? `key_${sent?.name}` : (path.split("/").at(-1) ?? "");
      const apiKey = { enabled: true, scopes: [], customerId: "c", name: id.slice(4), ...sent, id };
      return { apiKey: { ...apiKey, key: `sk_${id}`, deleted: method === "DELETE" } };
    },
    { run },
  );
  /** The operation's result, and the lines printed in three seconds without an answer to these requests. */
  const without = async <T>(method: string, operation: () => Promise<T>) => {
    unanswered = method;
    set.progress.length = 0;
    const over = operation();
    await vi.waitFor(() => expect(waiting).not.toEqual([]), { interval: 0 });
    vi.advanceTimersByTime(3_100);
    const shown = [...set.progress];
    unanswered = "";
    for (const answer of waiting.splice(0)) answer();
    const result = await over;
    expect(vi.getTimerCount()).toBe(0);
    return { shown, result };
  };
  return { set, without };
}

test("the progress line of a set counts the keys created, written, deleted or read", async () => {
  const { set, without } = service();
  const inputs = set.check(of({ a: {}, b: {} }), undefined).inputs;
  const created = await without("POST", () => set.create(inputs));
  expect(created.shown).toEqual(["Keys of workspace ws_1: 0 of 2 created."]);
  const { id, state } = created.result;
  const edited = set.check(of({ a: { name: "new" }, b: {} }), inputs).inputs;
  const updated = await without("PATCH", () => set.update(id, state, edited));
  expect(updated.shown).toEqual(["Keys of workspace ws_1: 0 of 1 written."]);
  const read = await without("GET", () => set.read(id, state));
  expect(read.shown).toEqual(["Keys of workspace ws_1: 0 of 2 read."]);
  const fewer = set.check(of({ a: {} }), inputs).inputs;
  const removed = await without("DELETE", () => set.update(id, state, fewer));
  expect(removed.shown).toEqual(["Keys of workspace ws_1: 0 of 1 deleted."]);
  const deleted = await without("DELETE", () => set.delete(id, removed.result));
  expect(deleted.shown).toEqual(["Keys of workspace ws_1: 0 of 1 deleted."]);
});

test("a refresh of a set prints no note about what an update would do", async () => {
  const { set } = service();
  const inputs = set.check(of({ a: {} }), undefined).inputs;
  const { id, state } = await set.create(inputs);
  const none = set.check(of({}), undefined).inputs;
  await set.read(id, state);
  set.diff(id, state, none);
  expect(set.progress).toEqual([]);
  set.check(of({}), undefined);
  set.diff(id, state, none);
  expect(set.progress).toEqual([expect.stringContaining('1 to delete: "a"')]);
});
