import type { Checked } from "./declarations";
import type { AnyComparison, AnyDefinition, Managed } from "./definition";
import type { Kept } from "./errors";
import type { Kind } from "./kind";
import { declaredClaim } from "./registry";
import type { Properties } from "./state";

/** The resources of a process share which objects they manage. */

/** Registers the objects of a state: they exist, and this resource manages them. */
export function register({ definition, registry }: Kind, { id, state }: Kept): void {
  for (const { workspaceId, id: object, claim } of definition.managed(id, state)) {
    registry.add(workspaceId, object);
    if (claim !== undefined) registry.claim(workspaceId, object, claim);
  }
}

/** Removes what was deleted, or what a read no longer finds: a service may use its id again. */
export function forget({ definition, registry }: Kind, before: Kept, now?: Kept): void {
  const managed = ({ id, state }: Kept): readonly Managed[] => [...definition.managed(id, state)];
  const found = new Set(now === undefined ? [] : managed(now).map(({ id }) => id));
  for (const { workspaceId, id, claim } of managed(before)) {
    if (found.has(id)) continue;
    if (claim !== undefined) registry.release(workspaceId, id, claim);
    registry.drop(workspaceId, id);
  }
}

/** An object that the program newly adopts is not deleted in this run, whichever resource had it, even if the adoption fails. */
export function protectAdopted(
  { definition, registry }: Kind,
  inputs: Properties,
  last: Properties = {},
): void {
  const adopted = definition.adopts?.(inputs) ?? [];
  const before = new Set(adopted.length > 0 ? definition.adopts?.(last).map(({ id }) => id) : []);
  const isMoved = inputs["workspaceId"] !== last["workspaceId"];
  for (const { workspaceId, id } of adopted)
    if (isMoved || !before.has(id)) registry.claim(workspaceId, id, declaredClaim);
}

/** Notes that existingId newly names an object that the resource already has: a replacement must not lose its secret. */
export function noteOwnId({ definition, ownNamed }: Kind, { id, state, inputs }: AnyComparison): void {
  const named = replaceable(definition, inputs);
  const before = replaceable(definition, state);
  if (named === undefined || (before && placeOf(before) === placeOf(named))) return;
  const own = [...definition.managed(id, state)].filter(({ claim }) => claim !== undefined);
  if (own.some((one) => placeOf(one) === placeOf(named))) ownNamed.add(placeOf(named));
}

/** Whether a create of these inputs creates a new object, which replaces the one that they name (K11). */
export function createsAnew(
  { definition, registry, ownNamed }: Kind,
  inputs: Properties,
  { isDeclaredAgain }: Checked,
): boolean {
  const adopted = replaceable(definition, inputs);
  if (adopted === undefined) return false;
  const isOwn = ownNamed.has(placeOf(adopted));
  if (isOwn) registry.release(adopted.workspaceId, adopted.id, declaredClaim);
  return isOwn || isDeclaredAgain;
}

type Adopted = Omit<Managed, "claim">;

/** The object that these inputs adopt, if another replacement creates a new one in its place. */
function replaceable({ adopts, replacesAdopted }: AnyDefinition, inputs: Properties): Adopted | undefined {
  return replacesAdopted && adopts?.(inputs)[0];
}

/** A service may count ids anew in each workspace. */
function placeOf({ workspaceId, id }: Adopted): string {
  return JSON.stringify([workspaceId, id]);
}
