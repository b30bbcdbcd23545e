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
import { existing, fields as keyFields, inputs as keyInputs } from "../apiKey/properties";
import { canonicalDuration, duration } from "./duration";

/** The inputs and outputs of a rotating key: an ApiKey's, and when it rotates. */

const update = { onChange: "update" } as const;
const local = { ...update, local: true } as const;
/** Another value replaces the resource. */
const ofResource = ["workspaceId", ...existing] as const;

/** Inputs that an existing key can't change: another value needs a new key, which is an update of the resource. */
export const needsNewKey = keyFields
  .filter(({ name, onChange }) => onChange === "replace" && !ofResource.some((one) => one === name))
  .map(({ name }) => name) as readonly (keyof typeof keyInputs)[];

const inPlace = Object.entries(keyInputs).map(([name, input]) => [
  name,
  needsNewKey.some((one) => one === name) ? { ...input, ...update } : input,
]);

const inputs = {
  ...(Object.fromEntries(inPlace) as typeof keyInputs),
  rotateEvery: required(
    duration(
      'the age at which to rotate, such as "90d": a whole number of hours (h), days (d) or weeks (w)',
    ).check(
      z.refine((value) => !/^0+[hdw]$/.test(value), { error: 'must be longer than "0d", such as "90d"' }),
    ),
    { ...local, canonical: canonicalDuration },
  ),
  overlap: defaulted(
    z.nullish(
      duration(
        'the time that the previous key stays valid, such as "7d": a whole number of hours (h), days (d) or weeks (w)',
      ),
    ),
    { ...local, canonical: canonicalDuration, default: "7d" },
  ),
  retire: defaulted(z.nullish(z.enum(["afterOverlap", "whenUnused"])), {
    ...local,
    canonical: string,
    default: "afterOverlap",
  }),
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
