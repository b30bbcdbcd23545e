import { mask } from "../client/secrets";
import { capitalised, listed, sentences } from "./errors";

/** Warnings of keys that no longer work, or soon won't (R21). */

/** What `expiresAt` may count, in ms. */
export const msPerUnit: ReadonlyMap<string, number> = new Map([
  ["seconds", 1_000],
  ["milliseconds", 1],
]);
export const usualWarningDays = 14;
export const mostWarningDays = 3_650;

export interface ExpiryWarnings {
  readonly msPerUnit: number;
  readonly days: number;
}

/** A key that a resource goes on managing. */
export interface Expiring {
  readonly id: string;
  /** What a message calls it. */
  readonly label: string;
  /** As the service counts; `undefined` for one that is not known to expire. */
  readonly expiresAt: number | undefined;
  /** When the resource is to have deleted it, in ms since 1970, if that is known: what expires later is no concern. */
  readonly until?: number | undefined;
  /** Whether no message may say when. */
  readonly isSecret: boolean;
}

export interface Expiries {
  /** What a message calls them all, where there may be several. */
  readonly of?: string;
  readonly keys: readonly Expiring[];
}

const dayMs = 86_400_000;

/** The keys that have expired, or do so within the days of the settings: the earliest first. */
export function due(
  keys: readonly Expiring[],
  { msPerUnit: ms, days }: ExpiryWarnings,
  now: number,
): readonly (Expiring & { readonly ms: number })[] {
  return keys
    .flatMap((key) => (key.expiresAt === undefined ? [] : [{ ...key, ms: key.expiresAt * ms }]))
    .filter(({ ms: at, until = Number.POSITIVE_INFINITY }) => at < until && at <= now + days * dayMs)
    .sort((a, b) => a.ms - b.ms);
}

/** The warning of keys that are due. */
export function expiryWarning(of: string | undefined, keys: ReturnType<typeof due>, now: number): string {
  const each = keys.map(({ id, label, ms, isSecret }) => {
    const date = isSecret ? mask : new Date(ms).toISOString().slice(0, 10);
    return `${label} (${id}) ${ms <= now ? `expired on ${date}` : `expires on ${date}`}`;
  });
  const count = `${keys.length.toLocaleString("en")} expired or about to expire`;
  const what = of === undefined ? each.join("") : `${of}: ${count}: ${listed(each)}`;
  return sentences(
    capitalised(what),
    "To replace a key, change expiresAt or, if that is not declared, keepers",
  );
}

/** What a service says of a key or, where it says nothing, what was declared: a moment is above 0. */
export function expiryOf(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === "number" && value > 0);
}
