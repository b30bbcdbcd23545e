/** Writes that are carried out after they were answered. */
export interface Later {
  /** Carries out a write after this many milliseconds; writes to one object stay in order. */
  add(object: string, ms: number, change: () => void): void;
  /** Resolves when no writes are left. */
  settled(): Promise<void>;
  /** Drops all writes that are left. */
  end(): void;
}

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
        // Always the first of the queue, because the delay may have changed between two writes.
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
