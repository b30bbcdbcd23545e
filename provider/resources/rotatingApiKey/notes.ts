import { capitalised } from "../../core/errors";
import { isSecret } from "../../core/secrecy";
import { decide, differs, isDue, isUnconfirmed } from "./decision";
import { dayMs, hourMs, msOf } from "./duration";
import type { RotatingDraft, RotatingState } from "./properties";
import { after, keysOf, label, timesOf } from "./state";

/** What users are told of a rotating key: in previews, and where an update does less than declared. */

/** What an update does that the engine's own preview does not show. */
export function previewNote(
  state: RotatingState | undefined,
  inputs: RotatingDraft,
  now: number,
): string | undefined {
  if (state === undefined) return undefined;
  const { current, previous, toDelete } = keysOf(state);
  const decision = decide(state, inputs, now);
  const parts = [
    ...toDelete.map(({ id }) => `${id}, whose secret is in no state, will be deleted`),
    ...(decision.does === "make"
      ? ["it has no key to use: a new key will be made", ...staying(previous?.id, inputs, now)]
      : []),
    ...(decision.does === "rotate" && current !== undefined
      ? [
          `${why(current.id, state, inputs, decision.changed, now)}: a new key will be made`,
          ...staying(current.id, inputs, now),
        ]
      : []),
    ...(decision.does === "retire" && previous !== undefined
      ? retiring(previous.id, state, inputs, now)
      : []),
    ...(decision.does === "retire" ? waiting(state, inputs, decision.changed, now) : []),
    ...(isUnconfirmed(state)
      ? [
          `${current?.id} could not be confirmed to be as declared: it will be written again, and ${previous?.id} stays valid`,
        ]
      : []),
    ...(decision.does !== "retire" && previous !== undefined && differs(previous, inputs)
      ? [`${previous.id}, the previous key, will be written as declared too`]
      : []),
    ...(decision.does === "refuse"
      ? [`the update will fail: ${refusal(state, inputs, decision.changed)}`]
      : []),
  ];
  if (parts.length === 0) return undefined;
  const line = `${capitalised(label(inputs))}: ${parts.join("; ")}`;
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

function staying(id: string | undefined, inputs: RotatingDraft, now: number): readonly string[] {
  if (id === undefined) return [];
  if (msOf(inputs.overlap) === 0) return [`${id} stays valid until the next update`];
  const until = dayIn(inputs, "overlap", after(now, inputs.overlap));
  return [`${id} stays valid ${until === undefined ? "for the overlap" : `until ${until}`}`];
}

/** Why the key is to be rotated. */
function why(
  id: string,
  state: RotatingState,
  inputs: RotatingDraft,
  changed: readonly string[],
  now: number,
): string {
  if (changed.length > 0) return `${inWords(changed)} changed`;
  const age = now - (timesOf(state).rotatedAt ?? now);
  if (isSecret(inputs, "rotateEvery")) return `${id} is due`;
  const [count, unit] = age < 2 * dayMs ? [age / hourMs, "hour"] : [age / dayMs, "day"];
  return `${id} is ${Math.floor(count).toLocaleString("en")} ${unit}${Math.floor(count) === 1 ? "" : "s"} old`;
}

function retiring(id: string, state: RotatingState, inputs: RotatingDraft, now: number): readonly string[] {
  const { overlapFrom } = timesOf(state);
  const ended = dayIn(inputs, "overlap", after(overlapFrom, inputs.overlap));
  const isOver = `the overlap of ${id} ${ended === undefined ? "is over" : `ended on ${ended}`}`;
  if (inputs.retire !== "whenUnused") return [`${isOver}: ${id} will be deleted`];
  if (state.__lastUsed === undefined)
    return [`${isOver}: its last use will be noted`, ...staying(id, inputs, now)];
  const since = dayIn(inputs, "overlap", overlapFrom) ?? "then";
  return [`${isOver}: ${id} will be deleted unless it was used since ${since}`];
}

/** What an update that deletes the previous key leaves to the next one. */
export function waiting(
  state: RotatingState,
  inputs: RotatingDraft,
  changed: readonly string[],
  now: number,
): readonly string[] {
  if (changed.length > 0)
    return [`the next update makes the new key that a changed ${inWords(changed)} needs`];
  return isDue(state, inputs, now) ? ["the next update makes the new key that is due"] : [];
}

/** Why what has changed can't be done now, and what to do. */
export function refusal(state: RotatingState, inputs: RotatingDraft, changed: readonly string[]): string {
  const { current, previous } = keysOf(state);
  const needs = `a changed ${inWords(changed)} needs a new key, but the previous key, ${previous?.id}, is still there`;
  const { overlapFrom } = timesOf(state);
  if (overlapFrom === undefined) {
    return `${needs}, because ${current?.id} could not be confirmed to be as declared yet; undo that change until an update has succeeded.`;
  }
  const until = dayIn(inputs, "overlap", after(overlapFrom, inputs.overlap));
  const now =
    inputs.retire === "whenUnused" ? 'overlap to "0d" and retire to "afterOverlap"' : 'overlap to "0d"';
  return `${needs}${until === undefined ? "" : ` until ${until}`}, and there are never more than two; undo that change until then or, to end the previous key now, set ${now} and run \`pulumi up\` twice: the first deletes it, and the second makes the new key.`;
}

/** Of a previous key that may be in use. */
export function stillUsed(state: RotatingState, inputs: RotatingDraft, now: number): string {
  const { previous } = keysOf(state);
  const since = dayIn(inputs, "overlap", timesOf(state).overlapFrom) ?? "the last time";
  const reason =
    state.__lastUsed === undefined
      ? "when it was last used was not known until now"
      : `it was used since ${since}`;
  return `${capitalised(label(inputs))}: ${previous?.id}, the previous key, is not deleted, because ${reason}. ${capitalised(staying(previous?.id, inputs, now).join(""))}.`;
}

/** How far the clock of one machine may be behind that of another. */
const skewMs = 10 * 60_000;

/** Of a clock that went back, by which nothing would be due for long. */
export function clockWarning(state: RotatingState, now: number): string | undefined {
  const { rotatedAt } = timesOf(state);
  if (rotatedAt === undefined || now >= rotatedAt - skewMs) return undefined;
  return `${capitalised(label(state))}: the clock of this machine is behind the time at which the key was made, ${state.rotatedAt}. By this clock nothing is due: set it right or, if that time is wrong, change keepers, which makes a new key now.`;
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** A time as a date, or with the hour where the length counts hours; `undefined` where that would tell a secret. */
function dayIn(inputs: RotatingDraft, field: "overlap", ms: number | undefined): string | undefined {
  if (ms === undefined || isSecret(inputs, field)) return undefined;
  const text = new Date(ms).toISOString();
  return (msOf(inputs[field]) ?? 0) % dayMs === 0 ? text.slice(0, 10) : `${text.slice(0, 16)}Z`;
}
