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

/** A key as the stand-in holds it, secret included. Timestamps are ISO text, whatever the dialect makes of them. */
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

/** A workspace as the stand-in holds it. */
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

/** A tenant to begin with: whoever holds the token sees its workspaces and no others. */
export interface TenantOptions {
  /** Default: "acme" for the first tenant, "tenant2", "tenant3" … for the others. */
  name?: string;
  accessToken: string;
  /** Only `id` is needed; the name defaults to the id. */
  workspaces: readonly (Partial<Workspace> & { id: string })[];
}

/** A tenant as it is now. */
export interface Tenant {
  readonly name: string;
  readonly accessToken: string;
  /** Copies, as they are now. */
  readonly workspaces: readonly StoredWorkspace[];
}

/** One request that the stand-in received. It is logged when its body has arrived and completed when it is answered. */
export interface LoggedRequest {
  /** 1 for the first request since the start or the last `clearRequests`. */
  readonly n: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** As sent: percent-encoded, with the query if there was one. */
  readonly path: string;
  readonly endpoint: Endpoint | "unknown";
  /** Name of the tenant whose token was sent; undefined where the token was missing or wrong. */
  readonly tenant: string | undefined;
  /** The parsed body; the plain text where it is not JSON; undefined where there was none. */
  readonly body: unknown;
  /** As sent, without `authorization`. */
  readonly headers: IncomingHttpHeaders;
  /** Which TCP connection it came on, counted from 1: tells a fresh connection from a reused one. */
  readonly connection: number;
  /** The status answered; 0 while there is none, and when the connection was cut without one. */
  readonly status: number;
  /** The fault that was injected into this exchange. */
  readonly fault: Fault["kind"] | undefined;
  /** True for a write that changed the store, or will, whether or not its answer arrived. */
  readonly carriedOut: boolean;
}
