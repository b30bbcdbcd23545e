import { newId } from "./identity";
import type { StoredKeyScope } from "./types";
import type { KeyScopeInput } from "./validate";
import type { Variant } from "./variant";

const flags = ["create", "read", "update", "del"] as const;

/** The scope entries of a new key. */
export function newKeyScopes(given: readonly KeyScopeInput[], variant: Variant): StoredKeyScope[] {
  return given.map((entry) => ({ ...entry, id: newId("ks", variant) }));
}

/** The entry in the request whose id the key does not have, if the variant refuses such entries. */
export function unknownScope(
  held: readonly StoredKeyScope[],
  given: readonly KeyScopeInput[],
  { unknownScopeId, scopeIds, extraEmptyScope }: Variant,
): KeyScopeInput | undefined {
  // Ids that were shown but never stored look the same as invented ids.
  if (unknownScopeId === "ignored" || scopeIds === "newEachTime" || extraEmptyScope) return undefined;
  return given.find(({ id }) => id !== undefined && !held.some((entry) => entry.id === id));
}

/** A key's scope entries after a PATCH with these entries, according to the variant's `patchScopes`. */
export function editKeyScopes(
  held: readonly StoredKeyScope[],
  given: readonly KeyScopeInput[],
  variant: Variant,
): StoredKeyScope[] {
  const how = variant.patchScopes;
  let result = how === "replaces" ? [] : [...held];
  for (const entry of given) {
    const match = find(how === "replaces" ? held : result, entry);
    const known = match !== undefined && result.includes(match);
    const merged = merge(match, entry, variant);
    result = known ? result.map((other) => (other === match ? merged : other)) : [...result, merged];
  }
  return variant.scopeIds === "newEachWrite"
    ? result.map((entry) => ({ ...entry, id: newId("ks", variant) }))
    : result;
}

function find(held: readonly StoredKeyScope[], entry: KeyScopeInput): StoredKeyScope | undefined {
  return (
    held.find(({ id }) => id === entry.id) ??
    held.find(({ representation }) => representation === entry.representation)
  );
}

function merge(match: StoredKeyScope | undefined, entry: KeyScopeInput, variant: Variant): StoredKeyScope {
  const merged = { ...entry, id: match?.id ?? newId("ks", variant) };
  const overwrites =
    variant.patchScopes === "replaces" ||
    variant.patchScopes === "upserts" ||
    (variant.patchScopes === "merges" && entry.id !== undefined);
  if (match === undefined || overwrites) return merged;
  for (const name of flags) merged[name] = match[name] || entry[name];
  return merged;
}
