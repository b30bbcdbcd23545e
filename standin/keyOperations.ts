import { type Answer, refuse, writeAnswer } from "./answer";
import { type Call, carryOut, cutList, findWorkspace } from "./call";
import type { Dialect } from "./dialect";
import { mask, newId, newSecret } from "./identity";
import { editKeyScopes, newKeyScopes, unknownScope } from "./keyScopes";
import { storedExpiry, storedName, storedPrefix } from "./normalise";
import { envelope, showKey } from "./render";
import { keyOfSecret, keysOf, putKey, removeKey, scopesOf } from "./store";
import type { StoredKey } from "./types";
import type { Bodies, KeyScopeInput } from "./validate";

/** Interface, 4.3. */
export function listApiKeys(call: Call): Answer {
  const { store, dialect, params } = call;
  if (dialect.keyLists !== "answered") return refuse(dialect.keyLists, "keys are not listed here");
  const found = findWorkspace(call, params[0]);
  if ("refusal" in found) return dialect.otherTenant === "empty" ? listAnswer([], dialect) : found.refusal;
  const { id } = found.workspace;
  const present = store.lag.list(`keys of ${id}`, () => keysOf(store, id));
  const listed = present.filter(
    (key) => !store.unseen.has(key.id) && (!key.deleted || /Lists$/.test(dialect.delete)),
  );
  if (dialect.listRecords !== "stale") return listAnswer(listed, dialect);
  const stale = listed.map((key) => ({
    ...((store.previous.get(key.id) as StoredKey | undefined) ?? key),
    deleted: key.deleted,
  }));
  return listAnswer(stale, dialect);
}

/** Interface, 4.2. */
export function readApiKey(call: Call): Answer {
  const found = findKey(call);
  if ("refusal" in found) return found.refusal;
  if (found.key.deleted && !isReadable(call.dialect)) return gone(call.dialect);
  return { status: 200, body: envelope("apiKey", showKey(found.key, call.dialect, "alone"), call.dialect) };
}

/** Interface, 4.4. */
export function createApiKey(call: Call<Bodies["createApiKey"]>): Answer {
  const { dialect, body } = call;
  const found = findWorkspace(call, body.workspaceId);
  if ("refusal" in found) return found.refusal;
  const undefinedScope = scopeNotDefined(call, body.workspaceId, body.scopes);
  if (undefinedScope !== undefined) return undefinedScope;
  const asked = body.prefix ?? found.workspace.defaultKeyPrefix;
  const prefix = asked === undefined ? undefined : storedPrefix(asked, dialect);
  return addKey(call, {
    ...blankKey(dialect),
    ...body,
    key: newSecret(prefix),
    prefix,
    expiresAt: storedExpiry(body.expiresAt, dialect),
    scopes: newKeyScopes(body.scopes, dialect),
  });
}

/** Interface, 4.5. */
export function migrateApiKey(call: Call<Bodies["migrateApiKey"]>): Answer {
  const { store, dialect, tenant, body } = call;
  const found = findWorkspace(call, body.workspaceId);
  if ("refusal" in found) return found.refusal;
  const undefinedScope = scopeNotDefined(call, body.workspaceId, body.scopes ?? []);
  if (undefinedScope !== undefined) return undefinedScope;
  const holder = keyOfSecret(store, body.key);
  if (holder !== undefined && dialect.duplicateKey !== "created") {
    const isOwn = store.workspaces.get(holder.workspaceId)?.tenant === tenant;
    if (dialect.duplicateKey === 409 || !isOwn) return refuse(409, "a key with this value exists already");
    return { ...madeAnswer(holder, dialect), status: 200, carriedOut: false };
  }
  return addKey(call, { ...blankKey(dialect), ...body, scopes: newKeyScopes(body.scopes ?? [], dialect) });
}

/** Interface, 4.1. */
export function editApiKey(call: Call<Bodies["editApiKey"]>): Answer {
  const { store, dialect, body } = call;
  const found = findKey(call);
  if ("refusal" in found) return found.refusal;
  const { key } = found;
  if (key.deleted && dialect.editDeleted === "gone") return gone(dialect);
  const given = body.scopes ?? (dialect.patchFields === "replaces" ? [] : undefined);
  if (given !== undefined) {
    if (unknownScope(key.scopes, given, dialect))
      return refuse(dialect.invalidStatus, "the key has no such scope id");
    const undefinedScope = scopeNotDefined(call, key.workspaceId, given);
    if (undefinedScope !== undefined) return undefinedScope;
  }
  carryOut(call, `key ${key.id}`, () => {
    const current = store.keys.get(key.id);
    // The key was deleted in the meantime.
    if (current === undefined || (current.deleted && dialect.editDeleted === "gone")) return;
    const base = dialect.patchFields === "replaces" ? { ...current, name: "", enabled: false } : current;
    lagBehind(call, key.workspaceId);
    store.previous.set(key.id, current);
    putKey(store, {
      ...base,
      name: body.name === undefined ? base.name : storedName(body.name, dialect),
      enabled: body.enabled ?? base.enabled,
      scopes: given === undefined ? current.scopes : editKeyScopes(current.scopes, given, dialect),
      updatedAt: new Date().toISOString(),
    });
  });
  const shown = dialect.patchAnswer === "before" ? key : (store.keys.get(key.id) ?? key);
  const answer = envelope("apiKey", showKey(shown, dialect, "alone"), dialect);
  return writeAnswer(answer, dialect.patchAnswer, dialect);
}

/** Interface, 4.9. */
export function deleteApiKey(call: Call): Answer {
  const { store, dialect } = call;
  const found = findKey(call, { withRemoved: true });
  if ("refusal" in found) return found.refusal;
  const { key } = found;
  if (key.deleted && dialect.deleteAgain !== 200) return refuse(dialect.deleteAgain, "the key is deleted");
  if (!key.deleted) {
    carryOut(call, `key ${key.id}`, () => {
      const current = store.keys.get(key.id);
      if (current === undefined) return;
      lagBehind(call, key.workspaceId);
      markOrRemove(call, current);
    });
  }
  const asItWas = dialect.deleteAnswer === "before" || dialect.writes !== "atOnce";
  const shown = asItWas ? key : { ...key, deleted: true };
  const answer = envelope("apiKey", showKey(shown, dialect, "alone"), dialect);
  return { ...writeAnswer(answer, dialect.deleteAnswer, dialect), carriedOut: !key.deleted };
}

/** Deletes a key in the way of the dialect. */
export function markOrRemove({ store, dialect }: Pick<Call, "store" | "dialect">, key: StoredKey): void {
  const deleted = { ...key, deleted: true, updatedAt: new Date().toISOString() };
  if (dialect.delete === "removes") removeKey(store, deleted);
  else putKey(store, deleted);
}

/** The fields of a key that no request sets. */
export function blankKey(dialect: Dialect): Omit<StoredKey, "name" | "workspaceId" | "key"> {
  const now = new Date().toISOString();
  return {
    id: newId("key", dialect),
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
  const { store, dialect } = call;
  const key = {
    ...wanted,
    name: storedName(wanted.name, dialect),
    enabled: dialect.enabledOnCreate === "ignored" || wanted.enabled,
    maskedKey: mask(wanted.key),
  };
  lagBehind(call, key.workspaceId);
  putKey(store, key);
  if (dialect.newKeys === "later") {
    store.unseen.add(key.id);
    store.later.add(`key ${key.id}`, dialect.laterMs, () => store.unseen.delete(key.id));
  }
  return madeAnswer(key, dialect);
}

function madeAnswer(key: StoredKey, dialect: Dialect): Answer {
  const made = { status: dialect.createStatus, carriedOut: true };
  const shown = showKey(key, dialect, dialect.createAnswer === "withoutKey" ? "alone" : "withSecret");
  const answered = dialect.createAnswer === "brief" ? { id: shown["id"], key: shown["key"] } : shown;
  return { ...made, body: envelope("apiKey", answered, dialect) };
}

function findKey(
  call: Call<unknown>,
  { withRemoved = false } = {},
): { key: StoredKey } | { refusal: Answer } {
  const [workspaceId, id = ""] = call.params;
  const found = findWorkspace(call, workspaceId);
  if ("refusal" in found) return found;
  const { store, dialect } = call;
  const key = store.keys.get(id);
  if (key !== undefined && key.workspaceId === workspaceId && !store.unseen.has(id)) return { key };
  const removed = store.removedKeys.get(id);
  if (removed !== undefined && removed.workspaceId === workspaceId) {
    return withRemoved ? { key: removed } : { refusal: gone(dialect) };
  }
  return { refusal: refuse(404, "there is no such key") };
}

function isReadable(dialect: Dialect): boolean {
  return dialect.delete === "marks" || dialect.delete === "marksAndLists";
}

function gone({ readDeleted }: Dialect): Answer {
  if (readDeleted === "null") return { status: 200, body: { apiKey: null }, carriedOut: false };
  return refuse(readDeleted, readDeleted === 404 ? "there is no such key" : "the key is deleted");
}

function scopeNotDefined(
  { store, dialect }: Call<unknown>,
  workspaceId: string,
  given: readonly KeyScopeInput[],
): Answer | undefined {
  if (dialect.keyScopes === "free") return undefined;
  const defined = new Set(scopesOf(store, workspaceId).map(({ representation }) => representation));
  const isDefined = given.every(({ representation }) => defined.has(representation));
  return isDefined ? undefined : refuse(dialect.invalidStatus, "the workspace does not define such a scope");
}

function lagBehind({ store, dialect }: Call<unknown>, workspaceId: string): void {
  store.lag.beforeWrite(`keys of ${workspaceId}`, dialect.listLag, () => keysOf(store, workspaceId));
}

function listAnswer(keys: readonly StoredKey[], dialect: Dialect): Answer {
  const shown = cutList(keys, dialect).map((key) => showKey(key, dialect, "inList"));
  return { status: 200, body: envelope("apiKeys", shown, dialect) };
}
