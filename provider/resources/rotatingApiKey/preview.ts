import { containsUnknown, unknown } from "../../core/fields";
import type { Properties } from "../../core/state";
import { adoptedId } from "../apiKey/state";
import { mayWriteCurrent, type RotatingComparison } from "./decision";
import { needsNewKey, type RotatingDraft } from "./properties";
import { datesOf, timesOf } from "./state";

const ofCurrent = [
  "keyId",
  "maskedKey",
  "createdAt",
  "billingId",
  "effectivePrefix",
  "effectiveExpiresAt",
] as const;
const noPrevious = { previousKey: undefined, previousKeyId: undefined, retiresAt: undefined };
/** What decides which keys there will be. */
const deciding = [...needsNewKey, "rotateEvery", "overlap", "retire"] as const;

export function previewCreate(inputs: RotatingDraft): Properties {
  const id = adoptedId(inputs);
  return id === undefined ? noPrevious : { ...noPrevious, keyId: id, key: undefined };
}

/** What of the outputs an update leaves as it is, or how it changes them, as far as that is known before. */
export function previewUpdate({ state, inputs, plan: { does, changed } }: RotatingComparison): Properties {
  if (deciding.some((name) => containsUnknown(inputs[name]))) {
    // While there is a previous key, what needs a new one may have to wait.
    return state.previousKeyId === undefined
      ? {}
      : Object.fromEntries(changed.map((name) => [name, unknown]));
  }
  if (does === "fail") return {};
  if (does === "rotate") return { previousKey: state.key, previousKeyId: state.keyId };
  const { rotatesAt = unknown, retiresAt = unknown } = datesOf(inputs, timesOf(state));
  const { key, previousKey, previousKeyId } = state;
  const previous = previousKeyId === undefined ? noPrevious : { previousKey, previousKeyId };
  if (does === "create") return previous;
  const known = Object.fromEntries(
    [...ofCurrent, "rotatedAt" as const].map((name) => [name, state[name] ?? unknown]),
  );
  const untouched = mayWriteCurrent(state, inputs) ? [] : [...ofCurrent, "updatedAt" as const];
  const same = Object.fromEntries(untouched.map((name) => [name, state[name]]));
  const current = { ...known, ...same, key, rotatesAt };
  if (does === "keep") return { retiresAt, ...current, ...previous };
  // What has changed waits for the next update.
  const waiting = Object.fromEntries(needsNewKey.map((name) => [name, state[name]]));
  return { ...current, ...waiting, ...(inputs.retire === "whenUnused" ? {} : noPrevious) };
}
