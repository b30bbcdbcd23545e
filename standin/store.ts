import type { StoredBilling, StoredKey, StoredScope, StoredWorkspace, TenantOptions } from "./types";

/**
 * All data of the service. Records are replaced, never changed in place, so that earlier lists and returned copies stay
 * unchanged. All maps have the oldest entries first.
 */
export class Store {
  /** Tenant's name → its access token. */
  readonly tenants = new Map<string, string>();
  readonly workspaces = new Map<string, StoredWorkspace>();
  readonly keys = new Map<string, StoredKey>();
  readonly scopes = new Map<string, StoredScope>();
  readonly billings = new Map<string, StoredBilling>();
  /** Removed keys, for variants that remember them. */
  readonly removedKeys = new Map<string, StoredKey>();
  /** Keys and workspaces as they were before their last edit, by id. */
  readonly previous = new Map<string, StoredKey | StoredWorkspace>();
  /** Ids of new keys that requests do not find yet. */
  readonly unseen = new Set<string>();
  /** Every access token and key value that was ever generated or received, including those of deleted objects. */
  readonly secrets = new Set<string>();
  /** Tenant's name → how many requests it has sent in this second. */
  readonly counts = new Map<string, { readonly second: number; readonly requests: number }>();
  readonly lag = new Lag();
  readonly later = new Later();

  /** A copy. Writes to one don't change the other, but both remember all secrets. */
  copy(): Store {
    const { lag: _, later: __, secrets, ...data } = this;
    return Object.assign(new Store(), structuredClone(data), { secrets });
  }

  /** Adds a tenant with its workspaces. */
  addTenant({ name, accessToken, workspaces }: TenantOptions): void {
    const tenant = name ?? (this.tenants.size === 0 ? "acme" : `tenant${this.tenants.size + 1}`);
    if (this.tenants.has(tenant)) throw new Error(`there is a tenant "${tenant}" already`);
    if (this.tenantOf(accessToken) !== undefined)
      throw new Error(`tenant "${tenant}" needs its own access token`);
    this.setToken(tenant, accessToken);
    const now = new Date().toISOString();
    for (const { id, ...given } of workspaces) {
      if (this.workspaces.has(id)) throw new Error(`there is a workspace "${id}" already`);
      const usual = { name: id, teamId: `team_${tenant}`, createdAt: now, updatedAt: now };
      this.workspaces.set(id, { ...usual, ...given, id, tenant });
    }
  }

  setToken(tenant: string, accessToken: string): void {
    this.tenants.set(tenant, accessToken);
    this.secrets.add(accessToken);
  }

  tenantOf(accessToken: string | undefined): string | undefined {
    return [...this.tenants].find(([, token]) => token === accessToken)?.[0];
  }

  workspacesOf(tenant: string): StoredWorkspace[] {
    return [...this.workspaces.values()].filter((workspace) => workspace.tenant === tenant);
  }

  keysOf(workspaceId: string): StoredKey[] {
    return [...this.keys.values()].filter((key) => key.workspaceId === workspaceId);
  }

  scopesOf(workspaceId: string): StoredScope[] {
    return [...this.scopes.values()].filter((scope) => scope.workspaceId === workspaceId);
  }

  /** Adds or replaces a key. */
  putKey(key: StoredKey): void {
    this.keys.set(key.id, key);
    this.secrets.add(key.key);
  }

  /** Removes a key, but remembers that it existed. */
  removeKey(key: StoredKey): void {
    this.keys.delete(key.id);
    this.previous.delete(key.id);
    this.removedKeys.set(key.id, key);
  }
}

/** Lagging lists: for a number of list requests, they show a collection as it was before its last writes. */
class Lag {
  readonly #past = new Map<string, { records: readonly unknown[]; left: number }>();

  /** Call it before a write. The next `requests` list requests then see the collection as it is before the write. */
  beforeWrite(collection: string, requests: number, current: () => readonly unknown[]): void {
    if (requests <= 0) return;
    const known = this.#past.get(collection);
    // Keeps the older list: if the lag restarted with each write, it would hide only the last one.
    if (known !== undefined) known.left = requests;
    else this.#past.set(collection, { records: current(), left: requests });
  }

  /** The records that a list request sees. */
  list<T>(collection: string, current: () => readonly T[]): readonly T[] {
    const known = this.#past.get(collection);
    if (known === undefined) return current();
    known.left -= 1;
    if (known.left === 0) this.#past.delete(collection);
    return known.records as readonly T[];
  }

  /** Lists show the current records again. */
  catchUp(): void {
    this.#past.clear();
  }
}

/** Writes that are carried out after they were answered. */
class Later {
  readonly #timers = new Set<NodeJS.Timeout>();
  #waiting: (() => void)[] = [];

  /** Carries out a write after this number of milliseconds. Writes with the same delay stay in order. */
  add(ms: number, change: () => void): void {
    const timer = setTimeout(() => {
      change();
      this.#timers.delete(timer);
      if (this.#timers.size === 0) this.end();
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  /** Resolves when no writes are left. */
  async settled(): Promise<void> {
    if (this.#timers.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Drops all writes that are left. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
