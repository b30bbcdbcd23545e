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

/** `read` is not to reject. */
export function openSharedRead<T>(
  read: () => Promise<T>,
  { patience, lastingMs, writes }: SharedReadOptions<T>,
): SharedRead<T> {
  let last: Asked<T> | undefined;
  let readers: (Asked<T> & { readonly served: Set<string> }) | undefined;
  let reading: Promise<T> | undefined;
  let next: Promise<Asked<T>> | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  function start(): Asked<T> {
    const given = read();
    const answer = patience === undefined ? given : orAfter(patience.ms, given, patience.late);
    const asked = { at: performance.now(), writes: writes(), given, answer };
    reading = answer;
    last = asked;
    if (lastingMs !== undefined) forgetLater(lastingMs);
    const over = () => {
      if (reading === answer) reading = undefined;
    };
    const there = () => {
      if (last === asked) last = { ...asked, answer: given };
      if (readers?.given === given) readers = { ...readers, answer: given };
    };
    // Who waits hears of a defect; nobody else is to.
    answer.then(over, over);
    given.then(there, there);
    return asked;
  }
  function forgetLater(ms: number): void {
    clearTimeout(forgetting);
    forgetting = setTimeout(() => {
      last = undefined;
      readers = undefined;
    }, ms);
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
    recent: (maxAgeMs) => (last !== undefined && isYoung(last, maxAgeMs) ? last : start()).answer,
    current: (maxAgeMs, reader) => {
      if (readers === undefined || !isYoung(readers, maxAgeMs)) readers = { ...start(), served: new Set() };
      if (readers.writes !== writes() || readers.served.has(reader)) return undefined;
      readers.served.add(reader);
      const { answer, writes: before } = readers;
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
