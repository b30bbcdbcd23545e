import type { Clock } from "../../provider/client/clock";

/** A clock on which waiting takes no time: it jumps to the end of the next wait. */
export interface QuickClock extends Clock {
  /** Every requested wait, in milliseconds. */
  readonly waits: readonly number[];
}

export function quickClock(wallStart = Date.parse("2026-01-01T00:00:00Z")): QuickClock {
  let now = 0;
  const waits: number[] = [];
  let pending: { at: number; run: () => void }[] = [];
  const jump = (): void => {
    pending.sort((a, b) => a.at - b.at);
    const next = pending.shift();
    if (next === undefined) return;
    now = Math.max(now, next.at);
    next.run();
  };
  return {
    waits,
    now: () => now,
    wallNow: () => wallStart + now,
    after: (ms, run) => {
      const entry = { at: now + ms, run };
      waits.push(ms);
      pending.push(entry);
      setImmediate(jump);
      return () => {
        pending = pending.filter((other) => other !== entry);
      };
    },
  };
}
