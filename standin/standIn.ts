import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { exchange, type Shared } from "./exchange";
import { FaultPlan, type FaultRule, type LoggedRequest } from "./faults";
import { mask, newId, newSecret } from "./identity";
import { blankKey, markOrRemove } from "./keyOperations";
import { Store } from "./store";
import type {
  StoredBilling,
  StoredKey,
  StoredKeyScope,
  StoredScope,
  StoredWorkspace,
  TenantOptions,
  WorkspaceChange,
} from "./types";
import { completeVariant, type ProbedService, type Variant, type VariantName } from "./variant";

/** The options of {@link startStandIn}. */
export interface StandInOptions {
  /** The port to listen on, at 127.0.0.1. Default: 0, which means any free port. */
  port?: number;
  /**
   * The server variant: a name, options that differ from {@link defaultVariant}, or the parsed file of
   * `npx pulumi-apikeys probe --save`. Default: "default".
   */
  variant?: Partial<Variant> | VariantName | ProbedService;
  /** The tenants, each with an access token and workspaces. Default: {@link defaultTenants}. */
  tenants?: readonly TenantOptions[];
  /** Milliseconds between carrying out a request and answering it. Default: 0. */
  latencyMs?: number;
  /**
   * Called when a request is answered, when its connection is cut, or when it is left without an answer. What it throws
   * is an uncaught exception, which test runners report. Default: none.
   */
  onRequest?: (request: LoggedRequest) => void;
}

/** The default tenants: "acme", with the access token "standin-access-token" and workspaces ws_main and ws_second. */
export const defaultTenants: readonly TenantOptions[] = [
  {
    name: "acme",
    accessToken: "standin-access-token",
    workspaces: [
      { id: "ws_main", name: "Main" },
      { id: "ws_second", name: "Second" },
    ],
  },
];

/** A scope entry for a {@link KeyChange}. Default: permissions are false, the id is generated. */
export type KeyScopeChange = Partial<StoredKeyScope> & Pick<StoredKeyScope, "representation">;

/** A change of a key outside Pulumi. `undefined` removes the value of an optional field. */
export type KeyChange = Partial<Omit<StoredKey, "id" | "workspaceId" | "scopes">> & {
  /** The new list of scope entries. */
  scopes?: readonly KeyScopeChange[];
};

/** A key to add. */
export type NewKey = KeyChange & Pick<StoredKey, "workspaceId" | "name"> & Partial<Pick<StoredKey, "id">>;

/**
 * A running stand-in: an in-memory fake of the service. Start one with {@link startStandIn}.
 *
 * Some methods show what is stored, or change it as if outside Pulumi. They store values as they are given; no variant
 * rewrites them. Lists that lag show their changes at once, and everything that was written before. All returned
 * records are copies. Unless stated otherwise, an id that does not exist throws an error.
 */
export class StandIn {
  readonly #store = new Store();
  readonly #shared: Omit<Shared, "variant"> & { variant: Variant };
  readonly #sockets = new Map<Socket, number>();
  readonly #server = createServer((request, response) => {
    const connection = this.#sockets.get(request.socket) ?? 0;
    exchange(this.#shared, request, response, connection).catch((error) => {
      response.destroy();
      // A request that a client aborts halfway is ignored.
      if (request.errored === null) throw error;
    });
  });
  #port: number;

  /** Doesn't listen yet: use {@link startStandIn}. */
  constructor({ port = 0, variant = {}, tenants = defaultTenants, ...options }: StandInOptions) {
    this.#port = port;
    this.#shared = {
      store: this.#store,
      variant: completeVariant(variant),
      faults: new FaultPlan(),
      requests: [],
      latencyMs: options.latencyMs ?? 0,
      onRequest: options.onRequest ?? (() => {}),
    };
    for (const tenant of tenants) this.#store.addTenant(tenant);
    // A reused connection must not close between two requests of a slow test.
    this.#server.keepAliveTimeout = 120_000;
    let connections = 0;
    this.#server.on("connection", (socket) => {
      connections += 1;
      this.#sockets.set(socket, connections);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** The base URL, `http://127.0.0.1:PORT`. It stays the same after `stop` and `start`. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The current access token of the first tenant. */
  get accessToken(): string {
    return [...this.#store.tenants.values()][0] ?? "";
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Every request received, in order. The array is the live log: copy it to keep it. */
  get requests(): readonly LoggedRequest[] {
    return this.#shared.requests;
  }

  /** Empties the request log. */
  clearRequests(): void {
    this.#shared.requests.length = 0;
  }

  /** Returns every access token and key value that it ever generated or received: search output for them. */
  secrets(): readonly string[] {
    return [...this.#store.secrets];
  }

  /**
   * Changes the server variant from the next request on: a name, or options that differ from
   * {@link defaultVariant}, not from the current variant.
   */
  setVariant(variant: Partial<Variant> | VariantName): void {
    this.#shared.variant = completeVariant(variant);
  }

  /** Resolves when all delayed writes are carried out; see `writes` and `newKeys` of {@link Variant}. */
  settled(): Promise<void> {
    return this.#store.later.settled();
  }

  /** Gives a tenant a new access token. From now on, the old one is answered with 401. */
  rotateToken(tenantName: string, newToken: string): void {
    existing(this.#store.tenants.get(tenantName), "tenant", tenantName);
    this.#store.setToken(tenantName, newToken);
  }

  /** Makes requests fail, such as the next create: `{ endpoint: "createApiKey", fault: { kind: "resetAfter" } }`. */
  inject(rule: FaultRule): void {
    this.#shared.faults.add(rule);
  }

  /** Removes all faults. */
  clearFaults(): void {
    this.#shared.faults.clear();
  }

  /** Refuses new connections and resets open ones. Keeps all data. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets.keys()) socket.resetAndDestroy();
    await closed;
    // A client in the same process must see that its connections are closed before it sends the next request.
    await pause(20);
  }

  /** Listens again, on the same port, with the same data. */
  async start(): Promise<void> {
    if (this.#server.listening) return;
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Ends the stand-in, resets open connections and drops delayed writes. Can be called more than once. */
  async close(): Promise<void> {
    this.#store.later.end();
    await this.stop();
  }

  /**
   * Returns the keys in the order of their creation. Includes keys that are marked as deleted or can't be found yet,
   * but no removed keys.
   *
   * @param filter Only keys of this workspace; only keys that are deleted (true) or not (false). Default: all keys.
   */
  keys({ workspaceId, deleted }: { workspaceId?: string; deleted?: boolean } = {}): StoredKey[] {
    const isWanted = (key: StoredKey) =>
      (workspaceId === undefined || key.workspaceId === workspaceId) &&
      (deleted === undefined || key.deleted === deleted);
    return structuredClone([...this.#store.keys.values()].filter(isWanted));
  }

  /** Returns one key, or undefined if the id does not exist. */
  key(id: string): StoredKey | undefined {
    return structuredClone(this.#store.keys.get(id));
  }

  /** Changes a key. Sets `updatedAt` to now, unless it is given. */
  editKey(id: string, { scopes, ...change }: KeyChange): void {
    const key = existing(this.#store.keys.get(id), "key", id);
    const edited = { ...key, updatedAt: now(), ...change };
    if (scopes !== undefined) edited.scopes = this.#keyScopes(scopes);
    this.#store.putKey(structuredClone(edited));
    this.#changed(id);
  }

  /** Deletes a key like a DELETE of another client: the variant decides whether it is removed or marked. */
  deleteKey(id: string): void {
    markOrRemove(this.#shared, existing(this.#store.keys.get(id), "key", id));
    this.#changed(id);
  }

  /** Adds a key and returns it. Default: enabled, no scopes, customer "cust_elsewhere", a new id and secret. */
  addKey({ scopes = [], ...given }: NewKey): StoredKey {
    existing(this.#store.workspaces.get(given.workspaceId), "workspace", given.workspaceId);
    const secret = given.key ?? newSecret(given.prefix);
    const usual = { customerId: "cust_elsewhere", maskedKey: mask(secret) };
    const key: StoredKey = {
      ...{ ...blankKey(this.#shared.variant), ...usual },
      ...{ ...given, key: secret, scopes: this.#keyScopes(scopes) },
    };
    if (this.#store.keys.has(key.id)) throw new Error(`there is a key "${key.id}" already`);
    this.#store.putKey(structuredClone(key));
    this.#changed(key.id);
    return structuredClone(key);
  }

  /** Returns the workspaces of all tenants. */
  workspaces(): StoredWorkspace[] {
    return structuredClone([...this.#store.workspaces.values()]);
  }

  /** Changes a workspace. Sets `updatedAt` to now, unless it is given. */
  editWorkspace(id: string, change: WorkspaceChange): void {
    const workspace = existing(this.#store.workspaces.get(id), "workspace", id);
    this.#store.workspaces.set(id, structuredClone({ ...workspace, updatedAt: now(), ...change }));
    this.#changed(id);
  }

  /** Returns the scopes that a workspace defines; none if the workspace does not exist. */
  scopes(workspaceId: string): StoredScope[] {
    return structuredClone(this.#store.scopesOf(workspaceId));
  }

  /** Adds a scope, or replaces the one with its id, and returns it. Default: named like its representation, a new id. */
  addScope(given: Partial<StoredScope> & Pick<StoredScope, "workspaceId" | "representation">): StoredScope {
    existing(this.#store.workspaces.get(given.workspaceId), "workspace", given.workspaceId);
    const usual = { id: newId("sc", this.#shared.variant), createdAt: now(), updatedAt: now() };
    const scope = { ...usual, name: given.representation, ...given };
    this.#store.scopes.set(scope.id, scope);
    this.#changed(scope.id);
    return { ...scope };
  }

  /** Deletes a scope. The service has no call for this. */
  deleteScope(id: string): void {
    existing(this.#store.scopes.get(id), "scope", id);
    this.#store.scopes.delete(id);
    this.#changed(id);
  }

  /** Returns the billing records of all workspaces. */
  billings(): StoredBilling[] {
    return structuredClone([...this.#store.billings.values()]);
  }

  #keyScopes(scopes: readonly KeyScopeChange[]): StoredKeyScope[] {
    const none = { create: false, read: false, update: false, del: false };
    return scopes.map((scope) => ({ id: newId("ks", this.#shared.variant), ...none, ...scope }));
  }

  #changed(id: string): void {
    this.#store.previous.delete(id);
    this.#store.unseen.delete(id);
    this.#store.lag.catchUp();
  }
}

/**
 * Starts a stand-in in this process, on a port of 127.0.0.1. Fails if the port is in use.
 *
 * @param options The port, server variant, tenants and latency. Default: any free port, the default variant.
 * @see docs/testing.md
 */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const standIn = new StandIn(options);
  await standIn.start();
  return standIn;
}

function now(): string {
  return new Date().toISOString();
}

function existing<T>(record: T | undefined, kind: string, id: string): T {
  if (record === undefined) throw new Error(`there is no ${kind} "${id}"`);
  return record;
}
