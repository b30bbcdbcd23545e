import type { Item } from "./batch";
import { asOwnedKey, type OwnedKey, type OwnedKeys } from "./owned";
import { adoptedBy, type Steps } from "./steps";

/** A key to delete. */
export interface Deletion extends Item<OwnedKey> {
  /** Whether another key replaces it, so that its alias is no longer its own. */
  readonly isReplaced: boolean;
  /** The alias in state of the key to use instead: until that matches the program, this one may be in use. */
  readonly successor?: string | undefined;
}

/**
 * Decides which keys to delete once the others are written. `failed`: the aliases in the program whose keys don't match it.
 */
export function decideDeletions(
  { workspaceId, owned, steps, formerAliasOf }: Steps,
  { byAlias, replaced }: Pick<OwnedKeys, "byAlias"> & { readonly replaced: readonly Deletion[] },
  failed: ReadonlySet<string>,
) {
  const removed = steps.flatMap((step): Deletion[] =>
    step.op === "delete"
      ? [{ name: step.alias, isReplaced: false, successor: step.successor, ...step.key }]
      : [],
  );
  const removedAliases = new Set(removed.map(({ name }) => name));
  const kept = new Set([...byAlias].flatMap(([alias, { id }]) => (removedAliases.has(alias) ? [] : [id])));
  const isKept = ({ id }: Deletion) => kept.has(id);
  const adopted = new Set(steps.flatMap((step) => adoptedBy(step) ?? []));
  // A failed entry may be the one that renamedFrom gives another's alias in state.
  const failedInState = new Set(
    steps
      .filter(({ alias }) => failed.has(alias))
      .flatMap((step) => ["stateAlias" in step ? step.stateAlias : step.alias, formerAliasOf?.(step.alias)]),
  );
  // A key that could not be adopted yet is not deleted either.
  const isWaiting = ({ id, successor }: Deletion) =>
    adopted.has(id) || (successor !== undefined && failedInState.has(successor));
  const waitingSince = owned.toDelete.map(
    (one): Deletion => ({
      ...asOwnedKey(workspaceId, one),
      name: one.name,
      isReplaced: true,
      successor: one.alias,
    }),
  );
  const all = [...replaced, ...waitingSince, ...removed].filter((one) => !isKept(one));
  return {
    now: all.filter((one) => !isWaiting(one)),
    later: all.filter(isWaiting),
    /** Removed aliases whose keys other entries have: a service may answer a migrated value with a key that exists. */
    reassigned: removed.filter(isKept).map(({ name }) => name),
  };
}
