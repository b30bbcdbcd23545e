import * as z from "zod";

/**
 * Field schemas for answers of a service whose exact types are not stated. Their messages are complete, in our
 * own words, and never hold a value.
 */
const wrong = Symbol("wrong");
type Convert<T> = (value: unknown) => T | typeof wrong;

function field<T>(expected: string, convert: Convert<T>) {
  return z.transform((value, context): T => {
    const converted = convert(value);
    if (converted !== wrong) return converted;
    const absent = value === undefined || value === null || value === "";
    const message = absent ? "is missing" : `is not ${expected}`;
    context.issues.push({ code: "custom", input: undefined, message });
    return z.NEVER;
  });
}

/** A field that is only passed on: of an unexpected type it is `undefined`. */
function mirrored<T>(convert: Convert<T>) {
  return z.transform((value): T | undefined => {
    const converted = convert(value);
    return converted === wrong ? undefined : converted;
  });
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
/** A secret: too long for any secret, it is `undefined`. */
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

/** An object of the service; its output has every field, also those that were absent. */
export function record<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]));
  }, z.object(shape));
}

const nullAsEmpty = (value: unknown): unknown => (value === null ? [] : value);

/** A list that must be there; null is empty. */
export function requiredList<T extends z.ZodType>(entry: T) {
  return z.preprocess(nullAsEmpty, z.array(entry));
}

/** A list; absent is `undefined`, null is empty. */
export function list<T extends z.ZodType>(entry: T): z.ZodType<z.output<T>[] | undefined> {
  return z.preprocess(nullAsEmpty, z.array(entry).optional());
}
