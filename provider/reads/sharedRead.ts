/** What many operations read at about the same time: one request serves them all. */
export interface SharedRead<T> {
  /** An answer that was asked for no longer ago than this, be it by somebody else. */
  recent(maxAgeMs: number): Promise<T>;
  /**
   * One that serves each reader once, until this process writes; `undefined` to a reader that has to ask by itself, since
   * no other is asked for while the last is so young.
   */
  current(maxAgeMs: number, reader: string): Current<T> | undefined;
  /** One that is asked for from now on. */
  fresh(): Promise<T>;
  /** The same, however long it takes. */
  awaited(): Promise<T>;
}

interface Current<T> {
  readonly answer: Promise<T>;
  /** Whether this process has written since it was asked for. */
  readonly overtaken: boolean;
}

export interface SharedReadOptions<T> {
  /** Where the answer takes longer than this, everybody goes on with `late` until it is there. Default: no limit. */
  readonly patience?: { readonly ms: number; readonly late: T };
  /** An answer is held in memory for so long: nobody asks for an older one. Default: for ever. */
  readonly lastingMs?: number;
  /** Grows whenever a write of this process begins or ends. */
  readonly writes: () => number;
}

interface Asked<T> {
  readonly at: number;
  readonly writes: number;
  readonly given: Promise<T>;
  readonly answer: Promise<T>;
}

interface Held<T> {
  last: Asked<T> | undefined;
  readers: (Asked<T> & { readonly served: Set<string> }) | undefined;
}

// Apart, with a weak reference, so that a timer keeps nothing in memory that nobody else needs.
function forget(reference: WeakRef<Held<unknown>>): void {
  const held = reference.deref();
  if (held !== undefined) Object.assign(held, { last: undefined, readers: undefined });
}

/** `read` is not to reject. */
export function openSharedRead<T>(
  read: () => Promise<T>,
  { patience, lastingMs, writes }: SharedReadOptions<T>,
): SharedRead<T> {
  const held: Held<T> = { last: undefined, readers: undefined };
  let reading: Promise<T> | undefined;
  let next: Promise<Asked<T>> | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  function start(): Asked<T> {
    const given = read();
    const answer = patience === undefined ? given : orAfter(patience.ms, given, patience.late);
    const asked = { at: performance.now(), writes: writes(), given, answer };
    reading = answer;
    held.last = asked;
    if (lastingMs !== undefined) forgetLater(lastingMs);
    const over = () => {
      if (reading === answer) reading = undefined;
    };
    const there = () => {
      if (held.last === asked) held.last = { ...asked, answer: given };
      if (held.readers?.given === given) held.readers = { ...held.readers, answer: given };
    };
    // Who waits gets the rejection of a defect; here it would only be reported as unhandled.
    answer.then(over, over);
    given.then(there, there);
    return asked;
  }
  function forgetLater(ms: number): void {
    clearTimeout(forgetting);
    forgetting = setTimeout(forget, ms, new WeakRef(held));
    forgetting.unref();
  }
  async function startNext(): Promise<Asked<T>> {
    // Whoever asks in the same moment is served too; what is under way was asked for before.
    await reading?.catch(() => {});
    next = undefined;
    return start();
  }
  const asNext = () => {
    next ??= startNext();
    return next;
  };
  const isYoung = ({ at }: Asked<T>, maxAgeMs: number) => performance.now() - at <= maxAgeMs;
  return {
    recent: (maxAgeMs) =>
      (held.last !== undefined && isYoung(held.last, maxAgeMs) ? held.last : start()).answer,
    current: (maxAgeMs, reader) => {
      const young = held.readers !== undefined && isYoung(held.readers, maxAgeMs) ? held.readers : undefined;
      const readers = young ?? { ...start(), served: new Set() };
      held.readers = readers;
      const { answer, writes: before, served } = readers;
      if (before !== writes() || served.has(reader)) return undefined;
      served.add(reader);
      return {
        answer,
        get overtaken() {
          return before !== writes();
        },
      };
    },
    fresh: async () => (await asNext()).answer,
    awaited: async () => (await asNext()).given,
  };
}

/** The answer, or something else where it takes too long. */
export async function orAfter<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
