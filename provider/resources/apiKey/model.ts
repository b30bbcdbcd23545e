/** The inputs and outputs of an API key, as a single resource or as an entry of a set. */

import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { type ApiKeyRecord, maskedEnd } from "../../client/service";
import { type Settled, stateAfter } from "../../core/converge";
import type { DraftOf, InputsOf, PlanArgs, Resource, Session, StateOf } from "../../core/definition";
import {
  aMark,
  aNumber,
  announced,
  aString,
  boolean,
  containsUnknown,
  defaulted,
  fieldsOf,
  isUnknown,
  knownString,
  map,
  number,
  observed,
  optional,
  required,
  secret,
  stable,
  string,
  updatableFields,
} from "../../core/fields";
import { type Comparing, compareFields, type Plan } from "../../core/plan";
import { isSecret, secretValues, shown } from "../../core/secrecy";
import { caseFolded, defined, type Properties, pick } from "../../core/state";
import { quoted } from "../../core/text";
import {
  jsonObject,
  optionalFlag,
  optionalString,
  pathSegment,
  requiredString,
  text,
} from "../fields/schemas";
import { canonicalScopes, isInOwnForm, scopesSchema, toWire } from "./scopes";

/** Inputs that name an existing key. */
export const existing = ["existingKey", "existingId"] as const;

const update = { onChange: "update" } as const;
const replace = { onChange: "replace" } as const;

export const inputs = {
  workspaceId: required(pathSegment, { ...replace, canonical: string }),
  customerId: required(requiredString, { ...replace, canonical: string }),
  name: required(requiredString, {
    ...update,
    canonical: string,
    defaultsToResourceName: { noPatternWith: existing },
  }),
  scopes: defaulted(scopesSchema, {
    ...update,
    exact: true,
    isInOwnForm,
    canonical: canonicalScopes,
    default: [],
  }),
  enabled: defaulted(optionalFlag, { ...update, exact: true, canonical: boolean, default: true }),
  prefix: optional(optionalString, { ...replace, canonical: string }),
  expiresAt: optional(
    z.nullish(
      z
        .int({ error: "must be a whole number above 0, in the service's own unit" })
        .check(z.positive({ error: "must be above 0; leave it out for the service's default" })),
    ),
    { ...replace, canonical: number },
  ),
  externalMeterId: optional(optionalString, { ...replace, canonical: string }),
  metadata: optional(jsonObject, { ...replace, canonical: map }),
  existingKey: optional(
    z.nullish(
      text.check(
        z.refine((value) => value.trim() !== "", {
          error:
            "must not be empty (an unset variable?): set it to the value of the key, or leave it out to create a new key",
          abort: true,
        }),
        z.refine((value) => !/^\s|\s$|\p{Cc}/u.test(value), {
          error:
            "must not begin or end with white space, such as the line break of a file, or have control characters",
        }),
      ),
    ),
    { ...replace, local: true, canonical: string, secret: true },
  ),
  existingId: optional(z.nullish(pathSegment), {
    ...replace,
    local: true,
    canonical: string,
  }),
  keepers: optional(z.nullish(z.record(z.string(), text)), { ...replace, local: true, canonical: map }),
};

/** Inputs that the service takes only for a new key, not for one that is migrated (interface, 4.4 and 4.5). */
export const onlyForNew = ["prefix", "expiresAt", "externalMeterId"] as const;

export const shape = {
  inputs,
  announced: {
    /** How often an update has replaced the key, plus 1: of an entry of a set, absent while it is 1. */
    generation: announced(number),
  },
  outputs: {
    key: stable(secret(aString)),
    maskedKey: stable(aString),
    createdAt: stable(aString),
    updatedAt: aString,
    billingId: stable(aString),
    effectivePrefix: stable(aString),
    effectiveExpiresAt: stable(aNumber),
  },
  hidden: {
    /** Set where create's answer had no secret (K6). */
    __keyLost: aMark,
  },
};

export type Shape = typeof shape;
export type KeyInputs = InputsOf<Shape>;
export type KeyDraft = DraftOf<Shape>;
export type KeyState = StateOf<Shape>;
export type KeyPlanArgs = PlanArgs<Shape>;
/** A key that is in state. */
export type OwnedKey = Resource<Shape>;

export const fields = fieldsOf(inputs);
/** With those that check sets. */
export const allFields = [...fields, ...fieldsOf(shape.announced)];
/** The fields that an edit changes in place. */
export const updatable = updatableFields(inputs);

export const observe = (record: ApiKeyRecord) => observed(updatable, record);

/** Whether a record shows all updatable fields exactly as declared. Both are in canonical form. */
export function isAsDeclared(record: ApiKeyRecord, declared: KeyInputs): boolean {
  const now = observe(record);
  return isWhole(record) && updatable.every(({ name }) => isDeepStrictEqual(declared[name], now[name]));
}

/** A field that is missing from the answer to a write is unknown; one that is missing from a GET is empty (R2, R4). */
export function isWhole(record: ApiKeyRecord): boolean {
  const shown: Properties = record;
  return !record.deleted && updatable.every(({ name, exact }) => !exact || shown[name] !== undefined);
}

export function isLost({ __keyLost }: KeyState): boolean {
  return __keyLost === true;
}

/** The id of the key that a create with these inputs adopts, if it is known (K11). */
export function adoptedId({ existingId }: KeyDraft): string | undefined {
  return knownString(existingId);
}

// ---- Plan ----------------------------------------------------------------------------------------------------------

export function plan(args: KeyPlanArgs): Plan {
  const { id = "", state, inputs } = args;
  const compared = comparedKey(args);
  if (state === undefined) {
    const preview = () => (adoptedId(inputs) === undefined ? {} : { key: inputs.existingKey });
    return { ...compared, note: adoptionNote(inputs), preview };
  }
  const note = isLost(state) ? "its secret is not in state, so the update replaces it." : undefined;
  return { ...compared, note, preview: () => ({ key: secretAfter({ id, state }, inputs) }) };
}

/** The secret of a key after an update: the one that the program gives beside the key's id, or that in state (K11). */
export function secretAfter({ id, state }: OwnedKey, { existingId, existingKey }: KeyDraft) {
  return (existingId === id ? existingKey : undefined) ?? state.key;
}

/** Compares a key with its state. Only a new key can have a secret that is lost, whatever the program says (K6). */
export function comparedKey(args: Omit<KeyPlanArgs, "time">): Plan {
  const { id = "", state = {}, inputs } = args;
  const compared = compareFields(fields, args, comparing([{ id, state }], inputs));
  return isLost(state) ? { ...compared, isPending: true, replaces: ["key", ...compared.replaces] } : compared;
}

/**
 * Whether a key is replaced that stays in its workspace, as far as inputs show it. `own`: what state has of it, if that is seen.
 * To leave out what names an existing key is no change, nor is to name the own key (K5, K11).
 */
export function needsNewKey(was: KeyInputs, now: KeyInputs, own: Partial<KeyInputs>): boolean {
  const naming = now.existingId === undefined ? "existingKey" : "existingId";
  const namesOwn = now[naming] === (own[naming] ?? was[naming]);
  const isNaming = (name: string) => existing.some((one) => one === name);
  const compared = fields.filter(
    ({ name }) => name !== "workspaceId" && !(isNaming(name) && (namesOwn || !now[naming])),
  );
  return compareFields(compared, { state: was, inputs: now }).replaces.length > 0;
}

/** How inputs that name an existing key are compared: to leave one out is no change, nor is to name the own key (K5, K11). */
export function comparing(keys: readonly OwnedKey[], inputs: KeyDraft): Required<Comparing> {
  const own: Readonly<Record<string, readonly unknown[]>> = {
    existingKey: keys.map(({ state }) => state.key),
    existingId: keys.map(({ id }) => id),
  };
  const keeps = existing.some((name) => inputs[name] !== undefined && own[name]?.includes(inputs[name]));
  return {
    isSame: (name, value) => name in own && (value === undefined || own[name]?.includes(value) === true),
    // Beside the own id, existingKey is only the secret.
    isKept: (name, value) => keeps && (name === "existingKey" || containsUnknown(value)),
  };
}

export function adoptionNote(inputs: KeyDraft): string | undefined {
  const id = adoptedId(inputs);
  const how = inputs.existingKey === undefined ? "without" : "with";
  return id && `1 existing key to adopt, ${how} its secret: ${id}; nothing to create.`;
}

export function label(properties: KeyDraft): string {
  const name = String(properties.name);
  return `${isNamed(properties) ? `key ${quoted(name)}` : "the key"} in ${workspaceIn(properties)}`;
}

/** Whether messages can show the name: it is neither secret nor unknown. */
export function isNamed(properties: KeyDraft): boolean {
  const { name } = properties;
  return typeof name === "string" && !isUnknown(name) && !isSecret(properties, "name");
}

export function workspaceIn(properties: KeyDraft): string {
  const { workspaceId } = properties;
  if (isUnknown(workspaceId)) return "a workspace that is not known yet";
  return `workspace ${shown(properties, "workspaceId", String(workspaceId))}`;
}

/** Masks the secrets of one of several keys. For a resource with one key, the core does this. */
export function maskKey(session: Session, ...all: readonly KeyDraft[]): void {
  session.mask(all.map(({ existingKey, key }: Properties) => [existingKey, key]));
  session.mask(...secretValues(all));
}

export function createBody(declared: KeyInputs): Properties {
  return { ...pick(declared, sent), scopes: toWire(declared.scopes) };
}

/** Which fields migrate requires is not stated, so all are sent. */
export function migrateBody(declared: KeyInputs) {
  return { key: declared.existingKey ?? "", metadata: {}, ...createBody(declared) };
}

const sent = fields.filter(({ local }) => !local).map(({ name }) => name);

export function outputs({ maskedKey, createdAt, updatedAt, billingId, prefix, expiresAt }: ApiKeyRecord) {
  return {
    ...{ maskedKey, createdAt, updatedAt, billingId },
    effectivePrefix: prefix,
    effectiveExpiresAt: expiresAt,
  };
}

/** An output that an answer leaves out keeps its value. */
export function stateAfterWrite(
  declared: KeyInputs,
  settled: Settled<ApiKeyRecord>,
  before: KeyState,
): KeyState {
  const state: KeyState = {
    ...pick(before, [...Object.keys(shape.outputs), "__keyLost"]),
    ...defined(outputs(settled.record)),
    ...stateAfter(updatable, declared, settled, observe),
  };
  // Some services send the secret as maskedKey, which must not be shown.
  const isShown = [state.key, settled.record.key].some((key) => key && state.maskedKey?.includes(key));
  return isShown ? { ...state, maskedKey: undefined } : state;
}

/** Previews show these as unchanged, so an update keeps their values. */
export const stableOutputs = Object.entries(shape.outputs).flatMap(([name, output]) =>
  "stable" in output ? [name] : [],
);

/** Outputs that a refresh reads again. An update leaves them as they are, so that previews can show them (R5, R18). */
const refreshed = ["billingId", "effectivePrefix", "effectiveExpiresAt"] as const;

/** Whether a record has the prefix, the expiry and the masked form that state has: a list may leave them out. */
export function hasOutputs(record: ApiKeyRecord, state: KeyState): boolean {
  const now: Properties = outputs(record);
  return (["effectivePrefix", "effectiveExpiresAt", "maskedKey"] as const).every(
    (name) => state[name] === undefined || now[name] !== undefined,
  );
}

/** Whether the service shows that the key no longer has the secret in state: somebody regenerated it there (K6). */
export function isRegenerated({ maskedKey }: ApiKeyRecord, { key, maskedKey: before }: KeyState): boolean {
  return key !== undefined && maskedKey !== before && !key.endsWith(maskedEnd(maskedKey));
}

/** State with the outputs that have changed; the same object if none has. */
export function withChangedOutputs(state: KeyState, record: ApiKeyRecord): KeyState {
  const now = outputs(record);
  const changed = refreshed.filter((name) => {
    const [before, after] = [state[name], now[name]];
    return before !== undefined && after !== undefined && caseFolded(before) !== caseFolded(after);
  });
  return changed.length === 0 ? state : { ...state, ...pick(now, changed) };
}
