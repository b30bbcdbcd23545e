import { type Held, OperationFailed } from "./actor";
import { holdsKeys, idsIn, lostAlive } from "./heldKeys";
import type { Declared } from "./schedule";
import type { Site } from "./site";
import type { Entry, OperationName, OperationRecord, StackState } from "./trace";

/** What came of an operation, as the engine sees it. */
export type Attempt<T> = { readonly record: OperationRecord } & (
  | { readonly ended: "well"; readonly result: T }
  | { readonly ended: "failed"; readonly kept: Held | undefined }
  | { readonly ended: "dropped" }
);

/** The engine's working copy of the state during one command, and the record of what it did. */
export interface Desk {
  readonly failed: boolean;
  entries(): Entry[];
  /** `by`: the operation that changed it, if one did. */
  put(entry: Entry, by?: OperationRecord): void;
  add(entry: Omit<Entry, "serial">): void;
  doom(entry: Entry): void;
  drop(entry: Entry, by?: OperationRecord): void;
  /** A resource whose inputs are refused. */
  refuse(declared: Declared, reason: string): void;
  operate<T>(
    name: OperationName,
    about: Declared,
    id: string | undefined,
    act: () => Promise<T>,
  ): Promise<Attempt<T>>;
  close(): { green: boolean; after: StackState; operations: readonly OperationRecord[] };
}

export function openDesk(site: Site, before: StackState): Desk {
  let entries = before.entries;
  let failed = false;
  let serial = Math.max(0, ...entries.map((entry) => entry.serial));
  const pending = [...before.pending];
  const operations: OperationRecord[] = [];

  function begin(name: OperationName, { name: resource, kind, inputs }: Declared, id: string | undefined) {
    const at = site.requests();
    const record: OperationRecord = {
      ...{ name, resource, kind, inputs, id, from: at, until: at },
      ...{ ended: "dropped", message: "", lostAlive: [] },
    };
    operations.push(record);
    return record;
  }
  return {
    get failed() {
      return failed;
    },
    entries: () => [...entries],
    put(entry, by) {
      const before = entries.find(({ serial: old }) => old === entry.serial);
      if (by !== undefined && before !== undefined) by.lostAlive = lostAlive(site, before, entry);
      entries = entries.map((one) => (one.serial === entry.serial ? entry : one));
    },
    add(entry) {
      serial += 1;
      entries = [...entries, { ...entry, serial }];
    },
    doom({ serial: doomed }) {
      entries = entries.map((one) => (one.serial === doomed ? { ...one, doomed: true } : one));
    },
    drop(entry, by) {
      // Destroy leaves in the service what it has no call to delete.
      entries = entries.filter((one) => one.serial !== entry.serial);
      if (by === undefined || (by.name !== "read" && !holdsKeys(entry.kind))) return;
      // Two may have the same key, which stays for the other one.
      const others = entries.filter(({ kind }) => holdsKeys(kind)).flatMap(idsIn);
      by.lostAlive = lostAlive(site, entry, undefined).filter((id) => !others.includes(id));
    },
    refuse(declared, reason) {
      failed = true;
      Object.assign(begin("check", declared, undefined), { ended: "failed", message: reason });
    },
    async operate<T>(
      name: OperationName,
      about: Declared,
      id: string | undefined,
      act: () => Promise<T>,
    ): Promise<Attempt<T>> {
      const record = begin(name, about, id);
      // Its end is recorded even if nobody waits for it.
      const work = settled(act).then((end) => {
        record.until = site.requests();
        if ("problem" in end) record.message = end.problem.message;
        return end;
      });
      const end = await site.control.wait(work);
      if (end === undefined) {
        pending.push({ operation: name, resource: record.resource });
        return { record, ended: "dropped" };
      }
      if ("problem" in end) {
        failed = true;
        record.ended = "failed";
        record.id ??= end.problem.kept?.id;
        return { record, ended: "failed", kept: end.problem.kept };
      }
      record.ended = "well";
      record.id ??= (end.result as Partial<Held> | undefined)?.id;
      return { record, ended: "well", result: end.result };
    },
    close: () => ({ green: !failed && !site.control.cancelled, after: { entries, pending }, operations }),
  };
}

async function settled<T>(
  act: () => Promise<T>,
): Promise<{ readonly result: T } | { readonly problem: OperationFailed }> {
  try {
    return { result: await act() };
  } catch (error) {
    if (error instanceof OperationFailed) return { problem: error };
    throw error;
  }
}
