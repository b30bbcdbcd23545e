import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Transport } from "../../provider/client/transport";
import { sharedReads } from "../../provider/reads/sharedReads";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("what can be read singly too", () => {
  const silent: Transport = { send: () => new Promise(() => {}), writes: 0, close: async () => {} };
  const reads = sharedReads({
    transport: silent,
    credentials: { baseUrl: "https://api.test", accessToken: "token" },
  });

  test.each([
    ["keys", reads.keys("ws_1").read<string>],
    ["settings", reads.workspaces.read<string>],
  ])("is not held up for longer than 10 s by a list that does not come: %s", async (_, read) => {
    const done: string[] = [];
    for (const id of ["a", "b", "c"]) {
      void read(id, {
        single: async () => ({ record: undefined, result: id }),
        unchanged: () => undefined,
        alike: () => false,
      }).then((result) => done.push(result));
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(done).toEqual(["a", "b", "c"]);
  });
});
