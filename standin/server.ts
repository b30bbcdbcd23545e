import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { exchange, type Service } from "./exchange";
import { createFaultPlan, type FaultRule, type LoggedRequest } from "./faults";
import { createHooks, type Hooks } from "./hooks";
import { createRateLimiter } from "./respond";
import { addTenant, createStore, rotateToken, workspacesOf } from "./store";
import type { Tenant, TenantOptions } from "./types";
import { completeVariant, type PresetName, type Variant } from "./variant";

/** The options of {@link startStandIn}. */
export interface StandInOptions {
  /** The port to listen on, at 127.0.0.1. Default: 0, which means any free port. */
  port?: number;
  /**
   * The server variant: a preset's name, or knobs that differ from {@link defaultVariant}. Default: "default".
   */
  variant?: Partial<Variant> | PresetName;
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

/** A running stand-in: an in-memory fake of the service. Start one with {@link startStandIn}. */
export interface StandIn extends Hooks {
  /** The base URL, `http://127.0.0.1:PORT`. It stays the same after `stop` and `start`. */
  readonly url: string;
  /** The current access token of the first tenant. */
  readonly accessToken: string;
  /** The tenants, with copies of their current workspaces. */
  readonly tenants: readonly Tenant[];
  /** Returns every access token and key value that it ever generated or received: search output for them. */
  secrets(): readonly string[];
  /** Resolves when all delayed writes are carried out; see `writes` and `newKeys` of {@link Variant}. */
  settled(): Promise<void>;
  /** The number of open connections. */
  readonly connections: number;
  /** Every request received, in order. The array is the live log: copy it to keep it. */
  readonly requests: readonly LoggedRequest[];
  /** Empties the request log. */
  clearRequests(): void;
  /**
   * Changes the server variant from the next request on: a preset's name, or knobs that differ from
   * {@link defaultVariant}, not from the current variant.
   */
  setVariant(variant: Partial<Variant> | PresetName): void;
  /** Sets `latencyMs` from the next request on. */
  setLatency(milliseconds: number): void;
  /** Gives a tenant a new access token. From now on, the old one is answered with 401. */
  rotateToken(tenantName: string, newToken: string): void;
  /** Adds a tenant and returns it. */
  addTenant(tenant: TenantOptions): Tenant;
  /**
   * Makes requests fail.
   *
   * @example
   * ```ts
   * import type { StandIn } from "pulumi-apikeys/testing";
   *
   * export function loseNextAnswer(standIn: StandIn) {
   *   standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
   * }
   * ```
   */
  inject(rule: FaultRule): void;
  /** Removes all faults. */
  clearFaults(): void;
  /** Refuses new connections and resets open ones. Keeps all data. */
  stop(): Promise<void>;
  /** Listens again, on the same port, with the same data. */
  start(): Promise<void>;
  /** Ends the stand-in, resets open connections and drops delayed writes. Can be called more than once. */
  close(): Promise<void>;
}

/**
 * Starts a stand-in in this process, on a port of 127.0.0.1. Fails if the port is in use.
 *
 * @param options The port, server variant, tenants and latency. Default: any free port, the default variant.
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { startStandIn } from "pulumi-apikeys/testing";
 *
 * test("the stack has its keys", async (t) => {
 *   const standIn = await startStandIn({ variant: "softDelete" });
 *   t.after(() => standIn.close());
 *   process.env["APIKEYS_BASE_URL"] = standIn.url;
 *   process.env["APIKEYS_ACCESS_TOKEN"] = standIn.accessToken;
 *   // Run the program, then look at standIn.keys() and standIn.requests.
 * });
 * ```
 *
 * @see docs/testing.md
 */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const store = createStore();
  const service: Service = {
    store,
    faults: createFaultPlan(),
    limiter: createRateLimiter(),
    requests: [],
    latencyMs: options.latencyMs ?? 0,
    variant: completeVariant(options.variant ?? {}),
    onRequest: options.onRequest ?? (() => {}),
  };
  const sockets = new Map<Socket, number>();
  let connections = 0;
  for (const tenant of options.tenants ?? defaultTenants) addTenant(store, tenant);

  // A request that a client aborts halfway is ignored.
  const server = createServer((request, response) => {
    const connection = sockets.get(request.socket) ?? 0;
    exchange(service, request, response, connection).catch(() => response.destroy());
  });
  // A reused connection must not close between two requests of a slow test.
  server.keepAliveTimeout = 120_000;
  server.on("connection", (socket) => {
    connections += 1;
    sockets.set(socket, connections);
    socket.once("close", () => sockets.delete(socket));
  });

  let port = options.port ?? 0;
  const start = async () => {
    if (server.listening) return;
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  };
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets.keys()) socket.resetAndDestroy();
    await closed;
    // A client in the same process must see that its connections are closed before it sends the next request.
    await pause(20);
  };
  const tenantNamed = (name: string): Tenant => ({
    name,
    accessToken: store.tenants.get(name) ?? "",
    workspaces: structuredClone(workspacesOf(store, name)),
  });
  await start();

  return {
    ...createHooks(store, () => service.variant),
    url: `http://127.0.0.1:${port}`,
    get accessToken() {
      return [...store.tenants.values()][0] ?? "";
    },
    get tenants() {
      return [...store.tenants.keys()].map(tenantNamed);
    },
    secrets: () => [...store.secrets],
    settled: store.later.settled,
    get connections() {
      return sockets.size;
    },
    requests: service.requests,
    clearRequests() {
      service.requests.length = 0;
    },
    setVariant(next) {
      service.variant = completeVariant(next);
    },
    setLatency(milliseconds) {
      service.latencyMs = milliseconds;
    },
    rotateToken: (tenantName, newToken) => rotateToken(store, tenantName, newToken),
    addTenant: (tenant) => tenantNamed(addTenant(store, tenant)),
    inject: service.faults.add,
    clearFaults: service.faults.clear,
    stop,
    start,
    async close() {
      store.later.end();
      await stop();
    },
  };
}
