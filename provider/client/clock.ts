/** Time as the client sees it, so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Milliseconds since the epoch. */
  wallNow(): number;
  /** Runs once after so many milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
