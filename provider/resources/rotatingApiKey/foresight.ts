import type { Properties } from "../../core/state";
import { containsUnknown, unknown } from "../../core/unknown";
import { decide, unmanaged } from "./decision";
import type { RotatingDraft, RotatingState } from "./properties";
import { datesOf, timesOf } from "./state";

const ofCurrent = ["key", "keyId", "maskedKey", "createdAt", "rotatedAt"] as const;
const ofPrevious = ["previousKey", "previousKeyId"] as const;
const noPrevious = { previousKey: undefined, previousKeyId: undefined, retiresAt: undefined };
/** What decides which keys there will be. */
const deciding = [...unmanaged, "rotateEvery", "overlap", "retire"] as const;

/** What of the outputs an update leaves as it is, or how it changes them, as far as that is known before. */
export function foresee(inputs: RotatingDraft, state: RotatingState | undefined, now: number): Properties {
  if (state === undefined) return noPrevious;
  if (deciding.some((name) => containsUnknown(inputs[name]))) return {};
  const { does } = decide(state, inputs, now);
  if (does === "refuse") return {};
  if (does === "rotate") return { previousKey: state.key ?? unknown, previousKeyId: state.keyId };
  const stay = (names: readonly (keyof RotatingState)[]) =>
    Object.fromEntries(names.map((name) => [name, state[name] ?? unknown]));
  const { rotatesAt = unknown, retiresAt = unknown } = datesOf(inputs, timesOf(state));
  const previous = state.previousKeyId === undefined ? noPrevious : stay(ofPrevious);
  if (does === "make") return previous;
  const current = { ...stay(ofCurrent), rotatesAt };
  if (does === "keep") return { retiresAt, ...current, ...previous };
  // What has changed waits for the next update.
  const waiting = Object.fromEntries(unmanaged.map((name) => [name, state[name]]));
  return { ...current, ...waiting, ...(inputs.retire === "whenUnused" ? {} : noPrevious) };
}
