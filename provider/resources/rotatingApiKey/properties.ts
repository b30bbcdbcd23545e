import * as z from "zod/mini";
import type { Compared, DraftOf, InputsOf, StateOf } from "../../core/definition";
import {
  aList,
  aMap,
  aNumber,
  aString,
  defaulted,
  fieldsOf,
  required,
  secret,
  string,
} from "../../core/fields";
import { inputs as keyInputs } from "../apiKey/properties";
import { canonicalDuration, duration } from "./duration";

/** The inputs and outputs of a rotating key: an ApiKey's, and when it rotates. */

const update = { onChange: "update" } as const;

/** Inputs that can't change on an existing key: another value needs a new key, which is an update of the resource. */
const ofNewKey = {
  customerId: { ...keyInputs.customerId, ...update },
  prefix: { ...keyInputs.prefix, ...update },
  expiresAt: { ...keyInputs.expiresAt, ...update },
  externalMeterId: { ...keyInputs.externalMeterId, ...update },
  metadata: { ...keyInputs.metadata, ...update },
  keepers: { ...keyInputs.keepers, ...update },
};
/** Their names. */
export const needsNewKey = Object.keys(ofNewKey) as readonly (keyof typeof ofNewKey)[];

const inputs = {
  ...keyInputs,
  ...ofNewKey,
  rotateEvery: required(
    duration(
      'the age at which to rotate, such as "90d": a whole number of hours (h), days (d) or weeks (w)',
    ).check(
      z.refine((value) => !/^0+[hdw]$/.test(value), { error: 'must be longer than "0d", such as "90d"' }),
    ),
    { ...update, canonical: canonicalDuration },
  ),
  overlap: defaulted(
    z.nullish(
      duration(
        'the time that the previous key stays valid, such as "7d": a whole number of hours (h), days (d) or weeks (w)',
      ),
    ),
    { ...update, canonical: canonicalDuration, default: "7d" },
  ),
  retire: defaulted(
    z.nullish(z.enum(["afterOverlap", "whenUnused"], { error: 'must be "afterOverlap" or "whenUnused"' })),
    { ...update, canonical: string, default: "afterOverlap" },
  ),
};

export const shape = {
  inputs,
  outputs: {
    key: secret(aString),
    keyId: aString,
    previousKey: secret(aString),
    previousKeyId: aString,
    rotatedAt: aString,
    rotatesAt: aString,
    retiresAt: aString,
    maskedKey: aString,
    createdAt: aString,
    updatedAt: aString,
    billingId: aString,
    effectivePrefix: aString,
    effectiveExpiresAt: aNumber,
  },
  hidden: {
    /** The previous key's properties, as in the state of an ApiKey, without its secret. */
    __previous: aMap,
    /** When the previous key was last used, as the service last said; "" where it said nothing. */
    __lastUsed: aString,
    /** Keys that were created without a secret, and are still to be deleted. */
    __toDelete: aList,
  },
};

export type Shape = typeof shape;
export type RotatingInputs = InputsOf<Shape>;
export type RotatingDraft = DraftOf<Shape>;
export type RotatingState = StateOf<Shape>;
export type RotatingCompared = Compared<Shape>;

export const fields = fieldsOf(inputs);

/** Whether a new value of an input means the same as the state: an existing key is what it began with (K5, K11). */
export function unchanged(name: string, value: unknown, { state }: RotatingCompared): boolean {
  const { key, previousKey, keyId, previousKeyId } = state;
  const held =
    name === "existingKey" ? [key, previousKey] : name === "existingId" ? [keyId, previousKeyId] : undefined;
  return held?.some((one) => value === undefined || value === one) ?? false;
}
