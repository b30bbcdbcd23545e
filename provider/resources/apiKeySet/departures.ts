import type { Named } from "./batch";
import { type Entry, entryOf, type Holding } from "./entries";
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
  const failedInState = new Set(
    steps.flatMap((step) => (failed.has(step.alias) ? ["from" in step ? step.from : step.alias] : [])),
  );
  const removed = steps.flatMap((step): Going[] =>
    step.does === "remove" ? [{ name: step.alias, isReplaced: false, ...step.entry }] : [],
  );
  // A service may answer a value that it is given with the record that another entry had.
  const aliases = new Set(removed.map(({ name }) => name));
  const inUse = new Set([...done.entries].flatMap(([alias, { id }]) => (aliases.has(alias) ? [] : [id])));
  const toAdopt = new Set(steps.flatMap((step) => adoptedBy(step) ?? []));
  /** A replaced key may be in use until the new one matches the program, and one to adopt until that is done. */
  const waits = ({ id, alias }: { readonly id: string; readonly alias?: string }) =>
    toAdopt.has(id) || (alias !== undefined && failedInState.has(alias));
  const isFree = ({ id }: { readonly id: string }) => !inUse.has(id);
  const left = holding.toDelete.filter(isFree);
  const replaced = done.replaced.filter(isFree);
  return {
    going: [
      ...replaced,
      ...left
        .filter((one) => !waits(one))
        .map((one) => ({ ...entryOf(inputs, one), name: one.calledAs ?? one.name, isReplaced: true })),
      ...removed.filter(isFree),
    ].filter((one) => !waits(one)),
    /** Keys that the next update is to delete, or to adopt. */
    waiting: left.filter(waits),
    replacedToAdopt: replaced.filter(waits),
    /** Removed aliases whose keys other entries have. */
    given: removed.filter(({ id }) => inUse.has(id)).map(({ name }) => name),
    /** The ids of the keys that stay. */
    inUse,
  };
}
