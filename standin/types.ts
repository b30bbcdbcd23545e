/** Method and path of each endpoint of the interface. Paths are without the prefix; * is a path parameter. */
export const endpoints = {
  listApiKeys: "GET workspace/*/api-key",
  readApiKey: "GET workspace/*/api-key/*",
  createApiKey: "POST api-key",
  migrateApiKey: "POST api-key/migrate",
  editApiKey: "PATCH workspace/*/api-key/*",
  deleteApiKey: "DELETE workspace/*/api-key/*",
  listWorkspaces: "GET workspace",
  readWorkspace: "GET workspace/*",
  editWorkspace: "PATCH workspace/*",
  listScopes: "GET workspace/*/scopes",
  createScope: "POST workspace/*/scope",
  createBilling: "POST customer-billing",
} as const;

/** The service's twelve endpoints, by the names that the request log and the fault rules use. */
export type Endpoint = keyof typeof endpoints;

/** A scope entry of a stored key. */
export interface StoredKeyScope {
  /** The entry's id. */
  id: string;
  /** The representation of the scope. */
  representation: string;
  /** Whether the key may create. */
  create: boolean;
  /** Whether the key may read. */
  read: boolean;
  /** Whether the key may update. */
  update: boolean;
  /** Whether the key may delete. */
  del: boolean;
}

/** Fields of every record. Times are ISO 8601 strings in every variant. */
export interface StoredRecord {
  /** The record's id. */
  id: string;
  /** When the record was created. */
  createdAt: string;
  /** When the record was last changed. */
  updatedAt: string;
}

/** A key as the stand-in stores it, with its secret. */
export interface StoredKey extends StoredRecord {
  /** The id of the workspace that the key belongs to. */
  workspaceId: string;
  /** The key's name. */
  name: string;
  /** The secret. Only the answers of create and migrate show it. */
  key: string;
  /** The masked form of the secret. */
  maskedKey: string;
  /** The start of the secret. */
  prefix?: string | undefined;
  /** When the key expires. The stand-in enforces nothing. */
  expiresAt?: number | undefined;
  /** The key's scope entries. */
  scopes: readonly StoredKeyScope[];
  /** Whether the key works. */
  enabled: boolean;
  /** The id of the customer that the key is for. */
  customerId: string;
  /** Whether the key is marked as deleted. */
  deleted: boolean;
  /** When the key was last used: only what a test sets with `editKey`. */
  lastUsedAt?: string | undefined;
  /** The id of the billing record that the key is linked to. */
  billingId?: string | undefined;
  /** Sent on create; the service never returns it. */
  externalMeterId?: string | undefined;
  /** Sent on create and migrate; the service never returns it. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A workspace as the stand-in stores it. */
export interface StoredWorkspace extends StoredRecord {
  /** The workspace's name. */
  name: string;
  /** The id of the team that the workspace belongs to. */
  teamId: string;
  /** The prefix of new keys that set none. */
  defaultKeyPrefix?: string | undefined;
  /** The IP addresses and CIDR blocks that keys may be used from. */
  defaultAllowedIPs?: readonly string[] | undefined;
  /** How many requests per second a key may send. */
  defaultRateLimitPerSecond?: number | undefined;
  /** The expiration of new keys. */
  defaultExpiration?: number | undefined;
  /** The name of the tenant that the workspace belongs to. */
  tenant: string;
}

/** A change of a workspace outside Pulumi. `undefined` removes the value of an optional field. */
export type WorkspaceChange = Partial<Omit<StoredWorkspace, "id" | "tenant">>;

/** A scope that a workspace defines, as the stand-in stores it. */
export interface StoredScope extends StoredRecord {
  /** The id of the workspace. */
  workspaceId: string;
  /** The scope's name. */
  name: string;
  /** The string by which keys refer to the scope. */
  representation: string;
  /** The scope's description. */
  description?: string | undefined;
}

/** A customer billing record, as the stand-in stores it. */
export interface StoredBilling extends StoredRecord {
  /** The id of the workspace. */
  workspaceId: string;
  /** The granted credits, as a decimal string. */
  totalCredits: string;
  /** The used credits, as a decimal string. */
  usedCredits: string;
  /** Whether the customer may use more than the credits. */
  allowOverages: boolean;
  /** The spend cap, as a decimal string. */
  spendCap?: string | undefined;
  /** Sent on create; the service never returns it. */
  externalMeterId?: string | undefined;
}

const fields = (names: string): readonly string[] => names.split(/\s+/);

/** The fields that answers show of each record. The names of the records are also those in the answers. */
export const shownFields = {
  apiKey:
    fields(`id name maskedKey prefix expiresAt scopes enabled customerId deleted createdAt updatedAt lastUsedAt
    billingId key`),
  workspace:
    fields(`id name teamId defaultKeyPrefix defaultAllowedIPs defaultRateLimitPerSecond defaultExpiration
    createdAt updatedAt`),
  scope: fields("id name representation description createdAt updatedAt"),
  billing: fields("id totalCredits usedCredits allowOverages spendCap createdAt updatedAt"),
};

/** The fields that may have no value, and what answers show then if the variant's `absent` is "empty". */
export const emptyValues: Readonly<Record<string, unknown>> = {
  ...{ prefix: "", expiresAt: 0, lastUsedAt: "", billingId: "" },
  ...{ defaultKeyPrefix: "", defaultAllowedIPs: [], defaultRateLimitPerSecond: 0, defaultExpiration: 0 },
  ...{ description: "", spendCap: "" },
};

/** A tenant. Its access token gives access to its workspaces and no others. */
export interface TenantOptions {
  /** The tenant's name. Default: "acme" for the first tenant, "tenant2", "tenant3" … for the others. */
  name?: string;
  /** The access token that the stand-in accepts for this tenant. */
  accessToken: string;
  /** The tenant's workspaces. Only `id` is required; the name defaults to the id. */
  workspaces: readonly (WorkspaceChange & Pick<StoredWorkspace, "id">)[];
}
