import type { Named } from "./batch";
import { type Entry, entryOf, type Holding, type KeyToDelete } from "./entries";
import { adoptedBy, type Plan } from "./steps";

/** A key that is to go. */
export interface Going extends Named<Entry> {
  /** Whether another key takes its place. */
  readonly isReplaced: boolean;
}

interface Departures {
  readonly going: readonly Going[];
  /** Keys that wait for the one that takes their place. */
  readonly waiting: readonly KeyToDelete[];
  /** Aliases that go without their keys, which others have. */
  readonly given: readonly string[];
  /** The ids of the keys that stay. */
  readonly inUse: ReadonlySet<string>;
}

/**
 * Which keys go once the others are as declared. `done`: the keys by now, and those that others have taken the places of;
 * `failed`: the aliases of which the key is not as declared.
 */
export function departures(
  { holding, inputs, steps }: Plan,
  done: Pick<Holding, "entries"> & { readonly replaced: readonly Going[] },
  failed: ReadonlySet<string>,
): Departures {
  // While the key that takes a place could not be made as declared, the one that had it may be in use.
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
    ...left.map((one) => ({ ...entryOf(inputs, one), name: one.name, isReplaced: true })),
    ...removed,
  ];
  return {
    going: all.filter(({ id }) => !inUse.has(id)),
    waiting: holding.toDelete.filter(isWaiting),
    given: removed.filter(({ id }) => inUse.has(id)).map(({ name }) => name),
    inUse,
  };
}
