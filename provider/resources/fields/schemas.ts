/** Schemas of inputs. Where one has no message of its own, `inputErrors` words what is wrong. No message quotes a value. */
import * as z from "zod/mini";
import { isPathSegment } from "../../client/request";

/** Whether it has what Pulumi's SDKs make of an Output in a string: that would otherwise become a key's name or value. */
export function hasOutput(value: string): boolean {
  return /Calling \S+ on an \[?Output\b/.test(value);
}

export const text = z.string().check(
  z.refine((value) => !hasOutput(value), {
    error: "has an Output in a string: use apply, or pulumi.interpolate in Node.js",
    abort: true,
  }),
);

export const requiredString = text.check(z.minLength(1));
export const optionalString = z.nullish(text);
export const optionalFlag = z.nullish(z.boolean());

/** A string that is part of a request's path. */
export const pathSegment = requiredString.check(
  z.refine((value) => value === "" || isPathSegment(value), {
    error: 'must not be "." or "..", or have control characters: they can\'t be part of a URL',
  }),
);

/** An object of JSON values. */
export const jsonObject = z.nullish(z.record(z.string(), z.json()));
