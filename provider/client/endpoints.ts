/** The service's twelve endpoints (interface, part 4). All of them throw only CallError. */

import { CallError } from "./callError";
import { apiPath, pathProblem } from "./paths";
import { type Reader, reader } from "./reading";
import {
  type CreateApiKey,
  type CreateBilling,
  type CreateScope,
  type EditApiKey,
  type EditWorkspace,
  type MigrateApiKey,
  mostSent,
} from "./requests";
import {
  type ApiKeyRecord,
  apiKeyAnswer,
  apiKeysAnswer,
  type BillingRecord,
  billingAnswer,
  newApiKeyAnswer,
  type ScopeRecord,
  scopeAnswer,
  scopesAnswer,
  type WorkspaceRecord,
  workspaceAnswer,
  workspacesAnswer,
} from "./responses";
import type { Policy } from "./retry";
import { withoutSecrets } from "./secrets";
import type { Transport } from "./transport";

export type {
  CreateApiKey,
  CreateBilling,
  CreateScope,
  EditApiKey,
  EditWorkspace,
  MigrateApiKey,
} from "./requests";

/** Where the service is and what opens it; checked before, by provider/config.ts. */
export interface Credentials {
  readonly baseUrl: string;
  readonly accessToken: string;
}

export interface Call {
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** What no error may hold, besides the access token and what the request carries. */
  readonly secrets?: readonly string[];
  /** What no error may hold either, but records do: a name that is secret is compared with the declared one. */
  readonly concealed?: readonly string[];
  /** Called before each dispatch of a write. */
  readonly sending?: () => void;
}

/** A write that the service carried out: it answered 2xx. */
export interface Written<T> {
  /** `undefined` when the answer can't be used. */
  readonly record: T | undefined;
  /** Why not, in words fit for an error message: "the answer …". */
  readonly problem?: string;
  /** Whether the answer is no JSON, so that something else than the service may have given it. */
  readonly foreign?: true;
  /** Whether it may not have been carried out yet: the service answered 202. */
  readonly deferred?: true;
}

export interface WorkspacePath {
  readonly workspaceId: string;
}

export interface ApiKeyPath extends WorkspacePath {
  readonly keyId: string;
}

const MiB = 1024 * 1024;
/**
 * One record has room for what the largest POST makes: 256 KiB hold 3,500 scopes at most, of 76 bytes each and
 * more. 4 MiB have 1,200 bytes for each of those, for an id, times and whatever else a service adds.
 */
const limits = { list: 64 * MiB, one: 4 * MiB };

async function get<T>(call: Call, path: string, read: Reader<T>, maxBytes: number): Promise<T> {
  const { transport, credentials, secrets = [], concealed = [] } = call;
  const request = {
    method: "GET",
    ...credentials,
    path,
    body: undefined,
    secrets: [...secrets, ...concealed],
    policy: "always",
  } as const;
  const reading = await transport.send({ ...request, maxBytes, read });
  if (!reading.usable) throw new CallError("invalidAnswer", reading.problem);
  return withoutSecrets(reading.value, [credentials.accessToken, ...secrets]);
}

interface Write {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly policy: Policy;
  readonly body?: object;
  readonly secrets?: readonly string[];
}

async function write<T>(call: Call, request: Write, read: Reader<T>): Promise<Written<T>> {
  const secrets = [...(call.secrets ?? []), ...(request.secrets ?? [])];
  const reading = await call.transport.send({
    ...call.credentials,
    ...request,
    body: request.body === undefined ? undefined : { ...request.body },
    secrets: [...secrets, ...(call.concealed ?? [])],
    // What is edited is there, and was read: an edit repeats the ids of scopes, and settings that are not declared.
    maxSent: request.method === "POST" ? mostSent : limits.one,
    maxBytes: limits.one,
    read,
    sending: call.sending,
  });
  const deferred = reading.deferred && { deferred: true as const };
  if (reading.usable) {
    return { record: withoutSecrets(reading.value, [call.credentials.accessToken, ...secrets]), ...deferred };
  }
  const foreign = reading.foreign && { foreign: true as const };
  return { record: undefined, problem: reading.problem, ...foreign, ...deferred };
}

/** The answer's record, unless it may speak of what is still to be carried out. */
export function recordOf<T>({ record, deferred }: Written<T>): T | undefined {
  return deferred ? undefined : record;
}

/** Guards against an answer that belongs to another request. */
const only =
  (asked: string, wrapper: string) =>
  (record: { readonly id: string }): string | undefined =>
    record.id === asked ? undefined : `the answer's ${wrapper}.id is not the one asked for`;

/** A key whose id no path can hold could be made, but neither read nor deleted. */
function namable({ id }: ApiKeyRecord): string | undefined {
  const problem = pathProblem(id);
  return problem && `the answer's apiKey.id ${problem}, so no request can name this key`;
}

const apiKeyOf = (keyId: string): Reader<ApiKeyRecord> =>
  reader(apiKeyAnswer, (answer) => answer.apiKey, only(keyId, "apiKey"));
const newApiKey: Reader<ApiKeyRecord> = reader(newApiKeyAnswer, (answer) => answer.apiKey, namable, {
  fatal: false,
});
const apiKeys: Reader<ApiKeyRecord[]> = reader(apiKeysAnswer, (answer) => answer.apiKeys);
const workspaceOf = (workspaceId: string): Reader<WorkspaceRecord> =>
  reader(workspaceAnswer, (answer) => answer.workspace, only(workspaceId, "workspace"));
const workspaces: Reader<WorkspaceRecord[]> = reader(workspacesAnswer, (answer) => answer.workspaces);
const newScope: Reader<ScopeRecord> = reader(scopeAnswer, (answer) => answer.scope);
const scopes: Reader<ScopeRecord[]> = reader(scopesAnswer, (answer) => answer.scopes);
const newBilling: Reader<BillingRecord> = reader(billingAnswer, (answer) => answer.billing);

/** 4.1. Repeated when it may not have arrived: its fields are target values. */
export async function editApiKey(
  call: Call,
  path: ApiKeyPath,
  body: EditApiKey,
): Promise<Written<ApiKeyRecord>> {
  const { workspaceId, keyId } = path;
  const target = apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`;
  return write(call, { method: "PATCH", path: target, policy: "always", body }, apiKeyOf(keyId));
}

/** 4.2. */
export async function readApiKey(call: Call, { workspaceId, keyId }: ApiKeyPath): Promise<ApiKeyRecord> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`, apiKeyOf(keyId), limits.one);
}

/** 4.3. Records may lack scopes and enabled, and the list may be cut. */
export async function listApiKeys(call: Call, { workspaceId }: WorkspacePath): Promise<ApiKeyRecord[]> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/api-key`, apiKeys, limits.list);
}

/** 4.4. Repeated only when it was not sent or was refused for its pace. */
export async function createApiKey(call: Call, body: CreateApiKey): Promise<Written<ApiKeyRecord>> {
  return write(call, { method: "POST", path: apiPath`/api/v1/api-key`, policy: "unsent", body }, newApiKey);
}

/** 4.5. Repeated only when it was not sent or was refused for its pace. */
export async function migrateApiKey(call: Call, body: MigrateApiKey): Promise<Written<ApiKeyRecord>> {
  const path = apiPath`/api/v1/api-key/migrate`;
  return write(call, { method: "POST", path, policy: "unsent", body, secrets: [body.key] }, newApiKey);
}

/** 4.6. */
export async function listWorkspaces(call: Call): Promise<WorkspaceRecord[]> {
  return get(call, apiPath`/api/v1/workspace`, workspaces, limits.list);
}

/** 4.7. */
export async function readWorkspace(call: Call, { workspaceId }: WorkspacePath): Promise<WorkspaceRecord> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}`, workspaceOf(workspaceId), limits.one);
}

/** 4.8. Repeated when it may not have arrived: its fields are target values. */
export async function editWorkspace(
  call: Call,
  { workspaceId }: WorkspacePath,
  body: EditWorkspace,
): Promise<Written<WorkspaceRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}`;
  return write(call, { method: "PATCH", path, policy: "always", body }, workspaceOf(workspaceId));
}

/** 4.9. Repeated when it may not have arrived; a repetition may then find the key gone (404). */
export async function deleteApiKey(
  call: Call,
  { workspaceId, keyId }: ApiKeyPath,
): Promise<Written<ApiKeyRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`;
  return write(call, { method: "DELETE", path, policy: "always" }, apiKeyOf(keyId));
}

/** 4.10. */
export async function listScopes(call: Call, { workspaceId }: WorkspacePath): Promise<ScopeRecord[]> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/scopes`, scopes, limits.list);
}

/** 4.11. Repeated only when it was not sent or was refused for its pace. */
export async function createScope(
  call: Call,
  { workspaceId }: WorkspacePath,
  body: CreateScope,
): Promise<Written<ScopeRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}/scope`;
  return write(call, { method: "POST", path, policy: "unsent", body }, newScope);
}

/** 4.12. On a connection of its own, and repeated only when it was not sent: each POST grants credits. */
export async function createBilling(call: Call, body: CreateBilling): Promise<Written<BillingRecord>> {
  return write(
    call,
    { method: "POST", path: apiPath`/api/v1/customer-billing`, policy: "never", body },
    newBilling,
  );
}
