import type { KindContext } from "./context";
import type { Managed } from "./definition";
import { declaredClaim } from "./registry";
import type { Kept, Properties } from "./state";

/** Keeps the registry: which objects exist, and which resources manage them. */

/** Records that the objects of a state exist, and that this resource manages them. */
export function register({ definition, registry }: KindContext, { id, state }: Kept): void {
  for (const { workspaceId, id: object, claim } of definition.managed(id, state)) {
    registry.add(workspaceId, object);
    if (claim !== undefined) registry.claim(workspaceId, object, claim);
  }
}

/** Removes the objects of a state that were deleted, or that a read no longer finds (`now`). */
export function forget({ definition, registry }: KindContext, before: Kept, now?: Kept): void {
  const managed = ({ id, state }: Kept): readonly Managed[] => [...definition.managed(id, state)];
  const found = new Set(now === undefined ? [] : managed(now).map(({ id }) => id));
  for (const { workspaceId, id, claim } of managed(before)) {
    if (found.has(id)) continue;
    if (claim !== undefined) registry.release(workspaceId, id, claim);
    registry.drop(workspaceId, id);
  }
}

/** Protects what the program newly adopts from being deleted in this run, even if the adoption fails (K11). */
export function protectAdopted(
  { definition, registry }: KindContext,
  inputs: Properties,
  last: Properties = {},
): void {
  const adopted = definition.adopts?.(inputs) ?? [];
  const before = new Set(adopted.length > 0 ? definition.adopts?.(last).map(({ id }) => id) : []);
  const isMoved = inputs["workspaceId"] !== last["workspaceId"];
  for (const { workspaceId, id } of adopted)
    if (isMoved || !before.has(id)) registry.claim(workspaceId, id, declaredClaim);
}
