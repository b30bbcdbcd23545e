import {
  type Answer,
  type Call,
  carryOut,
  findWorkspace,
  isListHidden,
  Refusal,
  writeAnswer,
} from "./answer";
import { mask, newId, newSecret } from "./identity";
import { envelope, listAnswer, showKey, storedExpiry, storedName, storedPrefix } from "./records";
import type { StoredKey, StoredKeyScope } from "./types";
import type { Bodies, KeyScopeInput } from "./validate";
import type { Variant } from "./variant";

/** Interface, 4.3. */
export function listApiKeys(call: Call): Answer {
  const { store, variant, params } = call;
  const [id = ""] = params;
  if (variant.keyLists !== "answered") throw new Refusal(variant.keyLists, "keys are not listed here");
  const present = isListHidden(call, id) ? [] : store.lag.list(`keys of ${id}`, () => store.keysOf(id));
  const listed = present
    .filter((key) => !store.unseen.has(key.id) && (!key.deleted || variant.delete.endsWith("Lists")))
    .map((key) => {
      const previous = variant.listRecords === "stale" ? store.previous.get(key.id) : undefined;
      return { ...key, ...previous, deleted: key.deleted };
    });
  const show = (key: StoredKey) => showKey(key, variant, "inList");
  return listAnswer(call, "apiKey", listed, show);
}

/** Interface, 4.2. */
export function readApiKey(call: Call): Answer {
  const { store, variant } = call;
  const key = findKey(call);
  const isReadable = variant.delete === "marks" || variant.delete === "marksAndLists";
  if (key.deleted && !(isReadable && store.keys.has(key.id))) return gone(variant);
  return { status: 200, body: shownAlone(key, variant) };
}

/** Interface, 4.4. */
export function createApiKey(call: Call<Bodies["createApiKey"]>): Answer {
  const { variant, body } = call;
  const workspace = findWorkspace(call, body.workspaceId);
  const asked = body.prefix ?? workspace.defaultKeyPrefix;
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
  findWorkspace(call, body.workspaceId);
  const holder = [...store.keys.values()].find(({ key, deleted }) => key === body.key && !deleted);
  if (holder !== undefined && variant.duplicateKey !== "created") {
    const isOwn = store.workspaces.get(holder.workspaceId)?.tenant === tenant;
    if (variant.duplicateKey === 409 || !isOwn)
      throw new Refusal(409, "a key with this value exists already");
    return { ...madeAnswer(holder, variant), status: 200, carriedOut: false };
  }
  return addKey(call, { ...blankKey(variant), ...body, scopes: newKeyScopes(body.scopes, variant) });
}

/** Interface, 4.1. */
export function editApiKey(call: Call<Bodies["editApiKey"]>): Answer {
  const { store, variant, body } = call;
  const key = findKey(call);
  if (key.deleted) return gone(variant);
  const given = body.scopes ?? (variant.patchFields === "replaces" ? [] : undefined);
  if (given !== undefined) checkScopeIds(key.scopes, given, variant);
  carryOut(call, () => {
    const current = store.keys.get(key.id);
    // The key was deleted in the meantime.
    if (current === undefined || current.deleted) return;
    const base = variant.patchFields === "replaces" ? { ...current, name: "", enabled: false } : current;
    lagBehind(call, key.workspaceId);
    store.previous.set(key.id, current);
    store.putKey({
      ...base,
      ...body,
      name: body.name === undefined ? base.name : storedName(body.name, variant),
      scopes: given === undefined ? current.scopes : editKeyScopes(current.scopes, given, variant),
      updatedAt: new Date().toISOString(),
    });
  });
  const shown = variant.patchAnswer === "before" ? key : (store.keys.get(key.id) ?? key);
  return writeAnswer(shownAlone(shown, variant), variant.patchAnswer, variant);
}

/** Interface, 4.9. */
export function deleteApiKey(call: Call): Answer {
  const { store, variant } = call;
  const key = findKey(call);
  if (key.deleted && variant.deleteAgain !== 200)
    throw new Refusal(variant.deleteAgain, "the key is deleted");
  if (!key.deleted) {
    carryOut(call, () => {
      const current = store.keys.get(key.id);
      if (current === undefined) return;
      lagBehind(call, key.workspaceId);
      markOrRemove(call, current);
    });
  }
  const asItWas = variant.deleteAnswer === "before" || variant.writes !== "atOnce";
  const shown = asItWas ? key : { ...key, deleted: true };
  const answer = writeAnswer(shownAlone(shown, variant), variant.deleteAnswer, variant);
  return { ...answer, carriedOut: !key.deleted };
}

/** Deletes a key in the way of the variant. */
export function markOrRemove({ store, variant }: Pick<Call, "store" | "variant">, key: StoredKey): void {
  const deleted = { ...key, deleted: true, updatedAt: new Date().toISOString() };
  if (variant.delete === "removes") store.removeKey(deleted);
  else store.putKey(deleted);
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
  store.putKey(key);
  if (variant.newKeys === "later") {
    store.unseen.add(key.id);
    store.later.add(variant.laterMs, () => store.unseen.delete(key.id));
  }
  return madeAnswer(key, variant);
}

function shownAlone(key: StoredKey, variant: Variant) {
  return envelope("apiKey", showKey(key, variant, "alone"), variant);
}

function madeAnswer(key: StoredKey, variant: Variant): Answer {
  const shown = showKey(key, variant, variant.createAnswer === "withoutKey" ? "alone" : "withSecret");
  const answered = variant.createAnswer === "brief" ? { id: shown["id"], key: shown["key"] } : shown;
  return { status: variant.createStatus, carriedOut: true, body: envelope("apiKey", answered, variant) };
}

/** The key that the path names, or a deleted one. */
function findKey(call: Call<unknown>): StoredKey {
  const { store, params } = call;
  const [workspaceId = "", id = ""] = params;
  findWorkspace(call, workspaceId);
  const key = store.keys.get(id) ?? store.removedKeys.get(id);
  if (key?.workspaceId === workspaceId && !store.unseen.has(id)) return key;
  throw new Refusal(404, "there is no such key");
}

function gone({ readDeleted }: Variant): Answer {
  if (readDeleted === "null") return { status: 200, body: { apiKey: null } };
  throw new Refusal(readDeleted, readDeleted === 404 ? "there is no such key" : "the key is deleted");
}

function lagBehind({ store, variant }: Call<unknown>, workspaceId: string): void {
  store.lag.beforeWrite(`keys of ${workspaceId}`, variant.listLag, () => store.keysOf(workspaceId));
}

function newKeyScopes(given: readonly KeyScopeInput[], variant: Variant): StoredKeyScope[] {
  return given.map((entry) => ({ ...entry, id: newId("ks", variant) }));
}

function checkScopeIds(
  stored: readonly StoredKeyScope[],
  given: readonly KeyScopeInput[],
  { scopeIds }: Variant,
): void {
  // Ids that were shown but never stored look the same as invented ids.
  if (scopeIds === "newEachTime") return;
  const isKnown = (id: string | undefined) => id === undefined || stored.some((entry) => entry.id === id);
  if (!given.every(({ id }) => isKnown(id))) throw new Refusal(400, "the key has no such scope id");
}

/** A key's scope entries after a PATCH with these entries, according to the variant's `patchScopes`. */
function editKeyScopes(
  stored: readonly StoredKeyScope[],
  given: readonly KeyScopeInput[],
  variant: Variant,
): StoredKeyScope[] {
  const how = variant.patchScopes;
  let result = how === "replaces" ? [] : [...stored];
  for (const entry of given) {
    const all = how === "replaces" ? stored : result;
    const match =
      all.find(({ id }) => id === entry.id) ??
      all.find(({ representation }) => representation === entry.representation);
    const merged = { ...entry, id: match?.id ?? newId("ks", variant) };
    const onlyAdds = how === "neverNarrows" || (how === "merges" && entry.id === undefined);
    if (match !== undefined && onlyAdds) {
      for (const flag of ["create", "read", "update", "del"] as const) merged[flag] ||= match[flag];
    }
    const isKept = match !== undefined && result.includes(match);
    result = isKept ? result.map((other) => (other === match ? merged : other)) : [...result, merged];
  }
  if (variant.scopeIds !== "newEachWrite") return result;
  return newKeyScopes(result, variant);
}
