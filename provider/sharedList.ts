/** A list that many operations ask for at about the same time: one request serves them all. */
export interface SharedList<T> {
  /** One that was asked for no longer ago than this, be it by somebody else. */
  recent(maxAgeMs: number): Promise<T>;
  /** One that is asked for from now on. */
  fresh(): Promise<T>;
}

/** `read` is not to reject. */
export function openSharedList<T>(read: () => Promise<T>): SharedList<T> {
  let last: { readonly askedAt: number; readonly answer: Promise<T> } | undefined;
  let reading: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    const answer = read().finally(() => {
      reading = undefined;
    });
    reading = answer;
    last = { askedAt: performance.now(), answer };
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
