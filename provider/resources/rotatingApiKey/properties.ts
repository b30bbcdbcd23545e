import * as z from "zod";
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

/** What a rotating key is declared with and gives: an ApiKey's, and when it rotates. */

const update = { onChange: "update" } as const;

/** What a key is made with and never changes: another value makes a new key. */
const { customerId, prefix, expiresAt, externalMeterId, metadata, keepers } = keyInputs;

const inputs = {
  ...keyInputs,
  customerId: { ...customerId, ...update },
  prefix: { ...prefix, ...update },
  expiresAt: { ...expiresAt, ...update },
  externalMeterId: { ...externalMeterId, ...update },
  metadata: { ...metadata, ...update },
  keepers: { ...keepers, ...update },
  rotateEvery: required(
    duration(
      'how old a key may get, such as "90d": a whole number of hours (h), days (d) or weeks (w)',
    ).refine((value) => !/^0+[hdw]$/.test(value), { error: 'must be longer than nothing, such as "90d"' }),
    { ...update, canonical: canonicalDuration },
  ),
  overlap: defaulted(
    duration(
      'how long the previous key stays valid, such as "7d": a whole number of hours (h), days (d) or weeks (w)',
    ).nullish(),
    { ...update, canonical: canonicalDuration, default: "7d" },
  ),
  retire: defaulted(
    z.enum(["afterOverlap", "whenUnused"], { error: 'must be "afterOverlap" or "whenUnused"' }).nullish(),
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
    /** What the state of an ApiKey holds of the previous key, without its secret. */
    __previous: aMap,
    /** When the previous key was last used, as the service last said; "" where it said nothing. */
    __lastUsed: aString,
    /** Keys that were made without a secret, and are still to be deleted. */
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
