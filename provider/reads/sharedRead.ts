/** What many operations read at about the same time: one request serves them all. */
export interface SharedRead<T> {
  /** An answer that was asked for no longer ago than this, be it by somebody else. */
  recent(maxAgeMs: number): Promise<T>;
  /**
   * The same, unless this process has written since it was asked for, or the reader has read before: who asks again wants
   * to know more than last time.
   */
  current(maxAgeMs: number, reader: string): Promise<T>;
  /** The reader has read by itself what it looks for. */
  hasRead(reader: string): void;
  /** One that is asked for from now on. */
  fresh(): Promise<T>;
  /** The same, however long it takes. */
  awaited(): Promise<T>;
}

export interface SharedReadOptions<T> {
  /** Where the answer takes longer than this, everybody goes on with `late` until it is there. Default: no limit. */
  readonly patience?: { readonly ms: number; readonly late: T };
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
  { patience, writes }: SharedReadOptions<T>,
): SharedRead<T> {
  const readers = new Set<string>();
  let last: Asked<T> | undefined;
  let reading: Promise<T> | undefined;
  let next: Promise<Asked<T>> | undefined;

  function start(): Asked<T> {
    const given = read();
    const answer = patience === undefined ? given : orAfter(patience.ms, given, patience.late);
    const asked = { at: performance.now(), writes: writes(), given, answer };
    reading = answer;
    last = asked;
    const over = () => {
      if (reading === answer) reading = undefined;
    };
    const there = () => {
      if (last === asked) last = { ...asked, answer: given };
    };
    // Who waits gets the rejection of a bug; here it would only be reported as unhandled.
    answer.then(over, over);
    given.then(there, there);
    return asked;
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
  const young = (maxAgeMs: number) =>
    last !== undefined && performance.now() - last.at <= maxAgeMs ? last : undefined;
  return {
    recent: (maxAgeMs) => (young(maxAgeMs) ?? start()).answer,
    current: async (maxAgeMs, reader) => {
      if (!readers.has(reader)) {
        readers.add(reader);
        const asked = young(maxAgeMs) ?? start();
        const answer = await asked.answer;
        if (asked.writes === writes()) return answer;
      }
      return (await asNext()).answer;
    },
    hasRead: (reader) => void readers.add(reader),
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
