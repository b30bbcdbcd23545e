import type { Comparison } from "../../core/definition";
import { type ManagedField, type Properties, same } from "../../core/state";
import { containsUnknown } from "../../core/unknown";
import { managed } from "../apiKey/state";
import type { Entry } from "../apiKeySet/entries";
import { msOf } from "./duration";
import {
  fields,
  type RotatingCompared,
  type RotatingDraft,
  type RotatingInputs,
  type RotatingState,
  type Shape,
} from "./properties";
import { after, keysOf, timesOf } from "./state";

/** What an update does beside the edits in place: one step at a time, so that there are never more than two live keys. */
export type Decision =
  | { readonly does: "keep" }
  /** Makes a key, since there is no current one. */
  | { readonly does: "make" }
  /** Makes a new key, and the current one becomes the previous. */
  | { readonly does: "rotate"; readonly changed: readonly string[] }
  /** Deletes the previous key. What has changed waits for the next update. */
  | { readonly does: "retire"; readonly changed: readonly string[] }
  /** What has changed needs a new key while the previous one is still there. */
  | { readonly does: "refuse"; readonly changed: readonly string[] };

export type RotatingComparison = Comparison<Shape, Decision>;
export type RotatingUpdate = Comparison<Shape, Decision, RotatingInputs>;

/** What no key can change once it is made. */
export const unmanaged = [
  "customerId",
  "prefix",
  "expiresAt",
  "externalMeterId",
  "metadata",
  "keepers",
] as const;
const unmanagedFields = fields.filter(({ name }) => unmanaged.some((one) => one === name));

export function decide({ state, inputs, now }: RotatingCompared): Decision {
  const { current, previous } = keysOf(state);
  if (current === undefined) return { does: "make" };
  const changed = changedOf(unmanagedFields, state, inputs);
  if (previous !== undefined) {
    if (isOver(state, inputs, now)) return { does: "retire", changed };
    return changed.length > 0 ? { does: "refuse", changed } : { does: "keep" };
  }
  return changed.length > 0 || isDue(state, inputs, now) ? { does: "rotate", changed } : { does: "keep" };
}

/** Which fields are certain to differ. */
function changedOf(all: readonly ManagedField[], was: Properties, is: Properties): readonly string[] {
  return all
    .filter(({ name }) => !containsUnknown(is[name]))
    .filter((field) => !same(field, was[field.name], is[field.name]))
    .map(({ name }) => name);
}

/** Whether the current key is as old as a key may get. */
export function isDue(state: RotatingState, { rotateEvery }: RotatingDraft, now: number): boolean {
  const rotatesAt = after(timesOf(state).rotatedAt, rotateEvery);
  return rotatesAt !== undefined && now >= rotatesAt;
}

/** Whether the previous key has had its overlap. One of no length is over, whatever the clock says. */
function isOver(state: RotatingState, { overlap }: RotatingDraft, now: number): boolean {
  const retiresAt = after(timesOf(state).overlapFrom, overlap);
  return retiresAt !== undefined && (msOf(overlap) === 0 || now >= retiresAt);
}

/** Whether nobody has seen yet that the current key is as declared, so that the previous one can't go. */
export function isUnconfirmed(state: RotatingState): boolean {
  const { current, previous } = keysOf(state);
  return current !== undefined && previous !== undefined && timesOf(state).overlapFrom === undefined;
}

/** Whether what can change in place is not as declared. */
export function differs({ state }: Entry, inputs: RotatingDraft): boolean {
  return changedOf(managed, state, inputs).length > 0;
}

/** Whether the state, or the time, asks for an update although the inputs are as declared before. */
export function isPending({ state, inputs, plan }: RotatingComparison): boolean {
  const { previous, toDelete } = keysOf(state);
  return (
    // What has waited for a deletion is among the engine's inputs already, by which it would see no change.
    plan.does !== "keep" ||
    toDelete.length > 0 ||
    timesOf(state).rotatedAt === undefined ||
    isUnconfirmed(state) ||
    (previous !== undefined && differs(previous, inputs))
  );
}
