/** The life of one command: how an interruption reaches it. */
export interface Control {
  /** Nothing more is begun. */
  cancel(): void;
  /** And nobody waits for what is under way. */
  drop(): void;
  readonly cancelled: boolean;
  readonly dropped: boolean;
  /** The result, or `undefined` once nobody waits for it. */
  wait<T>(work: Promise<T>): Promise<T | undefined>;
  /** The work goes on unobserved; settles when it has ended. */
  readonly rest: () => Promise<void>;
}

export function openControl(): Control {
  let cancelled = false;
  let dropped = false;
  let announce = () => {};
  const dropping = new Promise<undefined>((resolve) => {
    announce = () => resolve(undefined);
  });
  const work: Promise<unknown>[] = [];
  return {
    cancel() {
      cancelled = true;
    },
    drop() {
      cancelled = true;
      dropped = true;
      announce();
    },
    get cancelled() {
      return cancelled;
    },
    get dropped() {
      return dropped;
    },
    wait(one) {
      work.push(one);
      return Promise.race([one, dropping]);
    },
    rest: async () => {
      await Promise.allSettled(work);
    },
  };
}
