import * as z from "zod/mini";
import type { Canonical } from "../../core/fields";
import { isUnknown } from "../../core/unknown";

/** Numeric text, as the service has credits: decimal digits, a sign and a point at most (interface, section 2). */
const decimalText = /^[+-]?(\d{1,60}(\.\d{0,60})?|\.\d{1,60})$/;

export const creditsSchema = z.nullish(
  z.custom<string | number>((value) => isUnknown(value) || digits(value) !== undefined, {
    error:
      'must be a number as a string, such as "100" or "99.50"; a number without quotes must be a whole number',
  }),
);

/** Credits in canonical form: text, compared by value, so "100.00" and 100 are "100". */
export const canonicalCredits: Canonical<string> = (value) => {
  if (isUnknown(value)) return value as string;
  const text = digits(value);
  if (text === undefined) return undefined;
  const [whole, decimals = ""] = text.replace(/^[+-]?0*/, "").split(".");
  const amount = `${whole || "0"}.${decimals}`.replace(/\.0*$|(\.\d*?)0+$/, "$1");
  return text.startsWith("-") && amount !== "0" ? `-${amount}` : amount;
};

function digits(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "string" && decimalText.test(value.trim()) ? value.trim() : undefined;
}
