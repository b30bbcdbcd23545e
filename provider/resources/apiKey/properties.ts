import * as z from "zod/mini";
import type { Compared, DraftOf, InputsOf, StateOf } from "../../core/definition";
import {
  aMark,
  aNumber,
  aString,
  boolean,
  defaulted,
  fieldsOf,
  map,
  number,
  optional,
  required,
  secret,
  stable,
  string,
  updatableFields,
} from "../../core/fields";
import {
  jsonObject,
  keepersMap,
  optionalFlag,
  optionalString,
  pathSegment,
  requiredString,
  text,
} from "../fields/schemas";
import { canonicalScopes, scopesSchema } from "./scopes";

/** The inputs and outputs of an API key, as a single resource or as an entry of a set. */

const update = { onChange: "update" } as const;
const replace = { onChange: "replace" } as const;

export const inputs = {
  workspaceId: required(pathSegment, { ...replace, canonical: string }),
  customerId: required(requiredString, { ...replace, canonical: string }),
  name: required(requiredString, { ...update, canonical: string, defaultsToResourceName: true }),
  scopes: defaulted(scopesSchema, {
    ...update,
    exact: true,
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
  keepers: optional(keepersMap, { ...replace, local: true, canonical: map }),
};

/** Inputs that the service takes only for a new key, not for one that is migrated (interface, 4.4 and 4.5). */
export const onlyForNew = ["prefix", "expiresAt", "externalMeterId"] as const;
/** Inputs that name an existing key. */
export const existing = ["existingKey", "existingId"] as const;

export const shape = {
  inputs,
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
    /** A random value, if the key was migrated, adopted or imported: another resource may have the same key (K5). */
    __claim: aString,
  },
};

export type Shape = typeof shape;
export type KeyInputs = InputsOf<Shape>;
export type KeyDraft = DraftOf<Shape>;
export type KeyState = StateOf<Shape>;
export type KeyCompared = Compared<Shape>;
export type KeyUpdate = Compared<Shape, KeyInputs>;

export const fields = fieldsOf(inputs);
/** The fields that an edit changes in place. */
export const updatable = updatableFields(inputs);

/** Whether the program names the existing key that the resource has. */
export function keepsExisting({ id, state, inputs }: KeyCompared): boolean {
  const { existingId, existingKey } = inputs;
  return existingId === id || (existingKey !== undefined && existingKey === state.existingKey);
}

/** Leaving existingKey or existingId out is no change, and neither is naming the key that the resource has (K5, K11). */
export function unchanged(name: string, value: unknown, { id, state }: KeyCompared): boolean {
  if (name === "existingKey") return value === undefined || value === state.key;
  return name === "existingId" && (value === undefined || value === id);
}
