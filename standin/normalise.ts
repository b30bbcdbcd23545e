import { isIP } from "node:net";
import type { Variant } from "./variant";

/** A name as the variant stores it. */
export function storedName(name: string, { names }: Variant): string {
  if (names === "asSent") return name;
  return names === "trimmed" ? name.trim() : name.trim().toLowerCase();
}

/** A key's prefix, or a workspace's default one, as the variant stores it. */
export function storedPrefix(prefix: string, variant: Variant): string {
  return variant.prefix === "asSent" || prefix === "" || prefix.endsWith("_") ? prefix : `${prefix}_`;
}

/** A decimal string as the variant stores it; any other string stays as it is. */
export function storedDecimal(value: string, { decimals }: Variant): string {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(value);
  if (decimals === "asSent" || match === null) return value;
  return `${match[1]}.${(match[2] ?? "").padEnd(2, "0")}`;
}

/** Allowed addresses as the variant stores them. */
export function storedAddresses(entries: readonly string[], { addresses }: Variant): string[] {
  return entries.map((entry) => {
    const version = addresses === "cidr" ? isIP(entry) : 0;
    return version === 0 ? entry : `${entry}/${version === 4 ? 32 : 128}`;
  });
}

/** One of a workspace's numbers as the variant stores it. */
export function storedNumber(value: number, { numbers }: Variant): number {
  return numbers === "asSent" || value <= 0 ? value : Math.max(10, value - (value % 10));
}

/** A key's expiry as the variant stores it. */
export function storedExpiry(value: number | undefined, { expiresAt }: Variant): number | undefined {
  if (value === undefined) return expiresAt === "defaulted" ? 2_592_000 : undefined;
  return expiresAt === "rounded" ? Math.max(60, value - (value % 60)) : value;
}
