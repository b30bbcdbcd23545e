/**
 * The service (interface, parts 2 and 4): its records, as the provider uses them, and its twelve calls. In the body of a
 * request, a field that is `undefined` is not sent. The calls throw only CallError.
 */
import * as z from "zod/mini";
import * as field from "./decode";
import { apiPath, type Call, get, list, many, one, request } from "./request";
import type { Written } from "./send";

export interface WorkspacePath {
  readonly workspaceId: string;
}
export interface ApiKeyPath extends WorkspacePath {
  readonly keyId: string;
}

// ---- Records (part 2) ---------------------------------------------------------------------------------------------

const keyScope = z.object({
  id: field.text,
  representation: field.requiredText,
  create: field.permission,
  read: field.permission,
  update: field.permission,
  del: field.permission,
});

const apiKey = z.object({
  id: field.requiredText,
  name: field.text,
  maskedKey: field.mirroredText,
  prefix: field.mirroredText,
  expiresAt: field.lenient(field.number),
  scopes: field.listOf<KeyScope>(keyScope),
  enabled: field.flag,
  customerId: field.mirroredText,
  deleted: field.lenient(field.flag),
  createdAt: field.mirroredText,
  updatedAt: field.mirroredText,
  lastUsedAt: field.mirroredText,
  billingId: field.mirroredText,
});

/** In a list, an odd record must not hide all others. */
const listedApiKey = z.extend(apiKey, {
  name: field.mirroredText,
  scopes: field.lenient(field.listOf<KeyScope>(keyScope)),
  enabled: field.lenient(field.flag),
});

/** No other answer has the secret, so no odd field may make this one unusable. */
const newApiKey = z.extend(listedApiKey, { key: field.mirroredText });

const workspace = z.object({
  id: field.requiredText,
  name: field.mirroredText,
  teamId: field.mirroredText,
  defaultKeyPrefix: field.text,
  defaultAllowedIPs: field.listOf(field.requiredText),
  defaultRateLimitPerSecond: field.number,
  defaultExpiration: field.number,
  createdAt: field.mirroredText,
  updatedAt: field.mirroredText,
});

const scope = z.object({
  id: field.requiredText,
  name: field.text,
  representation: field.requiredText,
  description: field.text,
  createdAt: field.mirroredText,
  updatedAt: field.mirroredText,
});

/** Credits are numeric text. */
const billing = z.object({
  id: field.requiredText,
  totalCredits: field.mirroredText,
  usedCredits: field.mirroredText,
  allowOverages: field.lenient(field.flag),
  spendCap: field.mirroredText,
  createdAt: field.mirroredText,
  updatedAt: field.mirroredText,
});

/** An entry of a key's scopes. Create and migrate send no id. */
export type KeyScope = Readonly<Omit<z.infer<typeof keyScope>, "id">> & { readonly id?: string | undefined };
/** An API key. Its secret is only taken from the answers of create and migrate. */
export type ApiKeyRecord = Readonly<z.infer<typeof apiKey>> & { readonly key?: string | undefined };
export type WorkspaceRecord = Readonly<z.infer<typeof workspace>>;
export type ScopeRecord = Readonly<z.infer<typeof scope>>;

// ---- Calls (part 4) -----------------------------------------------------------------------------------------------

/** The body of a request, of the fields that part 4 names. */
type Body = Readonly<Record<string, unknown>>;

/** 4.1. */
export const editApiKey = async (call: Call, path: ApiKeyPath, body: Body) =>
  request(call, "PATCH", keyPath(path), one("apiKey", apiKey, path.keyId), body);

/** 4.2. */
export const readApiKey = async (call: Call, path: ApiKeyPath) =>
  get(call, keyPath(path), one("apiKey", apiKey, path.keyId));

/** 4.3. Records may lack scopes and enabled, and the list may be cut, although nothing shows it. */
export const listApiKeys = async (call: Call, { workspaceId }: WorkspacePath) =>
  list(call, apiPath`/api/v1/workspace/${workspaceId}/api-key`, many("apiKeys", listedApiKey));

/** 4.4. */
export const createApiKey = async (call: Call, body: Body) =>
  withoutMasked(await request(call, "POST", apiPath`/api/v1/api-key`, one("apiKey", newApiKey), body));

/** 4.5. */
export async function migrateApiKey(
  call: Call,
  body: Body & { readonly key: string },
): Promise<Written<ApiKeyRecord>> {
  const hiding = { ...call, secrets: [...(call.secrets ?? []), body.key] };
  const path = apiPath`/api/v1/api-key/migrate`;
  return withoutMasked(await request(hiding, "POST", path, one("apiKey", newApiKey), body), body.key);
}

/** 4.6. */
export const listWorkspaces = async (call: Call) =>
  list(call, apiPath`/api/v1/workspace`, many("workspaces", workspace));

/** 4.7. */
export const readWorkspace = async (call: Call, { workspaceId }: WorkspacePath) =>
  get(call, apiPath`/api/v1/workspace/${workspaceId}`, one("workspace", workspace, workspaceId));

/** 4.8. */
export const editWorkspace = async (call: Call, { workspaceId: id }: WorkspacePath, body: Body) =>
  request(call, "PATCH", apiPath`/api/v1/workspace/${id}`, one("workspace", workspace, id), body);

/** 4.9. A repetition may find the key gone (404). */
export const deleteApiKey = async (call: Call, path: ApiKeyPath) =>
  request(call, "DELETE", keyPath(path), one("apiKey", apiKey, path.keyId));

/** 4.10. */
export const listScopes = async (call: Call, { workspaceId }: WorkspacePath) =>
  list(call, apiPath`/api/v1/workspace/${workspaceId}/scopes`, many("scopes", scope));

/** 4.11. */
export const createScope = async (call: Call, { workspaceId }: WorkspacePath, body: Body) =>
  request(call, "POST", apiPath`/api/v1/workspace/${workspaceId}/scope`, one("scope", scope), body);

/** 4.12. On a connection of its own, and repeated only if it was not sent: each POST grants credits. */
export const createBilling = async (call: Call, body: Body) =>
  request(call, "POST", apiPath`/api/v1/customer-billing`, one("billing", billing), body, true);

const keyPath = ({ workspaceId, keyId }: ApiKeyPath) =>
  apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`;

/** A masked form of a secret. One star may be a part of a secret. */
const masked = /^.*(?:\*{2}|\.{3}|[\u2022\u2026])([A-Za-z0-9]{3,}$)?/s;

/** The end of the secret that a masked form shows; "" if it shows none. */
export function maskedEnd(text = ""): string {
  return masked.exec(text)?.[1] ?? "";
}

/** Some services send the masked form as `key`, which is not a secret. */
function withoutMasked(written: Written<ApiKeyRecord>, existingKey?: string): Written<ApiKeyRecord> {
  const { record } = written;
  const isMasked = masked.test(record?.key ?? "") && record?.key !== existingKey;
  return record !== undefined && isMasked ? { ...written, record: { ...record, key: undefined } } : written;
}
