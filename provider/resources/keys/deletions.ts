import type { Item } from "./batch";
import { asOwnedKey, type OwnedKey, type OwnedKeys } from "./owned";
import type { Step, Steps } from "./steps";

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
  { workspaceId, owned, steps }: Steps,
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
  const failures = steps.filter(({ alias }) => failed.has(alias));
  // A key that could not be adopted or migrated yet is not deleted either.
  const wanted = new Map(
    failures.flatMap((step) =>
      "declared" in step ? [[step.declared.existingKey ?? step.declared.existingId, step.alias]] : [],
    ),
  );
  wanted.delete(undefined);
  const wantedBy = ({ id, state }: Deletion) => wanted.get(id) ?? wanted.get(state.key);
  const failedInState = new Set(
    failures.flatMap((step) => ("stateAlias" in step ? [step.stateAlias] : aliasesOf(step))),
  );
  const isWaiting = (one: Deletion) =>
    wantedBy(one) !== undefined || (one.successor !== undefined && failedInState.has(one.successor));
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
    later: all.filter(isWaiting).map((one) => ({ ...one, successor: wantedBy(one) ?? one.successor })),
    /** Removed aliases whose keys other entries have: a service may answer a migrated value with a key that exists. */
    reassigned: removed.filter(isKept).map(({ name }) => name),
  };
}

/** A failed create may be of the entry that renamedFrom gives another's alias in state. */
function aliasesOf(step: Step): readonly (string | undefined)[] {
  return step.op === "create" ? [step.alias, step.formerAlias] : [step.alias];
}
