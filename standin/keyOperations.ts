import { type Answer, type Call, carryOut, cutList, findWorkspace, refuse, writeAnswer } from "./answer";
import { mask, newId, newSecret } from "./identity";
import { envelope, showKey, storedExpiry, storedName, storedPrefix } from "./records";
import { keyOfSecret, keysOf, putKey, removeKey, scopesOf } from "./store";
import type { StoredKey, StoredKeyScope } from "./types";
import type { Bodies, KeyScopeInput } from "./validate";
import type { Variant } from "./variant";

/** Interface, 4.3. */
export function listApiKeys(call: Call): Answer {
  const { store, variant, params } = call;
  if (variant.keyLists !== "answered") return refuse(variant.keyLists, "keys are not listed here");
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return variant.otherTenant === "empty" ? listAnswer([], variant) : found.refusal;
  const { id } = found.workspace;
  const present = store.lag.list(`keys of ${id}`, () => keysOf(store, id));
  const listed = present.filter(
    (key) => !store.unseen.has(key.id) && (!key.deleted || /Lists$/.test(variant.delete)),
  );
  if (variant.listRecords !== "stale") return listAnswer(listed, variant);
  const stale = listed.map((key) => ({
    ...((store.previous.get(key.id) as StoredKey | undefined) ?? key),
    deleted: key.deleted,
  }));
  return listAnswer(stale, variant);
}

/** Interface, 4.2. */
export function readApiKey(call: Call): Answer {
  const found = findKey(call);
  if ("refusal" in found) return found.refusal;
  if (found.key.deleted && !isReadable(call.variant)) return gone(call.variant);
  return { status: 200, body: envelope("apiKey", showKey(found.key, call.variant, "alone"), call.variant) };
}

/** Interface, 4.4. */
export function createApiKey(call: Call<Bodies["createApiKey"]>): Answer {
  const { variant, body } = call;
  const found = findWorkspace(call, body.workspaceId);
  if ("refusal" in found) return found.refusal;
  const undefinedScope = scopeNotDefined(call, body.workspaceId, body.scopes);
  if (undefinedScope !== undefined) return undefinedScope;
  const asked = body.prefix ?? found.workspace.defaultKeyPrefix;
  const prefix = asked === undefined ? undefined : storedPrefix(asked, variant);
  return addKey(call, {
    ...blankKey(variant),
    ...body,
    key: newSecret(prefix),
    prefix,
    expiresAt: storedExpiry(body.expiresAt, variant),
    scopes: newKeyScopes(body.scopes, variant),
  });
}

/** Interface, 4.5. */
export function migrateApiKey(call: Call<Bodies["migrateApiKey"]>): Answer {
  const { store, variant, tenant, body } = call;
  const found = findWorkspace(call, body.workspaceId);
  if ("refusal" in found) return found.refusal;
  const undefinedScope = scopeNotDefined(call, body.workspaceId, body.scopes ?? []);
  if (undefinedScope !== undefined) return undefinedScope;
  const holder = keyOfSecret(store, body.key);
  if (holder !== undefined && variant.duplicateKey !== "created") {
    const isOwn = store.workspaces.get(holder.workspaceId)?.tenant === tenant;
    if (variant.duplicateKey === 409 || !isOwn) return refuse(409, "a key with this value exists already");
    return { ...madeAnswer(holder, variant), status: 200, carriedOut: false };
  }
  return addKey(call, { ...blankKey(variant), ...body, scopes: newKeyScopes(body.scopes ?? [], variant) });
}

/** Interface, 4.1. */
export function editApiKey(call: Call<Bodies["editApiKey"]>): Answer {
  const { store, variant, body } = call;
  const found = findKey(call);
  if ("refusal" in found) return found.refusal;
  const { key } = found;
  if (key.deleted && variant.editDeleted === "gone") return gone(variant);
  const given = body.scopes ?? (variant.patchFields === "replaces" ? [] : undefined);
  if (given !== undefined) {
    if (unknownScope(key.scopes, given, variant))
      return refuse(variant.invalidStatus, "the key has no such scope id");
    const undefinedScope = scopeNotDefined(call, key.workspaceId, given);
    if (undefinedScope !== undefined) return undefinedScope;
  }
  carryOut(call, `key ${key.id}`, () => {
    const current = store.keys.get(key.id);
    // The key was deleted in the meantime.
    if (current === undefined || (current.deleted && variant.editDeleted === "gone")) return;
    const base = variant.patchFields === "replaces" ? { ...current, name: "", enabled: false } : current;
    lagBehind(call, key.workspaceId);
    store.previous.set(key.id, current);
    putKey(store, {
      ...base,
      ...body,
      name: body.name === undefined ? base.name : storedName(body.name, variant),
      scopes: given === undefined ? current.scopes : editKeyScopes(current.scopes, given, variant),
      updatedAt: new Date().toISOString(),
    });
  });
  const shown = variant.patchAnswer === "before" ? key : (store.keys.get(key.id) ?? key);
  const answer = envelope("apiKey", showKey(shown, variant, "alone"), variant);
  return writeAnswer(answer, variant.patchAnswer, variant);
}

/** Interface, 4.9. */
export function deleteApiKey(call: Call): Answer {
  const { store, variant } = call;
  const found = findKey(call, { withRemoved: true });
  if ("refusal" in found) return found.refusal;
  const { key } = found;
  if (key.deleted && variant.deleteAgain !== 200) return refuse(variant.deleteAgain, "the key is deleted");
  if (!key.deleted) {
    carryOut(call, `key ${key.id}`, () => {
      const current = store.keys.get(key.id);
      if (current === undefined) return;
      lagBehind(call, key.workspaceId);
      markOrRemove(call, current);
    });
  }
  const asItWas = variant.deleteAnswer === "before" || variant.writes !== "atOnce";
  const shown = asItWas ? key : { ...key, deleted: true };
  const answer = envelope("apiKey", showKey(shown, variant, "alone"), variant);
  return { ...writeAnswer(answer, variant.deleteAnswer, variant), carriedOut: !key.deleted };
}

/** Deletes a key in the way of the variant. */
export function markOrRemove({ store, variant }: Pick<Call, "store" | "variant">, key: StoredKey): void {
  const deleted = { ...key, deleted: true, updatedAt: new Date().toISOString() };
  if (variant.delete === "removes") removeKey(store, deleted);
  else putKey(store, deleted);
}

/** The fields of a key that no request sets. */
export function blankKey(variant: Variant): Omit<StoredKey, "name" | "workspaceId" | "key"> {
  const now = new Date().toISOString();
  return {
    id: newId("key", variant),
    maskedKey: "",
    scopes: [],
    enabled: true,
    customerId: "",
    deleted: false,
    createdAt: now,
    updatedAt: now,
  };
}

function addKey(call: Call<unknown>, wanted: StoredKey): Answer {
  const { store, variant } = call;
  const key = {
    ...wanted,
    name: storedName(wanted.name, variant),
    enabled: variant.enabledOnCreate === "ignored" || wanted.enabled,
    maskedKey: mask(wanted.key),
  };
  lagBehind(call, key.workspaceId);
  putKey(store, key);
  if (variant.newKeys === "later") {
    store.unseen.add(key.id);
    store.later.add(`key ${key.id}`, variant.laterMs, () => store.unseen.delete(key.id));
  }
  return madeAnswer(key, variant);
}

function madeAnswer(key: StoredKey, variant: Variant): Answer {
  const made = { status: variant.createStatus, carriedOut: true };
  const shown = showKey(key, variant, variant.createAnswer === "withoutKey" ? "alone" : "withSecret");
  const answered = variant.createAnswer === "brief" ? { id: shown["id"], key: shown["key"] } : shown;
  return { ...made, body: envelope("apiKey", answered, variant) };
}

function findKey(
  call: Call<unknown>,
  { withRemoved = false } = {},
): { key: StoredKey } | { refusal: Answer } {
  const [workspaceId, id = ""] = call.params;
  const found = findWorkspace(call, workspaceId);
  if ("refusal" in found) return found;
  const { store, variant } = call;
  const key = store.keys.get(id);
  if (key !== undefined && key.workspaceId === workspaceId && !store.unseen.has(id)) return { key };
  const removed = store.removedKeys.get(id);
  if (removed !== undefined && removed.workspaceId === workspaceId) {
    return withRemoved ? { key: removed } : { refusal: gone(variant) };
  }
  return { refusal: refuse(404, "there is no such key") };
}

function isReadable(variant: Variant): boolean {
  return variant.delete === "marks" || variant.delete === "marksAndLists";
}

function gone({ readDeleted }: Variant): Answer {
  if (readDeleted === "null") return { status: 200, body: { apiKey: null }, carriedOut: false };
  return refuse(readDeleted, readDeleted === 404 ? "there is no such key" : "the key is deleted");
}

function scopeNotDefined(
  { store, variant }: Call<unknown>,
  workspaceId: string,
  given: readonly KeyScopeInput[],
): Answer | undefined {
  if (variant.keyScopes === "free") return undefined;
  const defined = new Set(scopesOf(store, workspaceId).map(({ representation }) => representation));
  const isDefined = given.every(({ representation }) => defined.has(representation));
  return isDefined ? undefined : refuse(variant.invalidStatus, "the workspace does not define such a scope");
}

function lagBehind({ store, variant }: Call<unknown>, workspaceId: string): void {
  store.lag.beforeWrite(`keys of ${workspaceId}`, variant.listLag, () => keysOf(store, workspaceId));
}

function listAnswer(keys: readonly StoredKey[], variant: Variant): Answer {
  const shown = cutList(keys, variant).map((key) => showKey(key, variant, "inList"));
  return { status: 200, body: envelope("apiKeys", shown, variant) };
}

const flags = ["create", "read", "update", "del"] as const;

/** The scope entries of a new key. */
function newKeyScopes(given: readonly KeyScopeInput[], variant: Variant): StoredKeyScope[] {
  return given.map((entry) => ({ ...entry, id: newId("ks", variant) }));
}

/** The entry in the request whose id the key does not have, if the variant refuses such entries. */
function unknownScope(
  held: readonly StoredKeyScope[],
  given: readonly KeyScopeInput[],
  { unknownScopeId, scopeIds, extraEmptyScope }: Variant,
): KeyScopeInput | undefined {
  // Ids that were shown but never stored look the same as invented ids.
  if (unknownScopeId === "ignored" || scopeIds === "newEachTime" || extraEmptyScope) return undefined;
  return given.find(({ id }) => id !== undefined && !held.some((entry) => entry.id === id));
}

/** A key's scope entries after a PATCH with these entries, according to the variant's `patchScopes`. */
function editKeyScopes(
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
