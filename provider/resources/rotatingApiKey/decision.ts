import type { Comparison } from "../../core/definition";
import { certainlyChanged, containsUnknown } from "../../core/fields";
import { failedKey, type Properties } from "../../core/state";
import { fields as keyFields } from "../apiKey/properties";
import type { OwnedKey } from "../keys/owned";
import { msOf } from "./duration";
import {
  fields,
  needsNewKey,
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
   * `create` creates a key, because there is no current one. `rotate` creates one, and the current key becomes the previous.
   * `retire` deletes the previous key, and changes wait for the next update. `fail`: a change needs a new key while the
   * previous one still exists.
   */
  readonly does: "keep" | "create" | "rotate" | "retire" | "fail";
  /** The inputs whose change needs a new key. */
  readonly changed: readonly string[];
}

export type RotatingComparison = Comparison<Shape, Decision>;
export type RotatingUpdate = Comparison<Shape, Decision, RotatingInputs>;

const inPlace = keyFields.filter(({ onChange }) => onChange === "update");
const newKeyFields = fields.filter(({ name }) => needsNewKey.some((one) => one === name));

export function decide({ state, inputs, now }: RotatingCompared): Decision {
  const { current, previous } = keysOf(state);
  const changed = certainlyChanged(newKeyFields, state, inputs);
  if (current === undefined) return { does: "create", changed };
  if (previous !== undefined) {
    if (isOver(state, inputs, now)) return { does: "retire", changed };
    return { does: changed.length > 0 ? "fail" : "keep", changed };
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

/** Whether a key differs from the program in state, or may differ in the service, because its last write failed. */
export function mayDiffer({ state }: OwnedKey, inputs: RotatingDraft): boolean {
  return state[failedKey] === true || certainlyChanged(inPlace, state, inputs).length > 0;
}

/** Whether an update that keeps the current key may write it. */
export function mayWriteCurrent(state: RotatingState, inputs: RotatingDraft): boolean {
  const { current } = keysOf(state);
  const isOpen = inPlace.some(({ name }) => containsUnknown((inputs as Properties)[name]));
  return isOpen || isUnconfirmed(state) || current === undefined || mayDiffer(current, inputs);
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
    (previous !== undefined && mayDiffer(previous, inputs))
  );
}
