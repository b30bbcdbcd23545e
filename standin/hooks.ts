import { mask, newId, newSecret } from "./identity";
import { blankKey, markOrRemove } from "./keyOperations";
import { putKey, putScope, type Store } from "./store";
import type {
  StoredBilling,
  StoredKey,
  StoredKeyScope,
  StoredScope,
  StoredWorkspace,
  WorkspaceChange,
} from "./types";
import type { Variant } from "./variant";

/** A scope entry for a {@link KeyChange}. Default: permissions are false, the id is generated. */
export type KeyScopeChange = Partial<StoredKeyScope> & {
  /** The representation of the scope. */
  representation: string;
};

/** A change of a key outside Pulumi. `undefined` removes the value of an optional field. */
export type KeyChange = Partial<Omit<StoredKey, "id" | "workspaceId" | "scopes">> & {
  /** The new list of scope entries. */
  scopes?: readonly KeyScopeChange[];
};

/**
 * Methods that show what is stored, and change it as if outside Pulumi. They store values as they are given; no variant
 * rewrites them. Lists that lag show their changes at once, and everything that was written before. All returned
 * records are copies. Unless stated otherwise, an id that does not exist throws an error.
 */
export interface Hooks {
  /**
   * Returns the keys in the order of their creation. Includes keys that are marked as deleted or can't be found yet,
   * but no removed keys.
   *
   * @param filter Only keys of this workspace; only keys that are deleted (true) or not (false). Default: all keys.
   */
  keys(filter?: { workspaceId?: string; deleted?: boolean }): StoredKey[];
  /** Returns one key, or undefined if the id does not exist. */
  key(id: string): StoredKey | undefined;
  /** Changes a key. Sets `updatedAt` to now, unless it is given. */
  editKey(id: string, change: KeyChange): void;
  /** Deletes a key like a DELETE of another client: the variant decides whether it is removed or marked. */
  deleteKey(id: string): void;
  /** Adds a key and returns it. Default: enabled, no scopes, customer "cust_elsewhere", a new id and secret. */
  addKey(
    key: KeyChange & {
      /** The key's id. Default: a new id. */
      id?: string;
      /** The id of the workspace that the key belongs to. */
      workspaceId: string;
      /** The key's name. */
      name: string;
    },
  ): StoredKey;
  /** Returns the workspaces of all tenants. */
  workspaces(): StoredWorkspace[];
  /** Changes a workspace. Sets `updatedAt` to now, unless it is given. */
  editWorkspace(id: string, change: WorkspaceChange): void;
  /** Deletes a workspace with its keys and scopes. The service has no call for this. */
  deleteWorkspace(id: string): void;
  /** Returns the scopes that a workspace defines; none if the workspace does not exist. */
  scopes(workspaceId: string): StoredScope[];
  /** Adds a scope and returns it. Default: the name is the representation, no description, a new id. */
  addScope(
    scope: Partial<StoredScope> & {
      /** The id of the workspace. */
      workspaceId: string;
      /** The string by which keys refer to the scope. */
      representation: string;
    },
  ): StoredScope;
  /** Changes a scope. Sets `updatedAt` to now, unless it is given. The service has no call for this. */
  editScope(id: string, change: Partial<Omit<StoredScope, "id" | "workspaceId">>): void;
  /** Deletes a scope. The service has no call for this. */
  deleteScope(id: string): void;
  /** Returns the billing records of all workspaces. */
  billings(): StoredBilling[];
}

/** The hooks of one stand-in. */
export function createHooks(store: Store, variant: () => Variant): Hooks {
  const now = () => new Date().toISOString();
  const changed = (id: string) => {
    store.previous.delete(id);
    store.unseen.delete(id);
    store.lag.catchUp();
  };
  const keyScopes = (scopes: readonly KeyScopeChange[]): StoredKeyScope[] =>
    scopes.map((scope) => ({
      id: newId("ks", variant()),
      ...{ create: false, read: false, update: false, del: false },
      ...scope,
    }));
  const scopeNamed = (id: string): StoredScope => {
    for (const scopes of store.scopesOf.values()) {
      const scope = scopes.get(id);
      if (scope !== undefined) return scope;
    }
    throw new Error(`there is no scope "${id}"`);
  };
  return {
    keys({ workspaceId, deleted } = {}) {
      const found: StoredKey[] = [];
      for (const key of store.keys.values()) {
        if (workspaceId !== undefined && key.workspaceId !== workspaceId) continue;
        if (deleted === undefined || key.deleted === deleted) found.push(structuredClone(key));
      }
      return found;
    },
    key(id) {
      return structuredClone(store.keys.get(id));
    },
    editKey(id, { scopes, ...change }) {
      const key = existing(store.keys.get(id), "key", id);
      const edited = { ...key, updatedAt: now(), ...change };
      putKey(
        store,
        structuredClone(scopes === undefined ? edited : { ...edited, scopes: keyScopes(scopes) }),
      );
      changed(id);
    },
    deleteKey(id) {
      const key = existing(store.keys.get(id), "key", id);
      markOrRemove({ store, variant: variant() }, key);
      changed(id);
    },
    addKey({ scopes = [], ...given }) {
      existing(store.workspaces.get(given.workspaceId), "workspace", given.workspaceId);
      const secret = given.key ?? newSecret(given.prefix);
      const blank = { ...blankKey(variant()), customerId: "cust_elsewhere", maskedKey: mask(secret) };
      const key: StoredKey = structuredClone({ ...blank, ...given, key: secret, scopes: keyScopes(scopes) });
      if (store.keys.has(key.id)) throw new Error(`there is a key "${key.id}" already`);
      putKey(store, key);
      changed(key.id);
      return structuredClone(key);
    },
    workspaces() {
      return structuredClone([...store.workspaces.values()]);
    },
    editWorkspace(id, change) {
      const workspace = existing(store.workspaces.get(id), "workspace", id);
      store.workspaces.set(id, structuredClone({ ...workspace, updatedAt: now(), ...change }));
      changed(id);
    },
    deleteWorkspace(id) {
      existing(store.workspaces.get(id), "workspace", id);
      for (const key of store.keysOf.get(id) ?? []) store.keys.delete(key);
      store.keysOf.delete(id);
      store.scopesOf.delete(id);
      store.workspaces.delete(id);
      changed(id);
    },
    scopes(workspaceId) {
      return structuredClone([...(store.scopesOf.get(workspaceId)?.values() ?? [])]);
    },
    addScope(given) {
      existing(store.workspaces.get(given.workspaceId), "workspace", given.workspaceId);
      const made = {
        id: newId("sc", variant()),
        name: given.representation,
        createdAt: now(),
        updatedAt: now(),
      };
      const scope: StoredScope = { ...made, ...given };
      putScope(store, scope);
      changed(scope.id);
      return { ...scope };
    },
    editScope(id, change) {
      putScope(store, { ...scopeNamed(id), updatedAt: now(), ...change });
      changed(id);
    },
    deleteScope(id) {
      store.scopesOf.get(scopeNamed(id).workspaceId)?.delete(id);
      changed(id);
    },
    billings() {
      return structuredClone([...store.billings.values()]);
    },
  };
}

function existing<T>(record: T | undefined, kind: string, id: string): T {
  if (record === undefined) throw new Error(`there is no ${kind} "${id}"`);
  return record;
}
