/** Compares a state with the inputs of the program: what an update would do, and what a preview shows. */
import { isDeepStrictEqual } from "node:util";
import type { AnyComparison, AnyDefinition, AnyShape, Compared } from "../core/definition";
import { Failure } from "../core/errors";
import { canonicalInputs, contains, containsUnknown, type Field, unknown } from "../core/fields";
import { secretsOf, withSecrets } from "../core/secrecy";
import {
  defined,
  externalKey,
  failedKey,
  isRecord,
  type Kept,
  type Properties,
  providerKey,
  serviceKey,
} from "../core/state";
import { expectSameBaseUrl, expectSoleOwner, type KindContext, note, register } from "./context";

// ---- Inputs --------------------------------------------------------------------------------------------------------

/** The inputs in canonical form, with the list of secret ones. */
export function canonical({ fields }: AnyDefinition, inputs: Properties): Properties {
  return withSecrets(canonicalInputs(fields, inputs), secretsOf(inputs));
}

/** The inputs that a state stands for. */
export function inputsOf(definition: AnyDefinition, state: Properties): Properties {
  return canonicalInputs(definition.fields, definition.inputsOf(state));
}

/** The inputs with the resource's name, if that is the default of one of them. */
export function withName(
  { fields }: AnyDefinition,
  inputs: Properties,
  name: string | undefined,
): Properties {
  const field = fields.find(({ defaultsToResourceName }) => defaultsToResourceName);
  if (field === undefined || name === undefined) return inputs;
  return { ...inputs, [field.name]: inputs[field.name] ?? name };
}

/** The inputs that differ from their defaults: what a program has to declare. */
export function withoutDefaults(
  { fields }: AnyDefinition,
  inputs: Properties,
  name: string | undefined,
): Properties {
  const declared = fields.filter((field) => {
    const assumed = field.defaultsToResourceName ? name : field.default;
    return !isDeepStrictEqual(inputs[field.name], assumed);
  });
  return Object.fromEntries(declared.map((field) => [field.name, inputs[field.name]]));
}

// ---- Differences ---------------------------------------------------------------------------------------------------

export interface Difference {
  /**
   * `undefined` leaves it to the engine, which compares the inputs itself and shows exactly what changed. The engine takes
   * null for a missing property, so a difference that contains null is `true`.
   */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
}

/** The parts of a definition that a comparison needs. */
type Deciding = Pick<AnyDefinition, "unchanged" | "pending" | "keepsExisting"> & {
  readonly fields: readonly Pick<Field, "name" | "default" | "onChange">[];
};

/** Parses a state and the inputs of the program; the plan is made when it is first needed. */
export function compare(
  { definition, host }: KindContext,
  { id, state }: Kept,
  inputs: Properties,
): AnyComparison {
  expectSameKind(definition, id, state);
  const compared: Compared<AnyShape> = {
    id,
    state: definition.parse(state),
    inputs: canonical(definition, inputs),
    now: host.now(),
  };
  let plan: unknown;
  return {
    ...compared,
    get plan() {
      plan ??= definition.plan?.(compared);
      return plan;
    },
  };
}

/** An alias of another type gives a resource the state of another kind, whose key it would then forget. */
function expectSameKind({ kind }: AnyDefinition, id: string, state: Properties): void {
  const [, former = kind] = /\.provider\("(\w+)"\)/.exec(String(state[providerKey])) ?? [];
  if (former === kind) return;
  throw new Failure(
    `In state, ${id} is of the type ${former}, and an alias can't make it a resource of the type ${kind}. Nothing was changed. Leave the alias out; to keep an API key, name it by existingId.`,
  );
}

/** The inputs that differ from what the state was declared as. Both are in canonical form. */
function differing({ fields, unchanged }: Deciding, compared: AnyComparison): Deciding["fields"] {
  const { state, inputs }: { readonly state: Properties; readonly inputs: Properties } = compared;
  return fields.filter((field) => {
    const value = inputs[field.name];
    if (containsUnknown(value)) return true;
    if (isDeepStrictEqual(state[field.name] ?? field.default, value)) return false;
    return !unchanged?.(field.name, value, compared);
  });
}

/** What differing inputs mean for an update. */
export function difference(
  deciding: Deciding,
  compared: AnyComparison,
  changed = differing(deciding, compared),
): Difference {
  const { state, inputs }: { readonly state: Properties; readonly inputs: Properties } = compared;
  const staysThough = (value: unknown) =>
    containsUnknown(value) && deciding.keepsExisting?.(compared) === true;
  const replaces = changed
    .filter(({ name, onChange }) => onChange === "replace" && !staysThough(inputs[name]))
    .map(({ name }) => name);
  const pending = deciding.pending?.(compared);
  if (pending !== undefined) return { changes: true, replaces: [...pending, ...replaces] };
  if (changed.length === 0) return { changes: false, replaces };
  const hasNull = changed.some(({ name }) => contains([state[name], inputs[name]], (one) => one === null));
  return { changes: hasNull ? true : undefined, replaces };
}

/** A difference between two values, by the path that leads to it. */
export interface Change {
  readonly path: readonly PropertyKey[];
  readonly kind: "add" | "update" | "delete";
}

/** Where two values differ, as deep as both have the same structure. */
export function changesAt(path: readonly PropertyKey[], before: unknown, now: unknown): readonly Change[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (before === undefined) return [{ path, kind: "add" }];
  if (now === undefined) return [{ path, kind: "delete" }];
  const areLists = Array.isArray(before) && Array.isArray(now);
  const between = (was: object, is: object) =>
    Object.keys({ ...was, ...is }).flatMap((step) =>
      changesAt(
        [...path, areLists ? Number(step) : step],
        (was as Properties)[step],
        (is as Properties)[step],
      ),
    );
  // An entry that both lists have is no change, wherever it is: one more entry would change all that follow it.
  const gainedOrLost = areLists ? between(without(before, now), without(now, before)) : [];
  if (gainedOrLost.length > 0) return gainedOrLost;
  const changes = areLists || (isRecord(before) && isRecord(now)) ? between(before, now) : [];
  return changes.length > 0 ? changes : [{ path, kind: "update" }];
}

function without(list: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const had = new Set(other.map((entry) => JSON.stringify(entry)));
  return list.map((entry) => (had.has(JSON.stringify(entry)) ? undefined : entry));
}

// ---- Only secrets --------------------------------------------------------------------------------------------------

function hasSameSecrets({ state, inputs }: AnyComparison): boolean {
  return isDeepStrictEqual(secretsOf(state), secretsOf(inputs));
}

/** The new state if only the list of secrets has changed, or the host: then no request is needed. */
export function stateIfOnlySecretsChange(
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

// ---- Diff ----------------------------------------------------------------------------------------------------------

/** A difference with the path of each changed value. */
export interface DetailedDifference extends Difference {
  readonly details: readonly Change[];
}

/** What an update would do. Prints the notes about it. `name`: of the resource in the program, if the host knows it. */
export function detailedDiff(
  context: KindContext,
  given: Kept,
  news: Properties,
  name?: string,
): DetailedDifference {
  const { definition, refreshed } = context;
  const compared = compare(context, given, news);
  const changed = differing(definition, compared);
  register(context, compared, "addCompared");
  const result = difference(definition, compared, changed);
  // A resource that `.get` reads is never updated, and another resource may manage its object.
  const isManaged = compared.state[externalKey] !== true;
  const isOnlySecrets = result.changes === false && !hasSameSecrets(compared);
  const isAfterRefresh = isManaged && refreshed.delete(compared.id);
  if (isManaged && !isAfterRefresh) {
    expectSoleOwner(context, compared, name);
    const isSent = result.replaces.length > 0 || definition.sends("update", compared.state);
    if (result.changes !== false && isSent) expectSameBaseUrl(context, given);
    note(context, lineAbout(definition, compared, result, isOnlySecrets), compared.state, compared.inputs);
  }
  // Only state says which of its values are secret, so it has to be saved again.
  if (isOnlySecrets) return { ...result, changes: true, details: secrecyChanges(definition, compared) };
  if (result.changes === false) return { ...result, details: [] };
  const before = inputsOf(definition, compared.state);
  const now: Properties = compared.inputs;
  const details = changed.flatMap(({ name }) => changesAt([name], before[name], now[name]));
  return { ...result, details: changed.length > 0 ? details : secrecyChanges(definition, compared) };
}

/** The same for a host that needs no paths. */
export function diff(...given: Parameters<typeof detailedDiff>): Difference {
  const { changes, replaces } = detailedDiff(...given);
  return { changes, replaces };
}

/** The inputs of which a value becomes secret, or no longer is. */
function secrecyChanges({ fields }: AnyDefinition, { state, inputs }: AnyComparison): readonly Change[] {
  const marks = (all: Properties, input: string) => secretsOf(all).filter(([name]) => name === input);
  return fields
    .filter(({ name }) => !isDeepStrictEqual(marks(state, name), marks(inputs, name)))
    .map(({ name }) => ({ path: [name], kind: "update" }));
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

// ---- Preview -------------------------------------------------------------------------------------------------------

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
    stateIfOnlySecretsChange(definition, before.state, news, compared) ??
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
