import { describe, expect, test, vi } from "vitest";
import { apiKeySet } from "../../../provider/resources/apiKeySet";
import { replying } from "../replying";

/** A set on a service that answers only when the test says so. */
function open() {
  const waiting: (() => void)[] = [];
  let made = 0;
  let most = 0;
  const set = replying(apiKeySet, async ({ method, body }) => {
    if (method === "GET") return { apiKeys: [] };
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
    });
    made += 1;
    return { apiKey: { ...(body as object), id: `key_${made}`, key: `sk_${made}` } };
  });
  const keys = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, place) => [`k${place}`, { customerId: "c" }]),
  );
  const { inputs } = set.check({ workspaceId: "ws_1", keys }, undefined);
  /** Answers the first `count` waiting requests, and lets the code that waited for them continue. */
  const answer = async (count: number) => {
    for (let given = 0; given < count; given += 1) {
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0), { interval: 0 });
      waiting.shift()?.();
    }
    await settled();
  };
  return { create: () => set.create(inputs), answer, told: set.progress, waiting, most: () => most };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

describe("the keys of a set", () => {
  test("are created 16 at a time", async () => {
    const set = open();
    const created = set.create();
    await settled();
    expect(set.waiting).toHaveLength(16);
    await set.answer(1_200);
    expect(Object.keys((await created).state["ids"] as object)).toHaveLength(1_200);
    expect(set.most()).toBe(16);
  });

  test("are counted in a line every 3 seconds, and no timer is left at the end", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const set = open();
      const created = set.create();
      await set.answer(312);
      vi.advanceTimersByTime(2_900);
      expect(set.told).toEqual([]);
      vi.advanceTimersByTime(200);
      expect(set.told).toEqual(["Keys of workspace ws_1: 312 of 1,200 created."]);
      await set.answer(1_200 - 312);
      await created;
      expect(vi.getTimerCount()).toBe(0);
      expect(set.told).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
