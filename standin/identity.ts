import { randomBytes, randomInt } from "node:crypto";
import type { Variant } from "./variant";

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join("");
}

/** A new id in the variant's form. Random, so that state of an earlier run never matches a new record. */
export function newId(kind: "key" | "sc" | "ks" | "bill", variant: Variant): string {
  switch (variant.ids) {
    case "text":
      return `${kind}_${randomText(16)}`;
    case "numeric":
      return String(randomInt(1_000_000, 2 ** 47));
    case "odd":
      return `${kind} ${randomText(8)}/ü%2F?#&+;:@=[]"'<>\\`;
  }
}

/** A new secret: `sk_`, the prefix if there is one, 32 random characters. */
export function newSecret(prefix: string | undefined): string {
  const part = prefix === undefined || prefix === "" || prefix.endsWith("_") ? (prefix ?? "") : `${prefix}_`;
  return `sk_${part}${randomText(32)}`;
}

/** The masked form of a secret: its first three and last four characters, if that hides most of it. */
export function mask(secret: string): string {
  return secret.length < 16 ? "…" : `${secret.slice(0, 3)}…${secret.slice(-4)}`;
}
