import { isIP } from "node:net";
import type { Answer, Call } from "./answer";
import { newId } from "./identity";
import { emptyValues, type StoredKey, type StoredKeyScope, shownFields } from "./types";
import type { Variant } from "./variant";

/** A record as an answer shows it. */
export type Shown = Record<string, unknown>;

export type Kind = keyof typeof shownFields;

/** A record as the variant shows it. */
export function show(kind: Kind, record: object, variant: Variant): Shown {
  const stored = record as Shown;
  return finish(
    shownFields[kind].map((field) => [field, showValue(field, stored[field], variant)]),
    variant,
  );
}

/** A key, with its secret or without it. In a list, it may be brief. */
export function showKey(key: StoredKey, variant: Variant, how: "alone" | "withSecret" | "inList"): Shown {
  if (how === "withSecret") return show("apiKey", key, variant);
  const isBrief = how === "inList" && variant.listRecords === "brief";
  const hidden = isBrief ? { key: undefined, scopes: undefined, enabled: undefined } : { key: undefined };
  return show("apiKey", { ...key, ...hidden }, variant);
}

/** The body of an answer: a record, or a list with what is beside it. */
export function envelope(
  field: string,
  content: Shown | readonly Shown[],
  variant: Variant,
  beside: Shown = {},
): Shown {
  const empty = Array.isArray(content) && content.length === 0;
  const shown = empty && variant.emptyLists === "null" ? null : content;
  if (variant.extraFields) return { [field]: shown, requestId: "req_standin", meta: { page: 1 }, ...beside };
  const isLeftOut = empty && variant.zeroValues === "omitted" && shown !== null;
  return isLeftOut && Object.keys(beside).length === 0 ? {} : { [field]: shown, ...beside };
}

/** The answer with a list, or with a page of it. */
export function listAnswer<T>(
  { variant, path, page }: Pick<Call, "variant" | "path" | "page">,
  kind: Kind,
  records: readonly T[],
  show: (record: T) => Shown,
): Answer {
  const { listLimit, listPages } = variant;
  const from = listPages === "link" || listPages === "next" ? listLimit * (page - 1) : 0;
  const shown = listLimit > 0 ? records.slice(from, from + listLimit) : records;
  const isMore = from + shown.length < records.length;
  const next = isMore ? `${path}?page=${page + 1}` : null;
  const signs = {
    none: {},
    link: {},
    next: { next },
    total: { total: records.length },
    hasMore: { hasMore: isMore },
  };
  const body = envelope(`${kind}s`, shown.map(show), variant, signs[listPages]);
  return {
    status: 200,
    body,
    headers: listPages === "link" && isMore ? { link: `<${next}>; rel="next"` } : {},
  };
}

function showValue(field: string, value: unknown, variant: Variant): unknown {
  const { absent, timestamps } = variant;
  if (value === undefined) {
    if (absent === "omitted" || !Object.hasOwn(emptyValues, field)) return undefined;
    return absent === "null" ? null : emptyValues[field];
  }
  switch (field) {
    case "id":
    case "billingId":
      return showId(value as string, variant);
    case "scopes":
      return showKeyScopes(value as StoredKey["scopes"], variant);
    case "createdAt":
    case "updatedAt":
    case "lastUsedAt": {
      if (timestamps === "iso" || timestamps === "null") return timestamps === "iso" ? value : null;
      const ms = Date.parse(value as string);
      return timestamps === "epochMillis" ? ms : Math.floor(ms / 1000);
    }
    default:
      return value;
  }
}

function showId(id: string, { ids }: Variant): string | number {
  return ids === "numeric" && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id;
}

function showKeyScopes(scopes: readonly StoredKeyScope[], variant: Variant): Shown[] {
  const { scopeOrder, scopeIds, scopeFlags } = variant;
  const all = scopes.map((scope) => ({ scope, at: scopeOrder === "asSent" ? 0 : Math.random() }));
  return all
    .sort((a, b) => a.at - b.at)
    .map(({ scope }) => {
      const id = scopeIds === "newEachTime" ? newId("ks", variant) : scope.id;
      const shown = { ...scope, id: scopeIds === "none" ? undefined : showId(id, variant) };
      const entries = Object.entries(shown);
      return finish(
        scopeFlags === "onlyTrue" ? entries.filter(([, value]) => value !== false) : entries,
        variant,
      );
    });
}

function finish(record: readonly (readonly [string, unknown])[], variant: Variant): Shown {
  const { zeroValues, emptyLists, extraFields } = variant;
  const shown: Shown = {};
  for (const [field, value] of record) {
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

/** A key's expiry as the variant stores it. */
export function storedExpiry(value: number | undefined, { expiresAt }: Variant): number | undefined {
  if (value === undefined) return expiresAt === "defaulted" ? 2_592_000 : undefined;
  return expiresAt === "rounded" ? Math.max(60, value - (value % 60)) : value;
}
