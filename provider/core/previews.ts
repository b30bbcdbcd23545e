import { isDeepStrictEqual } from "node:util";
import { failures } from "./check";
import type { KindContext } from "./context";
import { unchecked } from "./declarations";
import type { AnyComparison, AnyDefinition } from "./definition";
import { type Change, changesAt, compare, type Difference, difference, differing } from "./diff";
import { canonicalInputs } from "./fields";
import { canonical, inputsOf, withName } from "./inputs";
import { note, warnOfExpiry } from "./notices";
import { protectAdopted, register } from "./objects";
import { secretsOf, withSecrets } from "./secrecy";
import { defined, failedKey, type Kept, type Properties, providerKey, readingKey, serviceKey } from "./state";
import { unknown } from "./unknown";
import { nameIn } from "./urn";

/** Check, diff and preview. Nothing here sends a request (R12). */

export interface CheckResult {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

export function check(
  context: KindContext,
  inputs: Properties,
  before: Properties | undefined,
  name?: string,
  urn = "",
): CheckResult {
  const { declarations, definition, host, inState } = context;
  const named = withName(definition, inputs, name);
  const declared = canonical(definition, named);
  const last = before && canonicalInputs(definition.fields, before);
  const identitiesOf = (all: Properties) => [...(definition.identities?.(all) ?? [])];
  const identities = identitiesOf(declared);
  const compared = declarations.add(definition.kind, name, identities, last && identitiesOf(last));
  // The engine gives no former inputs if it was told to replace the resource, or if the resource had another name.
  const hidden = before === undefined ? inState : new Map<string, Properties>();
  const isSame = (state: Properties) => identitiesOf(state).some((one) => identities.includes(one));
  const holder = [...hidden].find(([, state]) => isSame(state))?.[0];
  const checked = {
    ...compared,
    replacesItself: compared.replacesItself || holder === urn,
    heldBy: holder && nameIn(holder),
  };
  protectAdopted(context, declared, last);
  const found = host.configuration();
  const misconfigured = "problems" in found ? found.problems : [];
  const problems = [...misconfigured, ...failures(definition, named, before ?? hidden.get(urn), checked)];
  // A resource that is in state already gets its notes from diff.
  if (before === undefined && problems.length === 0)
    note(context, definition.createNote?.(declared), declared);
  return { inputs: defined(declared), failures: problems };
}

/** Whether a program could declare just these properties, as it could those of every managed resource. */
export function isDeclared(definition: AnyDefinition, properties: Properties): boolean {
  const named = withName(definition, properties, definition.kind);
  return failures(definition, named, undefined, unchecked).length === 0;
}

/** A difference with the path of each changed value. */
export interface DetailedDifference extends Difference {
  readonly details: readonly Change[];
}

export function detailedDiff(context: KindContext, given: Kept, news: Properties): DetailedDifference {
  const { definition } = context;
  const compared = compare(context, given, news);
  const changed = differing(definition, compared);
  const result = diff(context, compared, changed);
  if (result.changes === false) return { ...result, details: [] };
  const before = inputsOf(definition, compared.state);
  const now: Properties = compared.inputs;
  const details = changed.flatMap(({ name }) => changesAt([name], before[name], now[name]));
  return { ...result, details: changed.length > 0 ? details : remarked(definition, compared) };
}

/** The inputs of which a value becomes secret, or no longer is. */
function remarked({ fields }: AnyDefinition, { state, inputs }: AnyComparison): readonly Change[] {
  const marks = (all: Properties, input: string) => secretsOf(all).filter(([name]) => name === input);
  return fields
    .filter(({ name }) => !isDeepStrictEqual(marks(state, name), marks(inputs, name)))
    .map(({ name }) => ({ path: [name], kind: "update" }));
}

/** What an update would do; it also prints the notes and warnings about it. */
export function diff(
  context: KindContext,
  compared: AnyComparison,
  changed = differing(context.definition, compared),
): Difference {
  const { definition, refreshed } = context;
  register(context, compared);
  const result = difference(definition, compared, changed);
  const isOnlySecrets = result.changes === false && !hasSameSecrets(compared);
  // A resource that `.get` reads is never updated, and another resource may manage its object.
  if (compared.state[readingKey] !== true && !refreshed.delete(compared.id)) {
    if (result.replaces.length === 0) warnOfExpiry(context, compared);
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

function hasSameSecrets({ state, inputs }: AnyComparison): boolean {
  return isDeepStrictEqual(secretsOf(state), secretsOf(inputs));
}

/** The new state if only the list of secrets has changed, or the host: then no request is needed. */
export function withNewSecrets(
  definition: AnyDefinition,
  given: Properties,
  news: Properties,
  compared: AnyComparison,
): Properties | undefined {
  const isMoved = given[providerKey] === undefined && news[providerKey] !== undefined;
  if ((hasSameSecrets(compared) && !isMoved) || given[failedKey] !== undefined) return undefined;
  const isSame = difference(definition, compared).changes === false;
  return isSame ? defined(withSecrets(given, secretsOf(news))) : undefined;
}

/** What state will hold after a create, or an update of this state, as far as that is known: the rest is unknown. */
export function preview(context: KindContext, news: Properties, before?: Kept): Properties {
  const { definition } = context;
  if (before === undefined) {
    const inputs = canonical(definition, news);
    return previewed(context, inputs, {}, definition.previewCreate?.(inputs));
  }
  const compared = compare(context, before, news);
  const { inputs, state } = compared;
  return (
    withNewSecrets(definition, before.state, news, compared) ??
    previewed(context, inputs, state, definition.previewUpdate?.(compared))
  );
}

function previewed(
  { definition: { outputs }, services }: KindContext,
  inputs: Properties,
  state: Properties,
  known: Properties | undefined,
): Properties {
  const all = Object.entries(outputs).map(([name, { stable }]) => [
    name,
    inputs[name] ?? (stable ? state[name] : undefined) ?? unknown,
  ]);
  return defined({ ...inputs, ...Object.fromEntries(all), ...known, [serviceKey]: services()[0] });
}
