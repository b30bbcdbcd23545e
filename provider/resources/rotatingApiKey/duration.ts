import * as z from "zod/mini";
import { type Canonical, isUnknown } from "../../core/fields";

/** Lengths of time as a program declares them: a whole number of hours, days or weeks. */

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const unitMs: Readonly<Record<string, number>> = { h: hourMs, d: dayMs, w: 7 * dayMs };
const form = /^(\d{1,5})([hdw])$/;
/** At most four digits of weeks, because `check` returns them in days. */
const declarable = /^(\d{1,5}[hd]|\d{1,4}w)$/;

export const duration = (what: string) =>
  z
    .string({
      error: ({ input }) => (input === undefined ? `is missing: set it to ${what}` : `must be ${what}`),
    })
    .check(z.regex(declarable, { error: `must be ${what}` }));

/** `undefined` if it is no duration, or not known yet. */
export function msOf(value: unknown): number | undefined {
  const [, count, unit = ""] = typeof value === "string" ? (form.exec(value) ?? []) : [];
  const ms = unitMs[unit];
  return ms === undefined ? undefined : Number(count) * ms;
}

/** Compared by value: in days where it is whole days. */
export const canonicalDuration: Canonical<string> = (value) => {
  if (isUnknown(value)) return value as string;
  const ms = msOf(value);
  if (ms === undefined) return undefined;
  return ms % dayMs === 0 ? `${ms / dayMs}d` : `${ms / hourMs}h`;
};
