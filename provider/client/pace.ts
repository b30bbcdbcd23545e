import type { Clock } from "./clock";

/** A turn to send one request. */
export interface Turn {
  readonly dispatchedAt: number;
  /** How much of the wait was a pause that the service asked for, in milliseconds. */
  readonly pausedMs: number;
}

/** No turn: the pause is longer than the call may wait. */
interface TooLong {
  readonly pauseLeftMs: number;
}

export type Pace = ReturnType<typeof openPace>;

interface Waiter {
  readonly pausedBefore: number;
  readonly allowanceMs: number;
  readonly settle: (turn: Turn | TooLong) => void;
}

/** The pace of requests to one origin: how many at once, and when none at all. */
export function openPace(clock: Clock, most: number) {
  let limit = most;
  let inFlight = 0;
  let halvedAt = Number.NEGATIVE_INFINITY;
  let pause = { from: 0, until: 0 };
  let pausesOver = 0;
  let skipsPauses = false;
  let wake: (() => void) | undefined;
  let queue: Waiter[] = [];
  const resting = new Set<() => void>();

  const pausedSoFar = (now: number): number =>
    pausesOver + Math.max(0, Math.min(now, pause.until) - pause.from);

  function startNext(): void {
    wake?.();
    wake = undefined;
    const now = clock.now();
    if (now < pause.until) {
      if (queue.length > 0) wake = clock.after(pause.until - now, startNext);
      return;
    }
    while (inFlight < Math.floor(limit)) {
      const waiter = queue.shift();
      if (waiter === undefined) return;
      inFlight += 1;
      waiter.settle({ dispatchedAt: now, pausedMs: pausedSoFar(now) - waiter.pausedBefore });
    }
  }

  function dismissImpatient(now: number): void {
    const pauseLeftMs = pause.until - now;
    queue = queue.filter((waiter) => {
      const stays = pausedSoFar(now) - waiter.pausedBefore + pauseLeftMs <= waiter.allowanceMs;
      if (!stays) waiter.settle({ pauseLeftMs });
      return stays;
    });
  }

  return {
    /**
     * Waits for a turn; `allowanceMs` bounds the wait in pauses, not the one in the queue. `first` is for a call
     * that has had a turn already: it goes ahead of those that have not.
     */
    enter: (allowanceMs: number, first: boolean) =>
      new Promise<Turn | TooLong>((settle) => {
        const now = clock.now();
        const pauseLeftMs = pause.until - now;
        // Calls that wait already were dismissed when the pause began or grew, if it is too long for them.
        if (pauseLeftMs > 0 && pauseLeftMs > allowanceMs) return settle({ pauseLeftMs });
        const waiter = { pausedBefore: pausedSoFar(now), allowanceMs, settle };
        if (first) queue.unshift(waiter);
        else queue.push(waiter);
        startNext();
      }),
    /** Gives the turn back. */
    leave: () => {
      inFlight -= 1;
      startNext();
    },
    /** The service answered 429: a pause, and half as many at once from then on. */
    throttled: (turn: Turn, pauseMs: number) => {
      const now = clock.now();
      if (now >= pause.until) {
        pausesOver = pausedSoFar(now);
        pause = { from: now, until: now };
      }
      if (!skipsPauses) pause.until = Math.max(pause.until, now + pauseMs);
      // Requests that were under way together get their 429 together: that is one reason to slow down, not many.
      if (turn.dispatchedAt >= halvedAt) {
        limit = Math.max(1, limit / 2);
        halvedAt = now;
      }
      dismissImpatient(now);
      startNext();
    },
    get skipsPauses() {
      return skipsPauses;
    },
    /** A pause of one call alone, which ends early as well. */
    rest: (ms: number) =>
      new Promise<void>((resolve) => {
        if (skipsPauses) return resolve();
        const end = () => {
          resting.delete(end);
          cancel();
          resolve();
        };
        const cancel = clock.after(ms, end);
        resting.add(end);
      }),
    /** Ends a pause and allows no further one: all waiting calls get a turn. */
    skipPauses: () => {
      skipsPauses = true;
      for (const end of resting) end();
      pause.until = Math.min(pause.until, clock.now());
      startNext();
    },
    /** The service answered: as many successes as may run at once allow one more. */
    succeeded: () => {
      limit = Math.min(most, limit + 1 / limit);
    },
  };
}
