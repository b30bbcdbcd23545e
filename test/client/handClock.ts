import type { Clock } from "../../provider/client/clock";

/** A clock that a test moves by hand. */
export interface HandClock extends Clock {
  advance(ms: number): void;
  /** How many timers are waiting. */
  waiting(): number;
}

export function handClock(): HandClock {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    wallNow: () => now,
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: (ms) => {
      const until = now + ms;
      for (;;) {
        timers.sort((a, b) => a.at - b.at);
        const next = timers[0];
        if (next === undefined || next.at > until) break;
        timers.shift();
        now = next.at;
        next.run();
      }
      now = until;
    },
    waiting: () => timers.length,
  };
}
