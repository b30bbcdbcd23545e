/** Changes that were promised in an answer and are carried out afterwards. */
export interface Later {
  /** Carries it out after so many milliseconds; those of one object come in the order in which they were added. */
  add(object: string, ms: number, change: () => void): void;
  /** Resolves once nothing is left to be carried out. */
  settled(): Promise<void>;
  /** What is left is never carried out. */
  end(): void;
}

/** Without any promises yet. */
export function createLater(): Later {
  const queues = new Map<string, (() => void)[]>();
  const timers = new Set<NodeJS.Timeout>();
  let waiting: (() => void)[] = [];
  const release = () => {
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    add(object, ms, change) {
      const queue = queues.get(object) ?? [];
      queues.set(object, queue);
      queue.push(change);
      const timer = setTimeout(() => {
        // The first of the queue, whichever timer it is: another delay may have been in force in between.
        queue.shift()?.();
        if (queue.length === 0) queues.delete(object);
        timers.delete(timer);
        if (timers.size === 0) release();
      }, ms);
      timer.unref();
      timers.add(timer);
    },
    settled: () => (timers.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    end() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      queues.clear();
      release();
    },
  };
}
