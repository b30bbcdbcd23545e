import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../provider/client/callError";
import type { Transport } from "../../provider/client/transport";
import { lastingMs, readFresh, sharedReads } from "../../provider/reads/sharedReads";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const credentials = { baseUrl: "https://api.test", accessToken: "token" };
const silent: Transport = { send: () => new Promise(() => {}), writes: 0, close: async () => {} };
const late = { problem: "no answer came within 10 s" };

describe("a list that does not come", () => {
  const reads = sharedReads({ transport: silent, credentials });

  test.each(["recent", "current", "fresh"] as const)(
    "of keys, which can be read singly too, holds nobody up for longer than 10 s: %s",
    async (how) => {
      const done: unknown[] = [];
      for (const reader of ["a", "b", "c"]) {
        void reads
          .keys(`ws of ${how}`)
          [how](lastingMs, reader)
          .then((answer) => done.push(answer));
      }
      await vi.advanceTimersByTimeAsync(10_000);
      expect(done).toEqual([late, late, late]);
    },
  );

  test.each([
    ["of keys, where it alone tells", reads.keys("ws_1").awaited],
    ["of scopes", () => reads.scopes("ws_1").recent(lastingMs)],
    ["of workspaces", () => reads.workspaces.recent(lastingMs)],
  ])("is waited for: %s", async (_, read) => {
    const done: unknown[] = [];
    void read().then((answer) => done.push(answer));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(done).toEqual([]);
  });
});

describe("what is read together", () => {
  test("is shared by all calls with the same base URL and token over the same connections, and by no others", () => {
    const call = { transport: silent, credentials };
    const keys = sharedReads(call).keys("ws_1");
    expect(sharedReads({ ...call, credentials: { ...credentials } }).keys("ws_1")).toBe(keys);
    for (const other of [
      { ...call, credentials: { ...credentials, accessToken: "another" } },
      { ...call, credentials: { ...credentials, baseUrl: "https://other.test" } },
      { ...call, transport: { ...silent } },
    ]) {
      expect(sharedReads(other).keys("ws_1")).not.toBe(keys);
    }
    expect(sharedReads(call).keys("ws_2")).not.toBe(keys);
  });

  test("tells each reader what the call failed with", async () => {
    const error = new CallError("refused", "the service answered 403", 403);
    const refusing: Transport = { ...silent, send: async () => Promise.reject(error) };
    const list = sharedReads({ transport: refusing, credentials }).keys("ws_1");
    expect(await list.recent(lastingMs)).toEqual({ problem: "the service answered 403", error });
    await expect(readFresh(list)).rejects.toBe(error);
  });
});
