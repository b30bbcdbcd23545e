import { expect, test, vi } from "vitest";
import { pause, pausesMs, pollUntil } from "../../../provider/core/converge";

/** Polls a value that is `seen` in turn, and counts looks and pauses. */
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
  const found = pollUntil(session, { waitingFor: "it", look, isDone: (one) => one === "done" });
  return { found, paused, told, looks: () => looks };
}

test("polling looks once more after each pause, prints one line, and returns the last value if nothing changes", async () => {
  const { found, paused, told, looks } = looking(["not yet"]);
  expect(await found).toBe("not yet");
  expect(paused).toEqual(pausesMs);
  expect(looks()).toBe(pausesMs.length + 1);
  expect(told).toEqual(["Waiting for it."]);
});

test("polling does not pause after the run has ended", async () => {
  const { found, paused } = looking(["not yet", "done"], AbortSignal.abort());
  expect(await found).toBe("not yet");
  expect(paused).toEqual([]);
});

test("a pause ends when the run ends", async () => {
  vi.useFakeTimers();
  const ending = new AbortController();
  const ended = pause(10_000, ending.signal);
  ending.abort();
  await ended;
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
