import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../../provider/client/callError";
import type { Transport } from "../../../provider/client/transport";
import { readFresh, sharedReads } from "../../../provider/reads/sharedReads";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const credentials = { baseUrl: "https://api.test", accessToken: "token" };
const silent: Transport = { send: () => new Promise(() => {}), writes: 0, close: async () => {} };
const late = { problem: "no answer came within 10 s" };

describe("a list that is not answered", () => {
  const reads = sharedReads({ transport: silent, credentials });

  test.each(["recent", "current", "fresh"] as const)(
    "delays readers by at most 10 s if keys can be read one by one instead: %s",
    async (how) => {
      const done: unknown[] = [];
      for (const reader of ["a", "b", "c"]) {
        void reads
          .keys(`ws of ${how}`)
          [how](reader)
          .then((answer) => done.push(answer));
      }
      await vi.advanceTimersByTimeAsync(10_000);
      expect(done).toEqual([late, late, late]);
    },
  );

  test.each([
    ["of keys, if only the list can tell", reads.keys("ws_1").awaited],
    ["of scopes", () => reads.scopes("ws_1").recent()],
    ["of workspaces", () => reads.workspaces.recent()],
  ])("is waited for if it is a list %s", async (_, read) => {
    const done: unknown[] = [];
    void read().then((answer) => done.push(answer));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(done).toEqual([]);
  });
});

describe("a list that several operations read", () => {
  test("is shared only by calls with the same base URL, token and connections", () => {
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

  test("gives each reader the error of the request", async () => {
    const error = new CallError("refused", "the service answered 403", 403);
    const refusing: Transport = { ...silent, send: async () => Promise.reject(error) };
    const list = sharedReads({ transport: refusing, credentials }).keys("ws_1");
    expect(await list.recent()).toEqual({ problem: "the service answered 403", error });
    await expect(readFresh(list)).rejects.toBe(error);
  });
});
