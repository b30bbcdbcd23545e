import * as z from "zod/mini";
import { mostSent, sentBytes } from "../../client/call";
import { pathProblem } from "../../client/paths";
import { isRecord, type Properties, specialKey } from "../../core/state";
import { contains } from "../../core/unknown";

/** Schemas of inputs. Each message says what to write instead, and quotes no value. */

export const requiredString = (what: string) =>
  z
    .string({
      error: ({ input }) =>
        input === undefined ? `is missing: set it to ${what}` : `must be a string, ${what}`,
    })
    .check(z.minLength(1, { error: `must not be empty: set it to ${what}` }));

export const optionalString = () => z.nullish(z.string({ error: "must be a string" }));

export const optionalFlag = () => z.nullish(z.boolean({ error: "must be true or false" }));

/** A string that is part of a request's path. */
export const pathSegment = (what: string) =>
  requiredString(what).check(
    z.refine((value) => value === "" || pathProblem(value) === undefined, {
      error: `must be ${what}: "." and "..", and control characters, can't be part of a URL`,
    }),
  );

/**
 * How deep an object of a user's own may be. Pulumi's SDK in the program writes each answer of the engine into a line for
 * debugging (runtime/resource.js); from some 700 levels on that ends in a RangeError which nobody catches, and the command
 * waits for ever, after the key was created. From 1,000 on the provider's process can't read its requests any more.
 */
const deepest = 64;

/** An object of JSON values. */
export const jsonObject = () =>
  z.nullish(
    z.custom<Record<string, unknown>>(isRecord, { error: notJson, abort: true }).check(
      z.refine((value) => !isDeeper(value, deepest), {
        error: `must be ${deepest} levels deep at most, because Pulumi hangs on much deeper objects`,
        abort: true,
      }),
      z.refine((value) => !holdsAsset(value) && !contains(value, isNoNumber), { error: notJson }),
    ),
  );

const notJson = "must be an object of plain JSON values (assets, archives, NaN and Infinity can't be sent)";

const isNoNumber = (value: unknown) => typeof value === "number" && !Number.isFinite(value);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The largest field of a request that is too large to be sent, and what to say of it; `undefined` for any other request. */
export function oversize(body: Properties): { readonly field: string; readonly message: string } | undefined {
  const bytes = sentBytes(body);
  if (bytes <= mostSent) return undefined;
  const [field = ""] = Object.keys(body).sort((a, b) => sentBytes(body[b]) - sentBytes(body[a]));
  const [is, most] = [bytes, mostSent].map((size) => Math.ceil(size / 1_024).toLocaleString("en"));
  return {
    field,
    message: `is too large: the request would be ${is} KiB, and the answer to more than ${most} KiB might not be readable; make it smaller.`,
  };
}

/** Values of our own that only force a replacement when they change. */
export const keepersMap = () =>
  z.nullish(
    z.record(z.string(), z.string({ error: "must be a string" }), { error: "must be a map of strings" }),
  );

function holdsAsset(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return specialKey in value || Object.values(value).some(holdsAsset);
}
