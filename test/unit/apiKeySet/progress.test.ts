import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { service as setService } from "./setService";

const of = (count: number, first = {}) => ({
  workspaceId: "ws_1",
  defaults: { customerId: "c" },
  keys: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n === 0 ? first : {}])),
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** Waits until all code that needs no further answer has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** A set on a service that delays its answers to requests of one method about a key. */
function service() {
  const set = setService();
  const waiting: (() => void)[] = [];
  const delay = (method: string) =>
    set.always(
      (asked) => asked.method === method && !asked.path.endsWith(method === "GET" ? "/api-key" : "/ws_1"),
      async (answer) => {
        await new Promise<void>((resume) => waiting.push(resume));
        return answer();
      },
    );
  const answer = async () => {
    const most = waiting.length;
    for (const resume of waiting.splice(0)) resume();
    await settled();
    return most;
  };
  /** The operation's result, and the lines printed in three seconds without an answer to these requests. */
  const without = async <T>(method: string, operation: () => Promise<T>) => {
    delay(method);
    set.progress.length = 0;
    const over = operation();
    await settled();
    vi.advanceTimersByTime(3_100);
    const shown = [...set.progress];
    set.mend();
    await answer();
    const result = await over;
    expect(vi.getTimerCount()).toBe(0);
    return { shown, result };
  };
  return { set, delay, answer, without };
}

test("E1 the progress line of a set counts the keys created, written, deleted or read", async () => {
  const { set, without } = service();
  const both = of(2);
  const created = await without("POST", () => set.create(both));
  expect(created.shown).toEqual(["Keys of workspace ws_1: 0 of 2 created."]);
  const { id, state } = created.result;
  const updated = await without("PATCH", () => set.update(created.result, of(2, { name: "new" }), both));
  expect(updated.shown).toEqual(["Keys of workspace ws_1: 0 of 1 written."]);
  const read = await without("GET", () => set.read(id, state));
  expect(read.shown).toEqual(["Keys of workspace ws_1: 0 of 2 read."]);
  const removed = await without("DELETE", () => set.update(created.result, of(1), both));
  expect(removed.shown).toEqual(["Keys of workspace ws_1: 0 of 1 deleted."]);
  const deleted = await without("DELETE", () => set.delete(id, removed.result.state));
  expect(deleted.shown).toEqual(["Keys of workspace ws_1: 0 of 1 deleted."]);
});

test("E1 the keys of a set are created a few at a time", async () => {
  const { set, delay, answer } = service();
  delay("POST");
  const created = set.create(of(40));
  await settled();
  expect([await answer(), await answer(), await answer()]).toEqual([16, 16, 8]);
  expect(Object.keys((await created).state["ids"] as object)).toHaveLength(40);
});

test("R18 a refresh of a set prints no note about what an update would do", async () => {
  const { set } = service();
  const { id, state } = await set.create(of(1));
  const none = set.check(of(0), undefined).inputs;
  await set.read(id, state);
  set.diff(id, state, none);
  expect(set.progress).toEqual([]);
  set.check(of(0), undefined);
  set.diff(id, state, none);
  expect(set.progress).toEqual([expect.stringContaining('1 to delete: "k0"')]);
});
