/** Lists that show the past: what each collection was before its last writes, for a number of list requests. */
export interface Lag {
  /** To be called before a write. `requests` is how many list requests then see the collection as it is now. */
  beforeWrite<T>(collection: string, requests: number, current: () => readonly T[]): void;
  /** What a list request sees. */
  list<T>(collection: string, current: () => readonly T[]): readonly T[];
  /** Lists see the present again. */
  catchUp(): void;
}

/** Without any past. Records must be replaced, never changed in place. */
export function createLag(): Lag {
  const past = new Map<string, { records: readonly unknown[]; left: number }>();
  return {
    beforeWrite(collection, requests, current) {
      if (requests <= 0) return;
      const known = past.get(collection);
      // The older past stays: a lag that began again with each write would hide nothing but the last one.
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
