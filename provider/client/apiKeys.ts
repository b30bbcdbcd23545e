/** API keys: their records (interface, section 2) and calls (4.1 to 4.5 and 4.9). */

import { type Call, get, limits, only, send, type Written } from "./call";
import {
  comparableText,
  type Decode,
  flag,
  identifier,
  list,
  mark,
  mirroredFlag,
  mirroredNumber,
  mirroredText,
  orAbsent,
  permission,
  record,
  requiredText,
  secretText,
  text,
  withheld,
} from "./fields";
import { apiPath, pathProblem } from "./paths";
import { listReader, reader } from "./reading";
import type { WorkspacePath } from "./workspaces";

export interface ApiKeyPath extends WorkspacePath {
  readonly keyId: string;
}

/** What the bodies of 4.4 and 4.5 have in common. */
interface NewApiKey {
  readonly name: string;
  readonly workspaceId: string;
  readonly scopes: readonly KeyScope[];
  readonly enabled: boolean;
  readonly customerId: string;
}

/** Body of 4.4. */
export interface CreateApiKey extends NewApiKey {
  readonly prefix?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly externalMeterId?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Body of 4.5; `key` is the existing value. */
export interface MigrateApiKey extends NewApiKey {
  readonly key: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Body of 4.1. */
export interface EditApiKey {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly scopes?: readonly KeyScope[] | undefined;
}

const keyScope = record({
  id: text,
  representation: requiredText,
  create: permission,
  read: permission,
  update: permission,
  del: permission,
});

/** An entry of a key's scopes. Create and migrate send no id. */
export type KeyScope = Omit<ReturnType<typeof keyScope>, "id"> & { readonly id?: string | undefined };

const apiKeyFields = {
  id: identifier,
  name: text,
  maskedKey: mirroredText,
  prefix: mirroredText,
  expiresAt: mirroredNumber,
  scopes: list<KeyScope>(keyScope),
  enabled: flag,
  customerId: mirroredText,
  deleted: mark,
  createdAt: mirroredText,
  updatedAt: mirroredText,
  lastUsedAt: comparableText,
  billingId: mirroredText,
};

/**
 * A service may send the masked form as `key`, which is no secret, or the secret as `maskedKey`, which must not be shown.
 * If the two are equal, only the value of an existing key tells which of them they are.
 */
function withSecretApart(record: ApiKeyRecord, existingKey?: string): ApiKeyRecord {
  const { key = "", maskedKey } = record;
  const isMasked =
    key !== existingKey && (/[*.\u2022]{3}|\u2026/.test(key) || (existingKey && key === maskedKey));
  const secret = existingKey ?? (isMasked ? "" : key);
  return {
    ...record,
    key: isMasked ? undefined : record.key,
    maskedKey: secret !== "" && maskedKey?.includes(secret) ? undefined : maskedKey,
  };
}

/** Any field but the id that can't be read is taken as absent. */
const tolerantFields = {
  ...apiKeyFields,
  name: orAbsent(text),
  scopes: orAbsent(list<KeyScope>(keyScope)),
  enabled: mirroredFlag,
};

// No other answer has the secret, so no odd field may make this one unusable.
const apiKeyWithSecret = record({ ...tolerantFields, key: secretText });

/** An API key. Its secret is only in the answers of create and migrate. */
export type ApiKeyRecord = ReturnType<typeof apiKeyWithSecret>;

// A secret that an answer of read, list, edit or delete carries against the interface is not taken over.
export const apiKey: Decode<ApiKeyRecord> = record({ ...apiKeyFields, key: withheld });

/** A key whose id can't be part of a URL could be created, but neither read nor deleted. */
function namable({ id }: ApiKeyRecord): string | undefined {
  const problem = pathProblem(id);
  return problem && `the answer's apiKey.id ${problem}, so no request can address this key`;
}

const apiKeyOf = (keyId: string) => reader("apiKey", apiKey, only(keyId, "apiKey"), { mayBeNothing: true });
/** Of an existing key, which is migrated, the answer may repeat the value. */
export const newApiKeyOf = (existingKey?: string) =>
  reader("apiKey", (value) => withSecretApart(apiKeyWithSecret(value), existingKey), namable, {
    fatal: false,
  });
const newApiKey = newApiKeyOf();
/** 4.3. One odd record, perhaps of a key that no stack manages, must not hide all the others. */
export const listedApiKeys = listReader("apiKeys", record({ ...tolerantFields, key: withheld }));

/** 4.1. Repeated when it may not have arrived: its fields are target values. */
export async function editApiKey(
  call: Call,
  { workspaceId, keyId }: ApiKeyPath,
  body: EditApiKey,
): Promise<Written<ApiKeyRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`;
  return send(call, { method: "PATCH", path, policy: "always", body }, apiKeyOf(keyId));
}

/** 4.2. */
export async function readApiKey(call: Call, { workspaceId, keyId }: ApiKeyPath): Promise<ApiKeyRecord> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`, apiKeyOf(keyId));
}

/** 4.3. Records may lack scopes and enabled, and the list may be cut. */
export async function listApiKeys(
  call: Call,
  { workspaceId }: WorkspacePath,
): Promise<readonly ApiKeyRecord[]> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/api-key`, listedApiKeys, limits.list);
}

/** 4.4. Repeated only if it was not sent, or was answered with 429. */
export async function createApiKey(call: Call, body: CreateApiKey): Promise<Written<ApiKeyRecord>> {
  return send(call, { method: "POST", path: apiPath`/api/v1/api-key`, policy: "unsent", body }, newApiKey);
}

/** 4.5. Repeated only if it was not sent, or was answered with 429. */
export async function migrateApiKey(call: Call, body: MigrateApiKey): Promise<Written<ApiKeyRecord>> {
  const path = apiPath`/api/v1/api-key/migrate`;
  return send(
    call,
    { method: "POST", path, policy: "unsent", body, secrets: [body.key] },
    newApiKeyOf(body.key),
  );
}

/** 4.9. Repeated when it may not have arrived; a repetition may then find the key gone (404). */
export async function deleteApiKey(
  call: Call,
  { workspaceId, keyId }: ApiKeyPath,
): Promise<Written<ApiKeyRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`;
  return send(call, { method: "DELETE", path, policy: "always" }, apiKeyOf(keyId));
}
