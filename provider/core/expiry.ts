import { mask } from "../client/secrets";
import { capitalised, listed, sentences } from "./text";

/** Warnings of keys that have expired, or soon will (R21). */

/** The units of `expiresAt`, in ms. */
export const msPerUnit: ReadonlyMap<string, number> = new Map([
  ["seconds", 1_000],
  ["milliseconds", 1],
]);

export interface ExpiryWarnings {
  readonly msPerUnit: number;
  readonly days: number;
}

/** A key that an update keeps. */
export interface Expiring {
  readonly id: string;
  /** Its name in messages. */
  readonly label: string;
  /** In the service's unit; `undefined` if it is not known to expire. */
  readonly expiresAt: number | undefined;
  /** When the resource will delete it, in ms since 1970. Nobody needs to know of a later expiry. */
  readonly until?: number | undefined;
  /** Whether the date is secret. */
  readonly isSecret: boolean;
}

export interface Expiries {
  /** The name of the resource in messages, if it may have several keys. */
  readonly of?: string;
  readonly keys: readonly Expiring[];
}

const dayMs = 86_400_000;

/** The keys that have expired, or do so within the configured days, by date. */
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

/** The first value that is a time: services use 0 for none. */
export function expiryOf(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === "number" && value > 0);
}
