/**
 * The engine's run, which may end early in two steps. First it is closed: nothing new starts, but the results of what is
 * under way are still saved. Then it is over: nobody takes results any more.
 */

/** A run as its operations see it. The reason of each signal is words to follow "because". */
export interface Run {
  readonly closed: AbortSignal;
  readonly over: AbortSignal;
  /** What may still warn: the process waits a moment for it before it ends. */
  lastWords?: Promise<unknown>;
  /** Counts the operation as under way until it ends. `line` says what it leaves if the process ends before. */
  during<T>(operation: () => Promise<T>, line?: () => string | undefined): Promise<T>;
}

/** A run as its process sees it. */
export interface OpenRun extends Run {
  close(reason: string): void;
  stop(reason: string): void;
  /** The lines of the operations under way. */
  readonly underWay: ReadonlySet<() => string | undefined>;
}

/** `onIdle` is called when the last operation under way has ended. */
export function openRun(onIdle: () => void = () => {}): OpenRun {
  const closed = new AbortController();
  const over = new AbortController();
  const underWay = new Set<() => string | undefined>();
  return {
    closed: closed.signal,
    over: over.signal,
    underWay,
    close: (reason) => closed.abort(reason),
    stop: (reason) => {
      closed.abort(reason);
      over.abort(reason);
    },
    async during(operation, line = () => undefined) {
      underWay.add(line);
      try {
        return await operation();
      } finally {
        underWay.delete(line);
        if (underWay.size === 0) onIdle();
      }
    },
  };
}

/** The run of an operation that has these seconds by its customTimeouts. After them, it is as if the run were over. */
export function within(seconds: number | undefined, run: Run): Run {
  if (!seconds) return run;
  const limit = new AbortController();
  const end = () => limit.abort(`its customTimeouts (${seconds} s) ran out`);
  // A timer can't count more.
  setTimeout(end, Math.min(seconds * 1_000, 2 ** 31 - 1)).unref();
  const until = (signal: AbortSignal) => AbortSignal.any([signal, limit.signal]);
  return { ...run, closed: until(run.closed), over: until(run.over) };
}

/** Why a request may not be sent. A closed run still deletes; once it is over, nobody learns the result of a write (R20). */
export function reasonAgainst(method: string, { closed, over }: Run): string | undefined {
  const signal = method === "DELETE" ? over : closed;
  return method !== "GET" && signal.aborted ? String(signal.reason) : undefined;
}

/** Waits, while another one begins. */
export type Aside = (wait: Promise<void>) => Promise<void>;

/** Does the same with each, in order, and with `most` at a time. */
export async function eachBounded<T>(
  most: number,
  all: readonly T[],
  act: (one: T, aside: Aside) => Promise<void>,
) {
  let free = most;
  const waiting: (() => void)[] = [];
  const begin = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const end = () => (waiting.shift() ?? (() => (free += 1)))();
  const aside: Aside = (wait) => {
    end();
    return wait.then(begin);
  };
  await Promise.all(
    all.map((one) =>
      begin()
        .then(() => act(one, aside))
        .finally(end),
    ),
  );
}
