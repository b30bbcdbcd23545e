import { isSecret } from "../../core/secrecy";
import { capitalised, sentences } from "../../core/text";
import { containsUnknown } from "../../core/unknown";
import { isDue, isUnconfirmed, type RotatingComparison } from "./decision";
import { dayMs, hourMs, msOf } from "./duration";
import { needsNewKey, type RotatingDraft } from "./properties";
import { after, iso, keysOf, label, timesOf } from "./state";

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
