/** The plan of an update, and the parts of it that a diff and a preview show. */
import { isDeepStrictEqual } from "node:util";
import type { AnyDefinition } from "../core/definition";
import { Failure } from "../core/errors";
import { canonicalInputs, contains, unknown } from "../core/fields";
import { changesAnything, type Plan } from "../core/plan";
import { isSecret, secretsOf, withSecrets } from "../core/secrecy";
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
import { checkToken, expectSameBaseUrl, expectSoleOwner, type KindContext, note, register } from "./context";

// ---- Inputs --------------------------------------------------------------------------------------------------------

/** The inputs in canonical form, with the list of secret ones. */
export function canonical({ fields }: AnyDefinition, inputs: Properties): Properties {
  return withSecrets(canonicalInputs(fields, inputs), secretsOf(inputs));
}

/**
 * The inputs with a name, if one of them defaults to the resource's. `proposed`: the name that stack config makes, another
 * one at each check. Only a new resource gets that. A former name stays, unless it is secret.
 */
export function withName(
  { fields }: AnyDefinition,
  inputs: Properties,
  before: Properties | undefined,
  name?: string,
  proposed?: string,
): Properties {
  const field = fields.find(({ defaultsToResourceName }) => defaultsToResourceName);
  if (field === undefined || name === undefined) return inputs;
  const isUnpatterned = field.defaultsToResourceName?.noPatternWith.some((one) => inputs[one] != null);
  const former = before && !isSecret(before, field.name) ? before[field.name] : undefined;
  const made = isUnpatterned ? undefined : proposed && (before === undefined ? proposed : former);
  return { ...inputs, [field.name]: inputs[field.name] ?? made ?? name };
}

// ---- Plan ----------------------------------------------------------------------------------------------------------

/** A create or an update, decided. A create has no id and an empty state. */
interface Planned extends Kept {
  readonly inputs: Properties;
  readonly plan: Plan;
  /** The state afterwards if at most the list of secret values changes: then no request is needed (R13). */
  readonly sameObject: Properties | undefined;
}

/** `given`: what an update is of. Throws if that is of another kind. */
export function planOf({ definition, host }: KindContext, news: Properties, given?: Kept): Planned {
  if (given !== undefined) expectSameKind(definition, given);
  const held = given && { id: given.id, state: definition.parse(given.state) };
  const inputs = canonical(definition, news);
  const plan = definition.plan({ ...held, inputs, time: host.now() });
  const { id, state } = held ?? { id: "", state: {} };
  const isKept = given !== undefined && !changesAnything(plan) && state[failedKey] === undefined;
  const sameObject = isKept ? defined(withSecrets(given.state, secretsOf(news))) : undefined;
  return { id, state, inputs, plan, sameObject };
}

/** An alias of another type gives a resource the state of another kind, whose key it would then forget. */
function expectSameKind({ kind }: AnyDefinition, { id, state }: Kept): void {
  const [, former = kind] = /\.provider\("(\w+)"\)/.exec(String(state[providerKey])) ?? [];
  if (former === kind) return;
  const reason = `In state, ${id} is of the type ${former}, and an alias can't make it a resource of the type ${kind}. Nothing was changed. Leave the alias out; to keep an API key, name it by existingId.`;
  throw new Failure("wrongInput", reason);
}

// ---- Diff ----------------------------------------------------------------------------------------------------------

export interface Difference {
  /**
   * `undefined` leaves it to the engine, which compares the inputs itself and shows exactly what changed. The engine takes
   * null for a missing property, so a difference that contains null is `true`.
   */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
  readonly details: readonly Change[];
}

/** A difference between two values, by the path that leads to it. */
export interface Change {
  readonly path: readonly PropertyKey[];
  readonly kind: "add" | "update" | "delete";
}

/** The changes that an update would make. Prints the line about it. `name`: of the resource in the program, if the host knows it. */
export function diff(context: KindContext, given: Kept, news: Properties, name?: string): Difference {
  const { definition, imported, refreshed } = context;
  const planned = planOf(context, news, given);
  const { id, state, inputs, plan } = planned;
  const { changed, isPending = false } = plan;
  const replaces = [...plan.replaces];
  const isChanged = changesAnything(plan);
  // Only state says which of its values are secret, so it has to be saved again.
  const isOnlySecrecy = !isChanged && !isDeepStrictEqual(secretsOf(state), secretsOf(inputs));
  register(context, planned, imported.delete(id) ? "takeOver" : "add");
  // A resource that `.get` reads is never updated, and another resource may manage its object.
  const isManaged = state[externalKey] !== true;
  const isAfterRefresh = isManaged && refreshed.delete(id);
  if (isManaged && !isAfterRefresh) {
    expectSoleOwner(context, planned, name);
    if (isChanged) expectSameBaseUrl(context, given, name);
    // The program can't ever be applied. Other refusals wait for something else, so they fail the update alone.
    if (plan.refusal?.kind === "wrongInput") throw plan.refusal;
    const line = isChanged ? (plan.refusal?.headline ?? plan.note) : undefined;
    // After a failure, the engine updates the resource, even if its preview shows no difference of inputs.
    const isUpdatedAgain = state[failedKey] === true && replaces.length === 0;
    const others = isOnlySecrecy && "only which of its values are secret has changed. No request is sent";
    const why = isUpdatedAgain ? "its last create or update failed halfway, so it is updated again" : others;
    note(context, name, line ?? (why ? `${id}: ${why}.` : undefined), state, inputs);
  }
  if (!isChanged && !isOnlySecrecy) return { changes: false, replaces, details: [] };
  const before = definition.inputsOf(state);
  // The engine would show names that begin with "__" here.
  const announced = Object.keys(definition.shape.announced ?? {}).filter((field) => !field.startsWith("__"));
  const details = [...changed, ...announced].flatMap((field) =>
    changesAt([field], before[field], inputs[field]),
  );
  const isNull = (one: unknown) => one === null;
  const hasNull = changed.some((field) => contains([state[field], inputs[field]], isNull));
  return {
    changes: isOnlySecrecy || isPending || hasNull || undefined,
    replaces,
    details,
  };
}

/** Where two values differ, as deep as both have the same structure. */
export function changesAt(path: readonly PropertyKey[], before: unknown, now: unknown): readonly Change[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (before === undefined) return [{ path, kind: "add" }];
  if (now === undefined) return [{ path, kind: "delete" }];
  const areLists = Array.isArray(before) && Array.isArray(now);
  const between = (was: object, is: object) => {
    // An alias can be a name that every object inherits, such as "constructor".
    const [had, has] = [new Map(Object.entries(was)), new Map(Object.entries(is))];
    return [...new Map([...had, ...has]).keys()].flatMap((step) =>
      changesAt([...path, areLists ? Number(step) : step], had.get(step), has.get(step)),
    );
  };
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

// ---- Preview -------------------------------------------------------------------------------------------------------

/** The state after a create, or an update of this state, as far as that is known: the rest is unknown. */
export function preview(context: KindContext, news: Properties, before?: Kept): Properties {
  const { inputs, state, plan, sameObject } = planOf(context, news, before);
  if (sameObject !== undefined) return sameObject;
  checkToken(context, inputs);
  const outputs = Object.entries(context.definition.shape.outputs).map(([name, { stable }]) => [
    name,
    inputs[name] ?? (stable ? state[name] : undefined) ?? unknown,
  ]);
  const [service] = context.host.configuration().services;
  return defined({ ...inputs, ...Object.fromEntries(outputs), ...plan.preview?.(), [serviceKey]: service });
}
