import type { Comparison } from "../../core/definition";
import { certainlyChanged } from "../../core/diff";
import { failedKey, type Properties } from "../../core/state";
import { containsUnknown } from "../../core/unknown";
import { fields as keyFields } from "../apiKey/properties";
import type { OwnedKey } from "../apiKeySet/state";
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

/** What an update does besides edits in place: one step at a time, so that there are never more than two live keys. */
export interface Decision {
  /**
   * `make` creates a key, because there is no current one. `rotate` creates one, and the current key becomes the previous.
   * `retire` deletes the previous key, and changes wait for the next update. `refuse`: a change needs a new key while the
   * previous one still exists.
   */
  readonly does: "keep" | "make" | "rotate" | "retire" | "refuse";
  /** The inputs whose change needs a new key. */
  readonly changed: readonly string[];
}

export type RotatingComparison = Comparison<Shape, Decision>;
export type RotatingUpdate = Comparison<Shape, Decision, RotatingInputs>;

/** Inputs that can't change once a key exists. */
export const unmanaged = [
  "customerId",
  "prefix",
  "expiresAt",
  "externalMeterId",
  "metadata",
  "keepers",
] as const;
const inPlace = keyFields.filter(({ onChange }) => onChange === "update");
const unmanagedFields = fields.filter(({ name }) => unmanaged.some((one) => one === name));

export function decide({ state, inputs, now }: RotatingCompared): Decision {
  const { current, previous } = keysOf(state);
  const changed = certainlyChanged(unmanagedFields, state, inputs);
  if (current === undefined) return { does: "make", changed };
  if (previous !== undefined) {
    if (isOver(state, inputs, now)) return { does: "retire", changed };
    return { does: changed.length > 0 ? "refuse" : "keep", changed };
  }
  return { does: changed.length > 0 || isDue(state, inputs, now) ? "rotate" : "keep", changed };
}

/** Whether the current key is as old as a key may get. */
export function isDue(state: RotatingState, { rotateEvery }: RotatingDraft, now: number): boolean {
  const rotatesAt = after(timesOf(state).rotatedAt, rotateEvery);
  return rotatesAt !== undefined && now >= rotatesAt;
}

/** Whether the overlap of the previous key is over. An overlap of no length is, whatever the clock says. */
function isOver(state: RotatingState, { overlap }: RotatingDraft, now: number): boolean {
  const retiresAt = after(timesOf(state).overlapFrom, overlap);
  return retiresAt !== undefined && (msOf(overlap) === 0 || now >= retiresAt);
}

/** Whether the current key has not been confirmed to match the program, so that the previous one must stay. */
export function isUnconfirmed(state: RotatingState): boolean {
  return keysOf(state).previous !== undefined && timesOf(state).overlapFrom === undefined;
}

/** Whether a field that can change in place differs from the program. */
export function differs({ state }: OwnedKey, inputs: RotatingDraft): boolean {
  return certainlyChanged(inPlace, state, inputs).length > 0;
}

/** Whether the current key was not seen to match the program, so that it is written even if state shows no difference. */
export function isDoubted(state: RotatingState): boolean {
  return isUnconfirmed(state) || state[failedKey] === true;
}

/** Whether an update that keeps the current key may write it. */
export function mayWriteCurrent(state: RotatingState, inputs: RotatingDraft): boolean {
  const { current } = keysOf(state);
  const isOpen = inPlace.some(({ name }) => containsUnknown((inputs as Properties)[name]));
  return isOpen || isDoubted(state) || current === undefined || differs(current, inputs);
}

/** Whether the state, or the time, needs an update although the inputs are unchanged. */
export function isPending({ state, inputs, plan }: RotatingComparison): boolean {
  const { previous, toDelete } = keysOf(state);
  return (
    // A change that has waited for a deletion is already in the engine's inputs, so that the engine sees no change.
    plan.does !== "keep" ||
    toDelete.length > 0 ||
    timesOf(state).rotatedAt === undefined ||
    isUnconfirmed(state) ||
    (previous !== undefined && differs(previous, inputs))
  );
}
