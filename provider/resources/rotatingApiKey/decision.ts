import type { Comparison } from "../../core/definition";
import { certainlyChanged, containsUnknown, unknown } from "../../core/fields";
import { isSecret } from "../../core/secrecy";
import { failedKey, type Properties } from "../../core/state";
import { capitalised, sentences } from "../../core/text";
import { adoptedId, fields as keyFields } from "../apiKey/model";
import type { OwnedKey } from "../keys/operations";
import {
  after,
  datesOf,
  dayMs,
  fields,
  hourMs,
  iso,
  keysOf,
  label,
  msOf,
  needsNewKey,
  type RotatingCompared,
  type RotatingDraft,
  type RotatingInputs,
  type RotatingState,
  type Shape,
  timesOf,
} from "./properties";

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
function isDue(state: RotatingState, { rotateEvery }: RotatingDraft, now: number): boolean {
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
function mayWriteCurrent(state: RotatingState, inputs: RotatingDraft): boolean {
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

/** Messages about a rotating key: in previews, and if an update does less than declared. */

/** Describes what the engine's own preview does not show: what an update will do, and why it will fail if that is known. */
export function updateNote(compared: RotatingComparison): string | undefined {
  const { state, inputs, plan: decision } = compared;
  const { toDelete } = keysOf(state);
  const parts = [
    ...(decision.does === "fail"
      ? []
      : toDelete.map(({ id }) => `${id}, whose secret is not in state, will be deleted`)),
    ...steps(compared),
  ];
  return parts.length === 0 ? undefined : sentences(`${capitalised(label(inputs))}: ${parts.join("; ")}`);
}

function steps(compared: RotatingComparison): readonly string[] {
  const { state, inputs, plan } = compared;
  const { current, previous } = keysOf(state);
  switch (plan.does) {
    case "create":
      return ["it has no current key: a new key will be created", ...staying(previous?.id, compared)];
    case "rotate":
      return [`${why(compared)}: a new key will be created`, ...staying(current?.id, compared)];
    case "retire": {
      const isCertain = inputs.retire === "afterOverlap";
      const next = waiting(compared);
      return [
        ...retiring(compared),
        ...(isCertain ? next : next.map((line) => `once it is deleted, ${line}`)),
      ];
    }
    case "fail":
      return [`the update will fail: ${refusal(compared)}`];
    case "keep": {
      if (isUnconfirmed(state)) {
        return [
          `${current?.id} could not be confirmed to match the program: it will be updated again, and ${previous?.id} stays valid`,
        ];
      }
      const open = needsNewKey.filter((name) => containsUnknown(inputs[name]));
      if (open.length === 0) return [];
      return previous === undefined
        ? [`a new key will be created if ${inWords(open)} changes`]
        : [
            `the update will fail if ${inWords(open)} changes, because the previous key, ${previous.id}, still exists`,
          ];
    }
  }
}

function staying(id: string | undefined, compared: RotatingComparison): readonly string[] {
  return id === undefined ? [] : [`${id} stays valid ${stay(compared)}`];
}

/** How long a previous key stays whose overlap begins now. */
function stay({ inputs, now }: RotatingComparison): string {
  if (msOf(inputs.overlap) === 0) return "until the next update";
  const until = dayIn(inputs, after(now, inputs.overlap));
  if (until === undefined) return "for the overlap";
  return inputs.retire === "whenUnused" ? `at least until ${until}` : `until ${until}`;
}

/** Why the key is to be rotated. */
function why({ state, inputs, plan: { changed }, now }: RotatingComparison): string {
  if (changed.length > 0) return `${inWords(changed)} changed`;
  const { keyId: id } = state;
  const age = now - (timesOf(state).rotatedAt ?? now);
  if (isSecret(inputs, "rotateEvery")) return `${id} is due`;
  const [count, unit] = age < 2 * dayMs ? [age / hourMs, "hour"] : [age / dayMs, "day"];
  return `${id} is ${Math.floor(count).toLocaleString("en")} ${unit}${Math.floor(count) === 1 ? "" : "s"} old`;
}

function retiring(compared: RotatingComparison): readonly string[] {
  const { state, inputs } = compared;
  const { previousKeyId: id } = state;
  const { overlapFrom } = timesOf(state);
  const ended = msOf(inputs.overlap) === 0 ? undefined : dayIn(inputs, after(overlapFrom, inputs.overlap));
  const isOver = `the overlap of ${id} ${ended === undefined ? "is over" : `ended on ${ended}`}`;
  if (inputs.retire !== "whenUnused") return [`${isOver}: ${id} will be deleted`];
  if (state.__lastUsed === undefined)
    return [`${isOver}: its last use will be recorded`, ...staying(id, compared)];
  const since = dayIn(inputs, overlapFrom) ?? "then";
  return [`${isOver}: ${id} will be deleted unless it was used since ${since}`];
}

/** What an update that deletes the previous key leaves to the next one. */
export function waiting({ state, inputs, plan: { changed }, now }: RotatingComparison): readonly string[] {
  const what =
    changed.length > 0
      ? `that the change of ${inWords(changed)} needs`
      : isDue(state, inputs, now)
        ? "that is due"
        : undefined;
  return what === undefined ? [] : [`the next update creates the new key ${what}`];
}

/** Why a change can't be applied now, and what to do. */
export function refusal({ state, inputs, plan }: RotatingComparison): string {
  const { current, previous } = keysOf(state);
  const needs = `the change of ${inWords(plan.changed)} needs a new key, but the previous key, ${previous?.id}, still exists`;
  const { overlapFrom } = timesOf(state);
  if (overlapFrom === undefined) {
    return `${needs}, because ${current?.id} could not be confirmed to match the program yet; undo that change until an update has succeeded.`;
  }
  const until = dayIn(inputs, after(overlapFrom, inputs.overlap));
  return `${needs}${until === undefined ? "" : ` until ${until}`}, and there are never more than two; undo that change until then or, to delete the previous key now, set ${noOverlap(inputs)} and run \`pulumi up\` twice: the first deletes it, and the second creates the new key.`;
}

/** What to declare so that the next update deletes the previous key. */
function noOverlap({ retire }: RotatingDraft): string {
  return retire === "whenUnused" ? 'overlap to "0d" and retire to "afterOverlap"' : 'overlap to "0d"';
}

/** The warning about a previous key that may be in use. */
export function stillUsed(compared: RotatingComparison): string {
  const { state, inputs } = compared;
  const since = dayIn(inputs, timesOf(state).overlapFrom) ?? "the last time";
  const reason =
    state.__lastUsed === undefined
      ? "is not deleted, because its last use was not recorded until now"
      : `is not deleted, because it was used since ${since}`;
  return `${capitalised(label(inputs))}: the previous key, ${state.previousKeyId}, ${reason}. It stays valid ${stay(compared)}.`;
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** A time as a date, or with the hour where the length counts hours; `undefined` if that would show a secret. */
function dayIn(inputs: RotatingDraft, ms: number | undefined): string | undefined {
  const text = iso(ms);
  if (text === undefined || isSecret(inputs, "overlap")) return undefined;
  return (msOf(inputs.overlap) ?? 0) % dayMs === 0 ? text.slice(0, 10) : `${text.slice(0, 16)}Z`;
}

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
