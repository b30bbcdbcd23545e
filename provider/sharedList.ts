/** A list that many operations ask for at about the same time: one request serves them all. */
export interface SharedList<T> {
  /** One that was asked for no longer ago than this, be it by somebody else. */
  recent(maxAgeMs: number): Promise<T>;
  /** One that is asked for from now on. */
  fresh(): Promise<T>;
}

/** `read` is not to reject. Where it takes longer than this, everybody goes on with `late` until it is there. */
export function openSharedList<T>(read: () => Promise<T>, patienceMs: number, late: T): SharedList<T> {
  let last: { readonly askedAt: number; readonly answer: Promise<T> } | undefined;
  let reading: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    const list = read();
    const answer = orAfter(patienceMs, list, late);
    const asked = { askedAt: performance.now(), answer };
    reading = answer;
    last = asked;
    void answer.then(() => {
      reading = undefined;
    });
    void list.then(() => {
      if (last === asked) last = { ...asked, answer: list };
    });
    return answer;
  }
  return {
    recent: (maxAgeMs) =>
      last !== undefined && performance.now() - last.askedAt <= maxAgeMs ? last.answer : start(),
    fresh: () => {
      if (reading === undefined) return start();
      // What is under way was asked for before.
      next ??= reading.then(() => {
        next = undefined;
        return start();
      });
      return next;
    },
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
