import { orAfter, type SharedRead } from "./sharedRead";

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
  readonly unchanged: (listed: T, all: Listing<T>) => R | undefined;
  /** Whether two records say the same of all that a read looks at. */
  readonly alike: (listed: T, record: T) => boolean;
}

/** A sample whose read takes longer is not waited for. */
const sampleMs = 2_000;
/** How many samples may come to nothing before each object is read by itself. */
const samples = 3;

/**
 * A list may be cut, brief, or lag behind. So it only confirms: an object that it does not show unchanged is read by
 * itself, and so is the first one. As the last of these was seen to be, it must stand in the list, or the list settles
 * nothing. That costs no request where there is but one object.
 */
export function openByList<T, Unavailable>(
  list: SharedRead<Listing<T> | Unavailable>,
  lastingMs: number,
): ByList<T> {
  interface Sample {
    readonly id: string;
    readonly record: Promise<T | undefined>;
    /** What comparing it with a list came to, once for all who wait. */
    compared?: { readonly listed: Listing<T>; readonly alike: Promise<boolean | undefined> };
  }
  let sample: Sample | undefined;
  /** Whoever asks for one of these again wants to know more than a list from about the time of its read. */
  const readAlone = new Set<string>();

  /** Reads the object by itself; from then on it is the sample. */
  function alone<R>(id: string, { single }: Reading<T, R>): Promise<{ readonly result: R }> {
    const read = single();
    readAlone.add(id);
    sample = { id, record: read.then(({ record }) => record).catch(() => undefined) };
    return read;
  }
  async function compare(
    { id, record }: Sample,
    listed: Listing<T>,
    alike: (listed: T, record: T) => boolean,
  ): Promise<boolean | undefined> {
    const read = await orAfter(sampleMs, record, undefined);
    const shown = listed.byId.get(id);
    return read && shown !== undefined && alike(shown, read);
  }
  /** Whether the list shows the sample as it was read; `undefined` where it is gone, failed or slow. */
  function isShown(
    one: Sample,
    listed: Listing<T>,
    { alike }: Reading<T, unknown>,
  ): Promise<boolean | undefined> {
    if (one.compared?.listed !== listed) one.compared = { listed, alike: compare(one, listed, alike) };
    return one.compared.alike;
  }
  async function settled<R>(first: Sample, id: string, reading: Reading<T, R>): Promise<R> {
    const current = list.current(lastingMs, id);
    const listed = await current?.answer;
    const own = isListing<T>(listed) ? listed.byId.get(id) : undefined;
    if (current === undefined || !isListing<T>(listed) || own === undefined) {
      return (await alone(id, reading)).result;
    }
    let seen = first;
    for (let tries = 1; ; tries += 1) {
      const shown = await isShown(seen, listed, reading);
      const result = shown && !current.overtaken ? reading.unchanged(own, listed) : undefined;
      if (result !== undefined) return result;
      // Of all who wait for one that is gone, failed or slow, the first is read by itself, and the others wait for it.
      if (shown !== undefined || sample === undefined || sample === seen || tries === samples) {
        return (await alone(id, reading)).result;
      }
      seen = sample;
    }
  }
  return {
    async read(id, reading) {
      if (sample === undefined || readAlone.has(id)) return (await alone(id, reading)).result;
      return settled(sample, id, reading);
    },
  };
}

function isListing<T>(answer: unknown): answer is Listing<T> {
  return typeof answer === "object" && answer !== null && "byId" in answer;
}
