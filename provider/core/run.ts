/** The run of the engine that a process serves, and how it may end before the operations that it asked for. */

/**
 * Notes the line to be printed if the process ends before the operation's result is taken; `undefined` clears it. `of`
 * names one of several things. It is put into words when it is printed, which is hardly ever.
 */
export type OnInterrupt = (line: (() => string) | undefined, of?: string) => void;

export interface Run {
  /**
   * Why the run is over, as words to stand after "because"; `undefined` while it goes on. To be asked before a write is
   * sent, and before a create returns.
   */
  over(): Promise<string | undefined>;
  /** Aborted as soon as it is over. */
  readonly signal: AbortSignal;
  /** An operation whose result the engine waits for. */
  during<T>(operation: (onInterrupt: OnInterrupt) => Promise<T>): Promise<T>;
}

/** A run with its other end: that of the process which serves it. */
export interface OpenRun extends Run {
  stop(reason: string): void;
  /** How many operations are under way. */
  readonly underWay: number;
  /** What they would leave behind if the process ended now. */
  leftovers(): readonly string[];
}

export interface RunOptions {
  /** Finds out why the run is over, if it is. Default: only `stop` ends it. */
  readonly ask?: () => Promise<string | undefined>;
  /** Called when an operation has ended and none is left. */
  readonly onIdle?: () => void;
}

export function openRun({ ask = async () => undefined, onIdle = () => {} }: RunOptions = {}): OpenRun {
  const ending = new AbortController();
  const underWay = new Map<object, Map<string | undefined, () => string>>();
  let reason: string | undefined;
  let asking: Promise<string | undefined> | undefined;

  function stop(why: string): void {
    if (reason !== undefined) return;
    reason = why;
    ending.abort();
  }
  async function askOnce(): Promise<string | undefined> {
    try {
      const found = await ask();
      if (found !== undefined) stop(found);
    } finally {
      asking = undefined;
    }
    return reason;
  }
  return {
    signal: ending.signal,
    over: async () => {
      if (reason !== undefined) return reason;
      asking ??= askOnce();
      return asking;
    },
    async during(operation) {
      const token = {};
      const left = new Map<string | undefined, () => string>();
      underWay.set(token, left);
      try {
        return await operation((line, of) => {
          if (line === undefined) left.delete(of);
          else left.set(of, line);
        });
      } finally {
        underWay.delete(token);
        if (underWay.size === 0) onIdle();
      }
    },
    stop,
    get underWay() {
      return underWay.size;
    },
    leftovers: () => [...underWay.values()].flatMap((left) => Array.from(left.values(), (line) => line())),
  };
}

/** What the work comes to, or `instead` as soon as the signal is aborted. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>, instead: () => T): Promise<T> {
  let stop = () => {};
  const stopped = new Promise<T>((resolve) => {
    stop = () => resolve(instead());
  });
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
