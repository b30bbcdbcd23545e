import type { SharedRead } from "./sharedRead";

/** What a list holds. */
export interface Listing<T> {
  readonly all: readonly T[];
  readonly byId: ReadonlyMap<string, T>;
}

/** Reads of many objects that one list answers, as far as it shows that nothing changed. */
export interface ByList<T> {
  read<R>(id: string, reading: Reading<T, R>): Promise<R>;
}

interface Reading<T, R> {
  /** Reads the object by itself; tells the record too, if there is one. */
  readonly single: () => Promise<{ readonly record: T | undefined; readonly result: R }>;
  /** What the read comes to by a list's record that shows the object unchanged; `undefined` by any other. */
  readonly unchanged: (listed: T) => R | undefined;
  /** Whether two records say the same of all that a read looks at. */
  readonly alike: (listed: T, record: T) => boolean;
}

/**
 * A list may be cut, brief, or lag behind. So it only confirms: an object that it does not show unchanged is read by
 * itself, and so is the first one. As the last of these was seen to be, it must stand in the list, or the list settles
 * nothing. That costs no request where there is but one object.
 */
export function openByList<T, Unhad>(list: SharedRead<Listing<T> | Unhad>, lastingMs: number): ByList<T> {
  type Sample = { readonly id: string; readonly record: Promise<T | undefined> };
  let sample: Sample | undefined;

  async function settled<R>(seen: Sample, id: string, reading: Reading<T, R>): Promise<R | undefined> {
    const [listed, record] = await Promise.all([list.current(lastingMs, id), seen.record]);
    if (!isListing<T>(listed) || record === undefined) return undefined;
    const [sampled, own] = [listed.byId.get(seen.id), listed.byId.get(id)];
    if (sampled === undefined || own === undefined || !reading.alike(sampled, record)) return undefined;
    return reading.unchanged(own);
  }
  return {
    async read(id, reading) {
      const another = sample?.id === id ? undefined : sample;
      const result = another && (await settled(another, id, reading));
      if (result !== undefined) return result;
      const read = reading.single();
      sample = { id, record: read.then(({ record }) => record).catch(() => undefined) };
      return (await read).result;
    },
  };
}

function isListing<T>(answer: unknown): answer is Listing<T> {
  return typeof answer === "object" && answer !== null && "byId" in answer;
}
