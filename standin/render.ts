import type { Dialect } from "./dialect";
import { newId } from "./identity";
import type { StoredBilling, StoredKey, StoredKeyScope, StoredScope, StoredWorkspace } from "./types";

/** A record as an answer shows it. */
export type Shown = Record<string, unknown>;

/** A key. With `secret`, the record also has the field `key`. In a list, it may be brief. */
export function showKey(key: StoredKey, dialect: Dialect, how: "alone" | "withSecret" | "inList"): Shown {
  const shown = {
    id: showId(key.id, dialect),
    name: key.name,
    maskedKey: key.maskedKey,
    prefix: optional(key.prefix, "", dialect),
    expiresAt: optional(key.expiresAt, 0, dialect),
    scopes: showKeyScopes(key.scopes, dialect),
    enabled: key.enabled as boolean | undefined,
    customerId: key.customerId,
    deleted: key.deleted,
    createdAt: showTime(key.createdAt, dialect),
    updatedAt: showTime(key.updatedAt, dialect),
    lastUsedAt:
      key.lastUsedAt === undefined ? optional(undefined, "", dialect) : showTime(key.lastUsedAt, dialect),
    billingId:
      key.billingId === undefined ? optional(undefined, "", dialect) : showId(key.billingId, dialect),
    key: how === "withSecret" ? key.key : undefined,
  };
  if (how === "inList" && dialect.listRecords === "brief") {
    return finish({ ...shown, scopes: undefined, enabled: undefined }, dialect);
  }
  return finish(shown, dialect);
}

/** A workspace. */
export function showWorkspace(workspace: StoredWorkspace, dialect: Dialect): Shown {
  return finish(
    {
      id: showId(workspace.id, dialect),
      name: workspace.name,
      teamId: workspace.teamId,
      defaultKeyPrefix: optional(workspace.defaultKeyPrefix, "", dialect),
      defaultAllowedIPs: optional(workspace.defaultAllowedIPs, [], dialect),
      defaultRateLimitPerSecond: optional(workspace.defaultRateLimitPerSecond, 0, dialect),
      defaultExpiration: optional(workspace.defaultExpiration, 0, dialect),
      createdAt: showTime(workspace.createdAt, dialect),
      updatedAt: showTime(workspace.updatedAt, dialect),
    },
    dialect,
  );
}

/** A scope of a workspace. */
export function showScope(scope: StoredScope, dialect: Dialect): Shown {
  return finish(
    {
      id: showId(scope.id, dialect),
      name: scope.name,
      representation: scope.representation,
      description: optional(scope.description, "", dialect),
      createdAt: showTime(scope.createdAt, dialect),
      updatedAt: showTime(scope.updatedAt, dialect),
    },
    dialect,
  );
}

/** A billing record. */
export function showBilling(billing: StoredBilling, dialect: Dialect): Shown {
  return finish(
    {
      id: showId(billing.id, dialect),
      totalCredits: billing.totalCredits,
      usedCredits: billing.usedCredits,
      allowOverages: billing.allowOverages,
      spendCap: optional(billing.spendCap, "", dialect),
      createdAt: showTime(billing.createdAt, dialect),
      updatedAt: showTime(billing.updatedAt, dialect),
    },
    dialect,
  );
}

/** The envelope of an answer. */
export function envelope(field: string, content: Shown | readonly Shown[], dialect: Dialect): Shown {
  const empty = Array.isArray(content) && content.length === 0;
  const shown = empty && dialect.emptyLists === "null" ? null : content;
  if (dialect.extraFields) return { [field]: shown, requestId: "req_standin", meta: { page: 1 } };
  return empty && dialect.zeroValues === "omitted" && shown !== null ? {} : { [field]: shown };
}

function showKeyScopes(scopes: readonly StoredKeyScope[], dialect: Dialect): Shown[] {
  const all = [...scopes];
  if (dialect.extraEmptyScope && !all.some(({ representation }) => representation === "workspace")) {
    const none = { create: false, read: false, update: false, del: false };
    all.push({ id: newId("ks", dialect), representation: "workspace", ...none });
  }
  return reorder(all, dialect).map((scope) => {
    const id = dialect.scopeIds === "newEachTime" ? newId("ks", dialect) : scope.id;
    const shown: Shown = { ...scope, id: dialect.scopeIds === "none" ? undefined : showId(id, dialect) };
    if (dialect.scopeFlags === "onlyTrue") {
      for (const [field, value] of Object.entries(shown)) if (value === false) delete shown[field];
    }
    return finish(shown, dialect);
  });
}

function reorder(scopes: StoredKeyScope[], { scopeOrder }: Dialect): StoredKeyScope[] {
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

function showId(id: string, { ids }: Dialect): string | number {
  return ids === "numeric" && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id;
}

function showTime(iso: string, { timestamps }: Dialect): string | number | null {
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

function optional(value: unknown, empty: "" | 0 | readonly [], { absent }: Dialect): unknown {
  if (value !== undefined || absent === "omitted") return value;
  return absent === "null" ? null : empty;
}

function finish(record: Shown, { zeroValues, emptyLists, extraFields }: Dialect): Shown {
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
