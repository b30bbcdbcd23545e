/**
 * Decoders for the answers of a service whose exact types are not stated. A list of thousands of keys goes through them, so
 * they are plain functions, which take a third of the time of a schema library. They throw nothing but a Mismatch.
 */
export type Decode<T> = (value: unknown) => T;

/** What is wrong with a part of an answer, in our own words: it never holds a value. */
export class Mismatch extends Error {
  /** Where in the answer. */
  readonly path: PropertyKey[] = [];
}

function at<T>(step: PropertyKey, decode: Decode<T>, value: unknown): T {
  try {
    return decode(value);
  } catch (error) {
    if (error instanceof Mismatch) error.path.unshift(step);
    throw error;
  }
}

const wrong = Symbol("wrong");
type Convert<T> = (value: unknown) => T | typeof wrong;

function field<T>(expected: string, convert: Convert<T>): Decode<T> {
  return (value) => {
    const converted = convert(value);
    if (converted !== wrong) return converted;
    const isAbsent = value === undefined || value === null || value === "";
    throw new Mismatch(isAbsent ? "is missing" : `is not ${expected}`);
  };
}

/** A field that is only passed on: of an unexpected type it is `undefined`. */
function mirrored<T>(convert: Convert<T>): Decode<T | undefined> {
  return (value) => {
    const converted = convert(value);
    return converted === wrong ? undefined : converted;
  };
}

const toText: Convert<string | undefined> = (value) => {
  if (value === undefined || value === null || value === "") return undefined;
  // Half a character would break the message that carries the record to the engine.
  if (typeof value === "string") return value.toWellFormed();
  return typeof value === "number" || typeof value === "bigint" ? String(value) : wrong;
};

/** Text that is of no use if it is cut: longer text is wrong. */
const wholeText =
  (longest: number): Convert<string | undefined> =>
  (value) => {
    const text = toText(value);
    return typeof text === "string" && text.length > longest ? wrong : text;
  };

/** The beginning of a text: a service that answers a megabyte as a name is not to fill states and messages with it. */
const cutText =
  (longest: number): Convert<string | undefined> =>
  (value) => {
    const text = toText(value);
    if (text === undefined || text === wrong || text.length <= longest) return text;
    return `${text.slice(0, longest - 1)}…`.toWellFormed();
  };

const toNumber: Convert<number | undefined> = (value) => {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && !/^\s*-?\d+(\.\d+)?\s*$/.test(value)) return wrong;
  const converted = typeof value === "number" || typeof value === "string" ? Number(value) : wrong;
  // Larger numbers can't be stored in state.
  return Number.isFinite(converted) ? converted : wrong;
};

const toFlag: Convert<boolean | undefined> = (value) => {
  if (value === undefined || value === null) return undefined;
  return typeof value === "boolean" ? value : wrong;
};

/** Text that must be there; a number is turned into text. */
export const requiredText = field("a string", (value) => toText(value) ?? wrong);
/** An id, which must fit into an address and into a message. */
export const identifier = field(
  "a string of at most 1,024 characters",
  (value) => wholeText(1_024)(value) ?? wrong,
);
/** Text, its first 16,384 characters; absent, null and "" are `undefined`. */
export const text = field("a string", cutText(16_384));
export const mirroredText = mirrored(cutText(1_024));
/** As `mirroredText`, but a value of an unexpected type is its JSON, so that two of them can be told apart. */
export const comparableText: Decode<string | undefined> = (value) =>
  mirroredText(typeof value === "object" && value !== null ? JSON.stringify(value) : value);
/** A secret; `undefined` if it is too long to be one. */
export const secretText = mirrored(wholeText(16_384));
/** A number, also as numeric text; absent, null and "" are `undefined`. */
export const number = field("a number", toNumber);
export const mirroredNumber = mirrored(toNumber);
/** A boolean; absent and null are `undefined`. */
export const flag = field("true or false", toFlag);
export const mirroredFlag = mirrored(toFlag);
/** A boolean; absent and null are false. */
export const permission = field("true or false", (value) => toFlag(value) ?? false);
/** True only when it is exactly true; absent and null are `undefined`. */
export const mark = mirrored((value) => (value === undefined || value === null ? undefined : value === true));
/** A field that is never taken over. */
export const withheld = mirrored(() => undefined);

type Decoded<Shape> = { readonly [Name in keyof Shape]: Shape[Name] extends Decode<infer T> ? T : never };

/** An object of the service; its output has every field, also those that were absent. */
export function record<Shape extends Readonly<Record<string, Decode<unknown>>>>(
  shape: Shape,
): Decode<Decoded<Shape>> {
  const fields = Object.entries(shape);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Mismatch("is not an object");
    const found: Record<string, unknown> = {};
    for (const [name, decode] of fields)
      found[name] = at(name, decode, (value as Record<string, unknown>)[name]);
    return found as Decoded<Shape>;
  };
}

/** A list that must be there; null is empty. */
export function requiredList<T>(entry: Decode<T>): Decode<readonly T[]> {
  return (value) => {
    const all = value === null ? [] : value;
    if (!Array.isArray(all)) throw new Mismatch("is not a list");
    return all.map((one, index) => at(index, entry, one));
  };
}

/** A list; absent is `undefined`, null is empty. */
export function list<T>(entry: Decode<T>): Decode<readonly T[] | undefined> {
  const present = requiredList(entry);
  return (value) => (value === undefined ? undefined : present(value));
}

/** What can't be decoded is `undefined`. */
export function orAbsent<T>(decode: Decode<T>): Decode<T | undefined> {
  return (value) => {
    try {
      return decode(value);
    } catch (error) {
      if (error instanceof Mismatch) return undefined;
      throw error;
    }
  };
}
