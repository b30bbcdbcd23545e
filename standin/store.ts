import type { StoredBilling, StoredKey, StoredScope, StoredWorkspace, TenantOptions } from "./types";

/**
 * All data of the service. Records are replaced, never changed in place, so that earlier lists and returned copies stay
 * unchanged.
 */
export interface Store {
  /** Access token → tenant's name. Rotated tokens are removed. */
  readonly tokens: Map<string, string>;
  /** Every access token and key value that was ever generated or received, including those of deleted objects. */
  readonly secrets: Set<string>;
  /** Tenant's name → its access token, in the order in which they were added. */
  readonly tenants: Map<string, string>;
  readonly workspaces: Map<string, StoredWorkspace>;
  readonly keys: Map<string, StoredKey>;
  /** Workspace id → ids of its keys, oldest first. */
  readonly keysOf: Map<string, Set<string>>;
  /** Removed keys, for variants that remember them. */
  readonly removedKeys: Map<string, StoredKey>;
  /** Secret → id of the last key that has it, to find a value that exists already. */
  readonly keyOfSecret: Map<string, string>;
  /** Workspace id → its scopes by id, oldest first. */
  readonly scopesOf: Map<string, Map<string, StoredScope>>;
  readonly billings: Map<string, StoredBilling>;
  /** Keys and workspaces as they were before their last edit, by id. */
  readonly previous: Map<string, StoredKey | StoredWorkspace>;
  readonly lag: Lag;
  readonly later: Later;
  /** Ids of new keys that requests do not find yet. */
  readonly unseen: Set<string>;
}

/** An empty store. */
export function createStore(): Store {
  return {
    tokens: new Map(),
    secrets: new Set(),
    tenants: new Map(),
    workspaces: new Map(),
    keys: new Map(),
    keysOf: new Map(),
    removedKeys: new Map(),
    keyOfSecret: new Map(),
    scopesOf: new Map(),
    billings: new Map(),
    previous: new Map(),
    lag: createLag(),
    later: createLater(),
    unseen: new Set(),
  };
}

/** A copy of a store. Writes to one don't change the other, but both remember all secrets. */
export function copyOf({ secrets, lag: _, later: __, ...data }: Store): Store {
  return { ...structuredClone(data), secrets, lag: createLag(), later: createLater() };
}

/** Adds a tenant with its workspaces; returns its name. */
export function addTenant(store: Store, { name, accessToken, workspaces }: TenantOptions): string {
  const tenant = name ?? (store.tenants.size === 0 ? "acme" : `tenant${store.tenants.size + 1}`);
  if (store.tenants.has(tenant)) throw new Error(`there is a tenant "${tenant}" already`);
  if (store.tokens.has(accessToken)) throw new Error(`tenant "${tenant}" needs its own access token`);
  store.tenants.set(tenant, accessToken);
  store.tokens.set(accessToken, tenant);
  store.secrets.add(accessToken);
  const now = new Date().toISOString();
  for (const workspace of workspaces) {
    if (store.workspaces.has(workspace.id)) throw new Error(`there is a workspace "${workspace.id}" already`);
    const given = {
      name: workspace.id,
      teamId: `team_${tenant}`,
      createdAt: now,
      updatedAt: now,
      ...workspace,
    };
    store.workspaces.set(workspace.id, { ...given, tenant });
  }
  return tenant;
}

/** Gives a tenant another access token and removes the old one. */
export function rotateToken(store: Store, tenant: string, accessToken: string): void {
  const old = store.tenants.get(tenant);
  if (old === undefined) throw new Error(`there is no tenant "${tenant}"`);
  store.tokens.delete(old);
  store.secrets.add(accessToken);
  store.tokens.set(accessToken, tenant);
  store.tenants.set(tenant, accessToken);
}

/** A workspace's keys, oldest first. */
export function keysOf(store: Store, workspaceId: string): StoredKey[] {
  const keys: StoredKey[] = [];
  for (const id of store.keysOf.get(workspaceId) ?? []) {
    const key = store.keys.get(id);
    if (key !== undefined) keys.push(key);
  }
  return keys;
}

/** A workspace's scopes, oldest first. */
export function scopesOf(store: Store, workspaceId: string): StoredScope[] {
  return [...(store.scopesOf.get(workspaceId)?.values() ?? [])];
}

/** A tenant's workspaces, oldest first. */
export function workspacesOf(store: Store, tenant: string): StoredWorkspace[] {
  return [...store.workspaces.values()].filter((workspace) => workspace.tenant === tenant);
}

/** Adds or replaces a key. */
export function putKey(store: Store, key: StoredKey): void {
  store.keys.set(key.id, key);
  store.secrets.add(key.key);
  if (!key.deleted) store.keyOfSecret.set(key.key, key.id);
  const ids = store.keysOf.get(key.workspaceId);
  if (ids === undefined) store.keysOf.set(key.workspaceId, new Set([key.id]));
  else ids.add(key.id);
}

/** Removes a key, but remembers that it existed. */
export function removeKey(store: Store, key: StoredKey): void {
  store.keys.delete(key.id);
  store.keysOf.get(key.workspaceId)?.delete(key.id);
  store.previous.delete(key.id);
  store.removedKeys.set(key.id, key);
}

/** The live key with this secret. */
export function keyOfSecret(store: Store, secret: string): StoredKey | undefined {
  const key = store.keys.get(store.keyOfSecret.get(secret) ?? "");
  return key === undefined || key.deleted || key.key !== secret ? undefined : key;
}

/** Adds or replaces a scope. */
export function putScope(store: Store, scope: StoredScope): void {
  const scopes = store.scopesOf.get(scope.workspaceId);
  if (scopes === undefined) store.scopesOf.set(scope.workspaceId, new Map([[scope.id, scope]]));
  else scopes.set(scope.id, scope);
}

/** Lagging lists: for a number of list requests, they show a collection as it was before its last writes. */
interface Lag {
  /** Call it before a write. The next `requests` list requests then see the collection as it is before the write. */
  beforeWrite<T>(collection: string, requests: number, current: () => readonly T[]): void;
  /** The records that a list request sees. */
  list<T>(collection: string, current: () => readonly T[]): readonly T[];
  /** Lists show the current records again. */
  catchUp(): void;
}

/** Records must be replaced, never changed in place. */
function createLag(): Lag {
  const past = new Map<string, { records: readonly unknown[]; left: number }>();
  return {
    beforeWrite(collection, requests, current) {
      if (requests <= 0) return;
      const known = past.get(collection);
      // Keeps the older list: if the lag restarted with each write, it would hide only the last one.
      if (known !== undefined) known.left = requests;
      else past.set(collection, { records: current(), left: requests });
    },
    list<T>(collection: string, current: () => readonly T[]): readonly T[] {
      const known = past.get(collection);
      if (known === undefined) return current();
      known.left -= 1;
      if (known.left === 0) past.delete(collection);
      return known.records as readonly T[];
    },
    catchUp() {
      past.clear();
    },
  };
}

/** Writes that are carried out after they were answered. */
interface Later {
  /** Carries out a write after this many milliseconds; writes to one object stay in order. */
  add(object: string, ms: number, change: () => void): void;
  /** Resolves when no writes are left. */
  settled(): Promise<void>;
  /** Drops all writes that are left. */
  end(): void;
}

function createLater(): Later {
  const queues = new Map<string, (() => void)[]>();
  const timers = new Set<NodeJS.Timeout>();
  let waiting: (() => void)[] = [];
  const release = () => {
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    add(object, ms, change) {
      const queue = queues.get(object) ?? [];
      queues.set(object, queue);
      queue.push(change);
      const timer = setTimeout(() => {
        // Always the first of the queue, because the delay may have changed between two writes.
        queue.shift()?.();
        if (queue.length === 0) queues.delete(object);
        timers.delete(timer);
        if (timers.size === 0) release();
      }, ms);
      timer.unref();
      timers.add(timer);
    },
    settled: () => (timers.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    end() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      queues.clear();
      release();
    },
  };
}
