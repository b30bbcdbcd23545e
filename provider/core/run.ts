/** The run of the engine that a process serves, and how it may end before the operations that it asked for. */

/**
 * Notes the line to be printed if the process ends before the operation's result is taken; `undefined` clears it. `of`
 * names one of several things. It is put into words when it is printed, which is hardly ever.
 */
export type OnInterrupt = (line: (() => string) | undefined, of?: string) => void;

export interface Run {
  /**
   * Why nothing new should start, as words to follow "because"; `undefined` while the run goes on. What is under
   * way is brought to its end, and its result is taken unless the run is over too. To be asked before a write is sent.
   */
  closing(): Promise<string | undefined>;
  /** Why results can't be saved any more; `undefined` while they can. To be checked before a create returns. */
  over(): Promise<string | undefined>;
  /** Aborted as soon as nothing new should start. */
  readonly closed: AbortSignal;
  /** Aborted as soon as it is over. */
  readonly signal: AbortSignal;
  /** An operation whose result the engine waits for. */
  during<T>(operation: (onInterrupt: OnInterrupt) => Promise<T>): Promise<T>;
}

/** A run with its other end: that of the process which serves it. */
export interface OpenRun extends Run {
  /** Nothing new is begun from now on. */
  close(reason: string): void;
  /** Nobody takes results from now on. */
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
  const closed = new AbortController();
  const ending = new AbortController();
  const underWay = new Map<object, Map<string | undefined, () => string>>();
  let whyClosed: string | undefined;
  let reason: string | undefined;
  let asking: Promise<string | undefined> | undefined;

  function close(why: string): void {
    if (whyClosed !== undefined) return;
    whyClosed = why;
    closed.abort();
  }
  function stop(why: string): void {
    close(why);
    if (reason !== undefined) return;
    reason = why;
    ending.abort();
  }
  async function over(): Promise<string | undefined> {
    if (reason !== undefined) return reason;
    asking ??= askOnce();
    return asking;
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
    closed: closed.signal,
    signal: ending.signal,
    closing: async () => whyClosed ?? over(),
    over,
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
    close,
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
