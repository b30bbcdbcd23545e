import type { IncomingHttpHeaders } from "node:http";
import type { Fault } from "./faults";

/** The service's twelve endpoints, by the names that the request log and the fault rules use (interface, 4.1–4.12). */
export type Endpoint =
  | "listApiKeys"
  | "readApiKey"
  | "createApiKey"
  | "migrateApiKey"
  | "editApiKey"
  | "deleteApiKey"
  | "listWorkspaces"
  | "readWorkspace"
  | "editWorkspace"
  | "listScopes"
  | "createScope"
  | "createBilling";

/** One permission entry of a stored key (interface, section 2, KeyScope). */
export interface StoredKeyScope {
  id: string;
  representation: string;
  create: boolean;
  read: boolean;
  update: boolean;
  del: boolean;
}

/** A key as the stand-in stores it, including its secret. Timestamps are ISO strings in every dialect. */
export interface StoredKey {
  id: string;
  workspaceId: string;
  name: string;
  /** The secret. Only the answers of create and migrate show it. */
  key: string;
  maskedKey: string;
  prefix?: string | undefined;
  expiresAt?: number | undefined;
  scopes: readonly StoredKeyScope[];
  enabled: boolean;
  customerId: string;
  deleted: boolean;
  createdAt: string;
  updatedAt: string;
  lastUsedAt?: string | undefined;
  billingId?: string | undefined;
  /** Sent on create, never returned by the service. */
  externalMeterId?: string | undefined;
  /** Sent on create and migrate, never returned by the service. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A workspace (interface, section 2). */
export interface Workspace {
  id: string;
  name: string;
  teamId: string;
  defaultKeyPrefix?: string | undefined;
  defaultAllowedIPs?: readonly string[] | undefined;
  defaultRateLimitPerSecond?: number | undefined;
  defaultExpiration?: number | undefined;
  createdAt: string;
  updatedAt: string;
}

/** A workspace as the stand-in stores it. */
export interface StoredWorkspace extends Workspace {
  /** Name of the tenant that owns it. */
  tenant: string;
}

/** A scope defined in a workspace (interface, section 2). */
export interface StoredScope {
  id: string;
  workspaceId: string;
  name: string;
  representation: string;
  description?: string | undefined;
  createdAt: string;
  updatedAt: string;
}

/** A customer billing record (interface, section 2). */
export interface StoredBilling {
  id: string;
  workspaceId: string;
  totalCredits: string;
  usedCredits: string;
  allowOverages: boolean;
  spendCap?: string | undefined;
  /** Sent on create, never returned by the service. */
  externalMeterId?: string | undefined;
  createdAt: string;
  updatedAt: string;
}

/** A tenant. Its access token gives access to its workspaces and no others. */
export interface TenantOptions {
  /** Default: "acme" for the first tenant, "tenant2", "tenant3" … for the others. */
  name?: string;
  accessToken: string;
  /** Only `id` is required; the name defaults to the id. */
  workspaces: readonly (Partial<Workspace> & { id: string })[];
}

/** The current state of a tenant. */
export interface Tenant {
  readonly name: string;
  readonly accessToken: string;
  /** Copies of the current workspaces. */
  readonly workspaces: readonly StoredWorkspace[];
}

/** A request that the stand-in received. The log gets it when its body has arrived; the answer is added later. */
export interface LoggedRequest {
  /** 1 for the first request since the start or the last `clearRequests`. */
  readonly n: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** As sent: percent-encoded, with the query if any. */
  readonly path: string;
  readonly endpoint: Endpoint | "unknown";
  /** Name of the tenant whose token was sent; undefined if the token was missing or wrong. */
  readonly tenant: string | undefined;
  /** The parsed body; the plain string if it is not JSON; undefined if there was none. */
  readonly body: unknown;
  /** As sent, without `authorization`. */
  readonly headers: IncomingHttpHeaders;
  /** The number of the TCP connection that it came on, counted from 1. Shows whether a connection was reused. */
  readonly connection: number;
  /** The status of the answer; 0 while there is none, or if the connection was cut without one. */
  readonly status: number;
  /** The fault that was injected into this exchange. */
  readonly fault: Fault["kind"] | undefined;
  /** True for a write that changed the store, or will change it, whether or not its answer arrived. */
  readonly carriedOut: boolean;
}
