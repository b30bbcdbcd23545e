import { expect, test, vi } from "vitest";
import { pause, pausesMs, pollUntil } from "../../provider/core/polling";

/** What is seen in turn, and how often it was looked for and waited. */
function looking(seen: readonly string[], over = new AbortController().signal) {
  const paused: number[] = [];
  const told: string[] = [];
  let looks = 0;
  const session = {
    over,
    pause: async (ms: number) => void paused.push(ms),
    tell: (line: string) => void told.push(line),
  };
  const look = async () => seen[Math.min(looks++, seen.length - 1)] ?? "";
  const found = pollUntil(session, "it", look, (one) => one === "done");
  return { found, paused, told, looks: () => looks };
}

test("what is done at once is not waited for", async () => {
  const { found, paused, told } = looking(["done"]);
  expect(await found).toBe("done");
  expect([paused, told]).toEqual([[], []]);
});

test("what is never done is looked at after each pause, and told once", async () => {
  const { found, paused, told, looks } = looking(["not yet"]);
  expect(await found).toBe("not yet");
  expect(paused).toEqual(pausesMs);
  expect(looks()).toBe(pausesMs.length + 1);
  expect(told).toEqual(["Waiting for it."]);
});

test("nothing is waited for once nobody takes the result", async () => {
  const { found, paused } = looking(["not yet", "done"], AbortSignal.abort());
  expect(await found).toBe("not yet");
  expect(paused).toEqual([]);
});

test("a pause ends when nobody takes the result any more", async () => {
  vi.useFakeTimers();
  const ending = new AbortController();
  const ended = pause(10_000, ending.signal);
  ending.abort();
  await ended;
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
