import { isDeepStrictEqual } from "node:util";
import { expectSameBaseUrl, sends } from "./baseUrl";
import { type Change, changesAt, compare, type Difference, difference, differing } from "./comparison";
import type { KindContext } from "./context";
import type { AnyComparison, AnyDefinition } from "./definition";
import { inputsOf } from "./inputs";
import { note } from "./notices";
import { register } from "./objects";
import { secretsOf } from "./secrecy";
import { hasSameSecrets } from "./secretChanges";
import { externalKey, failedKey, type Kept, type Properties } from "./state";

/** What an update would do. Sends no request (R12). */

/** A difference with the path of each changed value. */
export interface DetailedDifference extends Difference {
  readonly details: readonly Change[];
}

export function detailedDiff(context: KindContext, given: Kept, news: Properties): DetailedDifference {
  const { definition } = context;
  const compared = compare(context, given, news);
  const changed = differing(definition, compared);
  const result = decide(context, given, compared, changed);
  if (result.changes === false) return { ...result, details: [] };
  const before = inputsOf(definition, compared.state);
  const now: Properties = compared.inputs;
  const details = changed.flatMap(({ name }) => changesAt([name], before[name], now[name]));
  return { ...result, details: changed.length > 0 ? details : secrecyChanges(definition, compared) };
}

/** The inputs of which a value becomes secret, or no longer is. */
function secrecyChanges({ fields }: AnyDefinition, { state, inputs }: AnyComparison): readonly Change[] {
  const marks = (all: Properties, input: string) => secretsOf(all).filter(([name]) => name === input);
  return fields
    .filter(({ name }) => !isDeepStrictEqual(marks(state, name), marks(inputs, name)))
    .map(({ name }) => ({ path: [name], kind: "update" }));
}

/** What an update would do. */
export function diff(context: KindContext, given: Kept, news: Properties): Difference {
  const compared = compare(context, given, news);
  return decide(context, given, compared, differing(context.definition, compared));
}

/** Also prints the notes and warnings about it, once. */
function decide(
  context: KindContext,
  given: Kept,
  compared: AnyComparison,
  changed: ReturnType<typeof differing>,
): Difference {
  const { definition, refreshed } = context;
  register(context, compared);
  const result = difference(definition, compared, changed);
  // A resource that `.get` reads is never updated, and another resource may manage its object.
  const isManaged = compared.state[externalKey] !== true;
  const isOnlySecrets = result.changes === false && !hasSameSecrets(compared);
  const isAfterRefresh = isManaged && refreshed.delete(compared.id);
  if (isManaged && !isAfterRefresh) {
    const isSent = result.replaces.length > 0 || sends(definition, "update", compared.state);
    if (result.changes !== false && isSent) expectSameBaseUrl(context, given);
    note(context, lineAbout(definition, compared, result, isOnlySecrets), compared.state, compared.inputs);
  }
  // Only state says which of its values are secret, so it has to be saved again.
  return isOnlySecrets ? { ...result, changes: true } : result;
}

function lineAbout(
  { kind, fields, replaceNote, updateNote }: AnyDefinition,
  compared: AnyComparison,
  { changes, replaces }: Difference,
  isOnlySecrets: boolean,
): string | undefined {
  const { id, state } = compared;
  // updateNote describes an update, or a replacement that only state asks for.
  const isByInput = replaces.some((name) => fields.some((field) => field.name === name));
  const line = changes === false ? undefined : (isByInput ? replaceNote : updateNote)?.(compared);
  if (line !== undefined) return line;
  // After a failure, the engine updates the resource, even if its preview shows no difference of inputs.
  if (state[failedKey] === true && replaces.length === 0)
    return `${kind} ${id}: its last create or update failed halfway, so it is updated again.`;
  if (!isOnlySecrets) return undefined;
  return `${kind} ${id}: only which of its values are secret has changed. No request is sent.`;
}
