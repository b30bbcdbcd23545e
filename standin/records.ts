import { isIP } from "node:net";
import { newId } from "./identity";
import type { StoredBilling, StoredKey, StoredKeyScope, StoredScope, StoredWorkspace } from "./types";
import type { Variant } from "./variant";

/** A record as an answer shows it. */
export type Shown = Record<string, unknown>;

/** A key. With `secret`, the record also has the field `key`. In a list, it may be brief. */
export function showKey(key: StoredKey, variant: Variant, how: "alone" | "withSecret" | "inList"): Shown {
  const { workspaceId: _, externalMeterId: __, metadata: ___, ...fields } = key;
  const shown = {
    ...fields,
    id: showId(key.id, variant),
    prefix: optional(key.prefix, "", variant),
    expiresAt: optional(key.expiresAt, 0, variant),
    scopes: showKeyScopes(key.scopes, variant),
    createdAt: showTime(key.createdAt, variant),
    updatedAt: showTime(key.updatedAt, variant),
    lastUsedAt:
      key.lastUsedAt === undefined ? optional(undefined, "", variant) : showTime(key.lastUsedAt, variant),
    billingId:
      key.billingId === undefined ? optional(undefined, "", variant) : showId(key.billingId, variant),
    key: how === "withSecret" ? key.key : undefined,
  };
  if (how === "inList" && variant.listRecords === "brief") {
    return finish({ ...shown, scopes: undefined, enabled: undefined }, variant);
  }
  return finish(shown, variant);
}

/** A workspace. */
export function showWorkspace(workspace: StoredWorkspace, variant: Variant): Shown {
  return finish(
    {
      id: showId(workspace.id, variant),
      name: workspace.name,
      teamId: workspace.teamId,
      defaultKeyPrefix: optional(workspace.defaultKeyPrefix, "", variant),
      defaultAllowedIPs: optional(workspace.defaultAllowedIPs, [], variant),
      defaultRateLimitPerSecond: optional(workspace.defaultRateLimitPerSecond, 0, variant),
      defaultExpiration: optional(workspace.defaultExpiration, 0, variant),
      createdAt: showTime(workspace.createdAt, variant),
      updatedAt: showTime(workspace.updatedAt, variant),
    },
    variant,
  );
}

/** A scope of a workspace. */
export function showScope(scope: StoredScope, variant: Variant): Shown {
  return finish(
    {
      id: showId(scope.id, variant),
      name: scope.name,
      representation: scope.representation,
      description: optional(scope.description, "", variant),
      createdAt: showTime(scope.createdAt, variant),
      updatedAt: showTime(scope.updatedAt, variant),
    },
    variant,
  );
}

/** A billing record. */
export function showBilling(billing: StoredBilling, variant: Variant): Shown {
  return finish(
    {
      id: showId(billing.id, variant),
      totalCredits: billing.totalCredits,
      usedCredits: billing.usedCredits,
      allowOverages: billing.allowOverages,
      spendCap: optional(billing.spendCap, "", variant),
      createdAt: showTime(billing.createdAt, variant),
      updatedAt: showTime(billing.updatedAt, variant),
    },
    variant,
  );
}

/** The envelope of an answer. */
export function envelope(field: string, content: Shown | readonly Shown[], variant: Variant): Shown {
  const empty = Array.isArray(content) && content.length === 0;
  const shown = empty && variant.emptyLists === "null" ? null : content;
  if (variant.extraFields) return { [field]: shown, requestId: "req_standin", meta: { page: 1 } };
  return empty && variant.zeroValues === "omitted" && shown !== null ? {} : { [field]: shown };
}

function showKeyScopes(scopes: readonly StoredKeyScope[], variant: Variant): Shown[] {
  const all = [...scopes];
  if (variant.extraEmptyScope && !all.some(({ representation }) => representation === "workspace")) {
    const none = { create: false, read: false, update: false, del: false };
    all.push({ id: newId("ks", variant), representation: "workspace", ...none });
  }
  return reorder(all, variant).map((scope) => {
    const id = variant.scopeIds === "newEachTime" ? newId("ks", variant) : scope.id;
    const shown: Shown = { ...scope, id: variant.scopeIds === "none" ? undefined : showId(id, variant) };
    if (variant.scopeFlags === "onlyTrue") {
      for (const [field, value] of Object.entries(shown)) if (value === false) delete shown[field];
    }
    return finish(shown, variant);
  });
}

function reorder(scopes: StoredKeyScope[], { scopeOrder }: Variant): StoredKeyScope[] {
  switch (scopeOrder) {
    case "asSent":
      return scopes;
    case "reversed":
      return scopes.reverse();
    case "sorted":
      return scopes.sort((a, b) => (a.representation < b.representation ? -1 : 1));
    case "shuffled":
      return scopes
        .map((scope) => ({ scope, at: Math.random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ scope }) => scope);
  }
}

function showId(id: string, { ids }: Variant): string | number {
  return ids === "numeric" && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id;
}

function showTime(iso: string, { timestamps }: Variant): string | number | null {
  switch (timestamps) {
    case "iso":
      return iso;
    case "epochSeconds":
      return Math.floor(Date.parse(iso) / 1000);
    case "epochMillis":
      return Date.parse(iso);
    case "null":
      return null;
  }
}

function optional(value: unknown, empty: "" | 0 | readonly [], { absent }: Variant): unknown {
  if (value !== undefined || absent === "omitted") return value;
  return absent === "null" ? null : empty;
}

function finish(record: Shown, { zeroValues, emptyLists, extraFields }: Variant): Shown {
  const shown: Shown = {};
  for (const [field, value] of Object.entries(record)) {
    const empty = Array.isArray(value) && value.length === 0;
    if (value === undefined) continue;
    if (zeroValues === "omitted" && (empty || value === false || value === 0 || value === "")) continue;
    shown[field] = empty && emptyLists === "null" ? null : value;
  }
  if (extraFields) shown["_links"] = { self: "/somewhere" };
  return shown;
}

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
