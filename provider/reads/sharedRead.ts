/** A read that many operations need at about the same time: one request serves them all. */
export interface SharedRead<T> {
  /** The last answer, if its request is no older than this; otherwise a new one. */
  recent(maxAgeMs: number): Promise<T>;
  /**
   * As `recent`, but a new answer if this process has written since the request, or if this reader has had an answer before,
   * because it then wants to see whether something has changed.
   */
  current(maxAgeMs: number, reader: string): Promise<T>;
  /** Has `current` treat the reader as one that has had an answer: it sent a request of its own. */
  hasRead(reader: string): void;
  /** A new answer, to a request that is sent after this call. */
  fresh(): Promise<T>;
  /** As `fresh`, without the limit of `patience`. */
  awaited(): Promise<T>;
}

export interface SharedReadOptions<T> {
  /** If an answer takes longer than `ms`, readers get `late` until it arrives. Default: no limit. */
  readonly patience?: { readonly ms: number; readonly late: T };
  /** Grows whenever a write of this process begins or ends. */
  readonly writes: () => number;
}

interface Request<T> {
  readonly startedAt: number;
  /** What `writes` was then. */
  readonly writes: number;
  /** What readers get: `late` if their patience ends first. */
  readonly answer: Promise<T>;
  readonly finalAnswer: Promise<T>;
}

/** `read` must not reject. */
export function openSharedRead<T>(
  read: () => Promise<T>,
  { patience, writes }: SharedReadOptions<T>,
): SharedRead<T> {
  const readers = new Set<string>();
  let last: Request<T> | undefined;
  let underWay: Promise<T> | undefined;
  let next: Promise<Request<T>> | undefined;

  function start(): Request<T> {
    const finalAnswer = read();
    const answer = patience === undefined ? finalAnswer : orAfter(patience.ms, finalAnswer, patience.late);
    const request = { startedAt: performance.now(), writes: writes(), answer, finalAnswer };
    underWay = answer;
    last = request;
    const end = () => {
      if (underWay === answer) underWay = undefined;
    };
    const arrive = () => {
      if (last === request) last = { ...request, answer: finalAnswer };
    };
    // A rejection, which is a bug, reaches the readers. Here it would only be reported as unhandled.
    answer.then(end, end);
    finalAnswer.then(arrive, arrive);
    return request;
  }
  /** A request that starts when the one under way has ended. It serves all who ask for one until then. */
  function startNext(): Promise<Request<T>> {
    next ??= (async () => {
      await underWay?.catch(() => {});
      next = undefined;
      return start();
    })();
    return next;
  }
  const recent = (maxAgeMs: number) =>
    last !== undefined && performance.now() - last.startedAt <= maxAgeMs ? last : start();
  return {
    recent: (maxAgeMs) => recent(maxAgeMs).answer,
    current: async (maxAgeMs, reader) => {
      if (!readers.has(reader)) {
        readers.add(reader);
        const request = recent(maxAgeMs);
        const answer = await request.answer;
        if (request.writes === writes()) return answer;
      }
      return (await startNext()).answer;
    },
    hasRead: (reader) => void readers.add(reader),
    fresh: async () => (await startNext()).answer,
    awaited: async () => (await startNext()).finalAnswer,
  };
}

/** The answer, or something else if it takes too long. */
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
