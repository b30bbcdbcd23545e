/** Ids and secrets of a service, as long as those of the stand-in. */
import { randomBytes } from "node:crypto";

export type Properties = Record<string, unknown>;

export function madeKey() {
  const key = `sk_${text(32)}`;
  const now = new Date().toISOString();
  return { id: `key_${text(16)}`, key, maskedKey: `sk_…${key.slice(-4)}`, createdAt: now, updatedAt: now };
}

/** Outputs in our state; `aliases` are those of a set. */
export function outputsOf(kind: string, aliases: readonly string[]): Properties {
  const __service = text(8);
  if (kind === "ApiKey") {
    const { id: _, ...outputs } = madeKey();
    return { ...outputs, __service };
  }
  if (kind !== "ApiKeySet") return {};
  const all = aliases.map((alias) => ({ alias, ...madeKey() }));
  const by = (name: "id" | "key" | "maskedKey") =>
    Object.fromEntries(all.map((one) => [one.alias, one[name]]));
  return { ids: by("id"), maskedKeys: by("maskedKey"), secrets: by("key"), __service };
}

function text(length: number): string {
  return randomBytes(length).toString("hex").slice(0, length);
}
