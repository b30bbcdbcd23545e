import type { Named } from "./batch";
import { type Entry, entryOf, type Holding, type KeyToDelete } from "./entries";
import { adoptedBy, type Plan } from "./steps";

/** A key to delete. */
export interface Going extends Named<Entry> {
  /** Whether another key takes its place. */
  readonly isReplaced: boolean;
}

/**
 * Decides which keys to delete once the others are written. `done`: the keys now, and those that were replaced; `failed`:
 * the aliases whose keys don't match the program.
 */
export function departures(
  { holding, inputs, steps }: Plan,
  done: Pick<Holding, "entries"> & { readonly replaced: readonly Going[] },
  failed: ReadonlySet<string>,
) {
  // Until the new key matches the program, the replaced one may be in use.
  const open = new Set(
    steps.flatMap((step) => ("from" in step && failed.has(step.alias) ? [step.from] : [])),
  );
  const isWaiting = ({ alias }: KeyToDelete) => alias !== undefined && open.has(alias);
  const left = holding.toDelete.filter((one) => !isWaiting(one));
  const removed = steps.flatMap((step): Going[] =>
    step.does === "remove" ? [{ name: step.alias, isReplaced: false, ...step.entry }] : [],
  );
  // A service may answer a value that it is given with the record that another entry had. Nor does a key go that an
  // entry is to adopt, also where it has not yet.
  const aliases = new Set(removed.map(({ name }) => name));
  const staying = [...done.entries].flatMap(([alias, { id }]) => (aliases.has(alias) ? [] : [id]));
  const inUse = new Set([...staying, ...steps.flatMap((step) => adoptedBy(step) ?? [])]);
  const all = [
    ...done.replaced,
    ...left.map((one) => ({ ...entryOf(inputs, one), name: one.calledAs ?? one.name, isReplaced: true })),
    ...removed,
  ];
  return {
    going: all.filter(({ id }) => !inUse.has(id)),
    /** Kept until the key that replaces them matches the program. */
    waiting: holding.toDelete.filter(isWaiting),
    /** Removed aliases whose keys other entries have. */
    given: removed.filter(({ id }) => inUse.has(id)).map(({ name }) => name),
    /** The ids of the keys that stay. */
    inUse,
  };
}
