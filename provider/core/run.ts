/**
 * The engine's run, which may end early in two steps. First it is closed: nothing new starts, but the results of what is
 * under way are still saved. Then it is over: the engine saves nothing any more.
 */

/**
 * Sets the line to print if the process ends before the operation does; `undefined` clears it. `part` names one of several
 * objects. The line is a function because it is hardly ever printed.
 */
export type OnInterrupt = (line: (() => string) | undefined, part?: string) => void;

/** A run as its operations see it. Reasons are words to follow "because". */
export interface Run {
  /** Why nothing new may start; `undefined` if it may. Ask before a write is sent. */
  whyClosed(): Promise<string | undefined>;
  /** Why a result can't be saved; `undefined` if it can. Ask before a create returns. */
  whyOver(): Promise<string | undefined>;
  /** Aborted when the run is closed. */
  readonly closed: AbortSignal;
  /** Aborted when the run is over. */
  readonly over: AbortSignal;
  /** Counts the operation as under way until it ends. */
  during<T>(operation: (onInterrupt: OnInterrupt) => Promise<T>): Promise<T>;
}

/** A run as its process sees it. */
export interface OpenRun extends Run {
  /** Closes the run. */
  close(reason: string): void;
  /** Closes the run and declares it over. */
  stop(reason: string): void;
  /** How many operations are under way. */
  readonly underWay: number;
  /** The lines of `OnInterrupt` that are set now. */
  interruptLines(): readonly string[];
}

export interface RunOptions {
  /** Finds out why the run is over, if it is. Default: it is over when it is stopped. */
  readonly ask?: () => Promise<string | undefined>;
  /** Called when the last operation under way has ended. */
  readonly onIdle?: () => void;
}

export function openRun({ ask = async () => undefined, onIdle = () => {} }: RunOptions = {}): OpenRun {
  const closed = new AbortController();
  const over = new AbortController();
  const underWay = new Set<Map<string | undefined, () => string>>();
  let reasonClosed: string | undefined;
  let reasonOver: string | undefined;
  let asking: Promise<string | undefined> | undefined;

  function close(why: string): void {
    if (reasonClosed !== undefined) return;
    reasonClosed = why;
    closed.abort();
  }
  function stop(why: string): void {
    close(why);
    if (reasonOver !== undefined) return;
    reasonOver = why;
    over.abort();
  }
  async function whyOver(): Promise<string | undefined> {
    if (reasonOver !== undefined) return reasonOver;
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
    return reasonOver;
  }
  return {
    closed: closed.signal,
    over: over.signal,
    whyClosed: async () => reasonClosed ?? whyOver(),
    whyOver,
    async during(operation) {
      const lines = new Map<string | undefined, () => string>();
      underWay.add(lines);
      try {
        return await operation((line, part) => {
          if (line === undefined) lines.delete(part);
          else lines.set(part, line);
        });
      } finally {
        underWay.delete(lines);
        if (underWay.size === 0) onIdle();
      }
    },
    close,
    stop,
    get underWay() {
      return underWay.size;
    },
    interruptLines: () => [...underWay].flatMap((lines) => Array.from(lines.values(), (line) => line())),
  };
}

/** The result of the work, or `instead` if the signal is aborted first. */
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

/** More at once are hardly faster, and a service may limit how many it answers. */
const mostAtOnce = 16;

/** Does the same with each, in order, a few at a time. */
export async function eachBounded<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const work = async () => {
    for (const one of waiting) await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, all.length) }, work));
}
