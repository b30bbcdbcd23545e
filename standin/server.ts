import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Dialect } from "./dialect";
import { exchange, type Service } from "./exchange";
import { createFaultPlan, type FaultRule } from "./faultPlan";
import { createHooks, type Hooks } from "./hooks";
import { completeDialect, type PresetName } from "./presets";
import { createRateLimiter } from "./rateLimit";
import { addTenant, createStore, rotateToken, workspacesOf } from "./store";
import type { LoggedRequest, Tenant, TenantOptions } from "./types";

/** How to start a stand-in. */
export interface StandInOptions {
  /** Default: 0, any free port. The address is always 127.0.0.1. */
  port?: number;
  /**
   * The server variant: a preset's name, or knobs that differ from the default dialect. Default: the default dialect.
   */
  dialect?: Partial<Dialect> | PresetName;
  /** Default: `defaultTenants`. */
  tenants?: readonly TenantOptions[];
  /** Milliseconds between carrying out a request and answering it. Default: 0. */
  latencyMs?: number;
  /** Called when a request is answered, or its connection is cut, or it is left without an answer. */
  onRequest?: (request: LoggedRequest) => void;
}

/** One tenant, "acme", with the workspaces ws_main and ws_second. */
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

/** A running stand-in: an in-memory fake of the service. */
export interface StandIn extends Hooks {
  /** http://127.0.0.1:PORT, the same after `stop` and `start`. */
  readonly url: string;
  /** The current access token of the first tenant. */
  readonly accessToken: string;
  readonly tenants: readonly Tenant[];
  /** Every access token and key value that it ever generated or received. Use it to search for leaked secrets. */
  secrets(): readonly string[];
  /** Resolves when all delayed writes are carried out; see `writes` and `newKeys` of the dialect. */
  settled(): Promise<void>;
  /** The number of open connections. */
  readonly connections: number;
  /** Every request received, in order. The array is the live log: copy it to keep it. */
  readonly requests: readonly LoggedRequest[];
  clearRequests(): void;
  /** Applies from the next request on. The knobs differ from the default dialect, not from the current one. */
  setDialect(dialect: Partial<Dialect> | PresetName): void;
  /** Applies from the next request on. */
  setLatency(milliseconds: number): void;
  /** From now on, the old token is answered with 401. */
  rotateToken(tenantName: string, newToken: string): void;
  addTenant(tenant: TenantOptions): Tenant;
  /** Makes requests fail; see `FaultRule`. */
  inject(rule: FaultRule): void;
  clearFaults(): void;
  /** Refuses new connections and resets open ones. Keeps all data. */
  stop(): Promise<void>;
  /** Listens again, on the same port, with the same data. */
  start(): Promise<void>;
  /** Ends the stand-in, resets open connections and drops delayed writes. Can be called more than once. */
  close(): Promise<void>;
}

/** Starts a stand-in in this process, on a port of 127.0.0.1. */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const store = createStore();
  const service: Service = {
    store,
    faults: createFaultPlan(),
    limiter: createRateLimiter(),
    requests: [],
    latencyMs: options.latencyMs ?? 0,
    dialect: completeDialect(options.dialect ?? {}),
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
    ...createHooks(store, () => service.dialect),
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
    setDialect(next) {
      service.dialect = completeDialect(next);
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
