/** Decoders for the answers of a service whose exact types are not stated: numbers may come as text, null and "" stand for nothing. */
import * as z from "zod/mini";

export type Decoder<T> = z.ZodMiniType<T, unknown>;

const orAbsent = (value: unknown) => (value === null || value === "" ? undefined : value);

const toText = z.transform((value: unknown) => {
  // Half a character would break the message that carries the record to the engine.
  if (typeof value === "string") return orAbsent(value.toWellFormed());
  return typeof value === "number" ? String(value) : orAbsent(value);
});
const toNumber = z.transform((value: unknown) =>
  typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : orAbsent(value),
);

export const requiredText: Decoder<string> = z.pipe(toText, z.string());
export const text: Decoder<string | undefined> = z.pipe(toText, z.optional(z.string()));
export const number: Decoder<number | undefined> = z.pipe(toNumber, z.optional(z.number()));
/** Some databases have 1 and 0 for true and false. */
const toFlag = (ifAbsent?: boolean) =>
  z.transform((value: unknown) => (value === 1 || value === 0 ? value === 1 : (value ?? ifAbsent)));
export const flag: Decoder<boolean | undefined> = z.pipe(toFlag(), z.optional(z.boolean()));
/** False if it is absent. */
export const permission: Decoder<boolean> = z.pipe(toFlag(false), z.boolean());
/** Null is an empty list. */
export const nullAsEmpty = z.transform((list: unknown) => (list === null ? [] : list));
export const listOf = <T>(entry: Decoder<T>): Decoder<readonly T[] | undefined> =>
  z.pipe(nullAsEmpty, z.optional(z.array(entry)));
/** A value that can't be read counts as absent. */
export const lenient = <T>(decoder: Decoder<T>): Decoder<T | undefined> =>
  z.catch(z.optional(decoder), undefined);
export const mirroredText = lenient(text);
