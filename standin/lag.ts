/** Lagging lists: for a number of list requests, they show a collection as it was before its last writes. */
export interface Lag {
  /** Call it before a write. The next `requests` list requests then see the collection as it is before the write. */
  beforeWrite<T>(collection: string, requests: number, current: () => readonly T[]): void;
  /** The records that a list request sees. */
  list<T>(collection: string, current: () => readonly T[]): readonly T[];
  /** Lists show the current records again. */
  catchUp(): void;
}

/** Records must be replaced, never changed in place. */
export function createLag(): Lag {
  const past = new Map<string, { records: readonly unknown[]; left: number }>();
  return {
    beforeWrite(collection, requests, current) {
      if (requests <= 0) return;
      const known = past.get(collection);
      // Keeps the older list: if the lag restarted with each write, it would hide only the last one.
      if (known !== undefined) known.left = requests;
      else past.set(collection, { records: current(), left: requests });
    },
    list<T>(collection: string, current: () => readonly T[]): readonly T[] {
      const known = past.get(collection);
      if (known === undefined) return current();
      known.left -= 1;
      if (known.left === 0) past.delete(collection);
      return known.records as readonly T[];
    },
    catchUp() {
      past.clear();
    },
  };
}
