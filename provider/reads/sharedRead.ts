/** A read that many operations need at about the same time: one request serves them all. */
export interface SharedRead<T> {
  /** The last answer, if it still serves; otherwise a new one. */
  recent(): Promise<T>;
  /**
   * As `recent`, but a new answer if this process has written since the request, or if this reader has had an answer before,
   * because it then wants to see whether something has changed.
   */
  current(reader: string): Promise<T>;
  /** A new answer, to a request that is sent after this call. */
  fresh(): Promise<T>;
  /** As `fresh`, without the limit of `patience`. */
  awaited(): Promise<T>;
}

export interface SharedReadOptions<T> {
  /** How long an answer serves others, from its request on. Then it is forgotten. */
  readonly servesMs: number;
  /** If an answer takes longer than `ms`, readers get `late` until it arrives. Default: no limit. */
  readonly patience?: { readonly ms: number; readonly late: T };
  /** Grows whenever a write of this process begins or ends. */
  readonly writes: () => number;
}

interface Request<T> {
  /** What `writes` was then. */
  readonly writes: number;
  /** What readers get: `late` if their patience ends first. */
  answer: Promise<T>;
  readonly finalAnswer: Promise<T>;
}

/** `read` must not reject. */
export function openSharedRead<T>(
  read: () => Promise<T>,
  { servesMs, patience, writes }: SharedReadOptions<T>,
): SharedRead<T> {
  const readers = new Set<string>();
  let last: Request<T> | undefined;
  let underWay: Promise<T> | undefined;
  let next: Promise<Request<T>> | undefined;

  function start(): Request<T> {
    const finalAnswer = read();
    const answer = patience === undefined ? finalAnswer : orAfter(patience.ms, finalAnswer, patience.late);
    const request: Request<T> = { writes: writes(), answer, finalAnswer };
    underWay = answer;
    last = request;
    const forget = () => {
      if (last === request) last = undefined;
    };
    setTimeout(forget, servesMs).unref();
    const end = () => {
      if (underWay === answer) underWay = undefined;
    };
    const arrive = () => {
      request.answer = finalAnswer;
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
  const recent = () => last ?? start();
  return {
    recent: async () => recent().answer,
    current: async (reader) => {
      if (!readers.has(reader)) {
        readers.add(reader);
        const request = recent();
        const answer = await request.answer;
        if (request.writes === writes()) return answer;
      }
      return (await startNext()).answer;
    },
    fresh: async () => (await startNext()).answer,
    awaited: async () => (await startNext()).finalAnswer,
  };
}

/** The answer, or something else if it takes too long. */
async function orAfter<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
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
