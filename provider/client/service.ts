/**
 * The service (interface, parts 2 and 4): its records, as the provider uses them, and its twelve calls. In the body of a
 * request, a field that is `undefined` is not sent. The calls throw only CallError.
 */

import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import {
  comparableText,
  type Decoder,
  flag,
  lenient,
  listOf,
  mark,
  mirroredText,
  number,
  permission,
  requiredText,
  text,
  withheld,
} from "./decode";
import { type ApiRequest, CallError, type Transport, type Written } from "./send";
import { errorInPlace } from "./words";

/** Where the service is, and the token for it; checked by provider/core/config.ts. */
export interface Credentials {
  readonly baseUrl: string;
  readonly accessToken: string;
}

export interface Call {
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** What no error may contain, besides the access token and the key in the request. */
  readonly secrets?: readonly string[];
  /** Called before each time that the request is sent. */
  readonly sending?: () => void;
}

export interface WorkspacePath {
  readonly workspaceId: string;
}
export interface ApiKeyPath extends WorkspacePath {
  readonly keyId: string;
}

// ---- Records (part 2) ---------------------------------------------------------------------------------------------

const keyScope = z.object({
  id: text,
  representation: requiredText,
  create: permission,
  read: permission,
  update: permission,
  del: permission,
});

const apiKey = z.object({
  id: requiredText,
  name: text,
  maskedKey: mirroredText,
  prefix: mirroredText,
  expiresAt: lenient(number),
  scopes: listOf<KeyScope>(keyScope),
  enabled: flag,
  customerId: mirroredText,
  deleted: mark,
  createdAt: mirroredText,
  updatedAt: mirroredText,
  lastUsedAt: lenient(comparableText),
  billingId: mirroredText,
  // Not taken over from an answer to read, list, edit or delete.
  key: withheld,
});

/** In a list, an odd record must not hide all others. */
const listedApiKey = z.extend(apiKey, {
  name: mirroredText,
  scopes: lenient(listOf<KeyScope>(keyScope)),
  enabled: lenient(flag),
});

/** No other answer has the secret, so no odd field may make this one unusable. */
const newApiKey = z.extend(listedApiKey, { key: mirroredText });

const workspace = z.object({
  id: requiredText,
  name: mirroredText,
  teamId: mirroredText,
  defaultKeyPrefix: text,
  defaultAllowedIPs: listOf(requiredText),
  defaultRateLimitPerSecond: number,
  defaultExpiration: number,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

const scope = z.object({
  id: requiredText,
  name: text,
  representation: requiredText,
  description: text,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

/** Credits are numeric text. */
const billing = z.object({
  id: requiredText,
  totalCredits: mirroredText,
  usedCredits: mirroredText,
  allowOverages: lenient(flag),
  spendCap: mirroredText,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

type Plain<T> = { readonly [Name in keyof T]: T[Name] };
/** An entry of a key's scopes. Create and migrate send no id. */
export type KeyScope = Plain<Omit<z.infer<typeof keyScope>, "id">> & { readonly id?: string | undefined };
/** An API key. Its secret is only in the answers of create and migrate. */
export type ApiKeyRecord = Plain<z.infer<typeof apiKey>>;
export type WorkspaceRecord = Plain<z.infer<typeof workspace>>;
/** A scope that a workspace defines. */
export type ScopeRecord = Plain<z.infer<typeof scope>>;
export type BillingRecord = Plain<z.infer<typeof billing>>;

// ---- Bodies (part 4) ----------------------------------------------------------------------------------------------

interface NewApiKey {
  readonly name: string;
  readonly workspaceId: string;
  readonly scopes: readonly KeyScope[];
  readonly enabled: boolean;
  readonly customerId: string;
}

export interface CreateApiKey extends NewApiKey {
  readonly prefix?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly externalMeterId?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** `key` is the existing value. */
export interface MigrateApiKey extends NewApiKey {
  readonly key: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type EditApiKey = { readonly [Name in "name" | "enabled" | "scopes"]?: NewApiKey[Name] | undefined };

export interface EditWorkspace {
  readonly defaultKeyPrefix?: string | undefined;
  readonly defaultAllowedIPs?: readonly string[] | undefined;
  readonly defaultRateLimitPerSecond?: number | undefined;
  readonly defaultExpiration?: number | undefined;
}

export interface CreateScope {
  readonly name: string;
  readonly representation: string;
  readonly description: string;
}

/** Credits are numeric text. */
export interface CreateBilling {
  readonly totalCredits: string;
  readonly allowOverages: boolean;
  readonly spendCap?: string | undefined;
  readonly externalMeterId?: string | undefined;
  readonly workspaceId: string;
}

// ---- Calls (part 4) -----------------------------------------------------------------------------------------------

const keyPath = ({ workspaceId, keyId }: ApiKeyPath) =>
  apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`;

/** 4.1. */
export async function editApiKey(
  call: Call,
  path: ApiKeyPath,
  body: EditApiKey,
): Promise<Written<ApiKeyRecord>> {
  return write(call, "PATCH", keyPath(path), one("apiKey", apiKey, path.keyId), body);
}

/** 4.2. */
export async function readApiKey(call: Call, path: ApiKeyPath): Promise<ApiKeyRecord> {
  return get(call, keyPath(path), { ...one("apiKey", apiKey, path.keyId), mayBeNothing: true });
}

/** 4.3. Records may lack scopes and enabled, and the list may be cut. */
export async function listApiKeys(
  call: Call,
  { workspaceId }: WorkspacePath,
): Promise<readonly ApiKeyRecord[]> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/api-key`, many("apiKeys", listedApiKey));
}

/** 4.4. */
export async function createApiKey(call: Call, body: CreateApiKey): Promise<Written<ApiKeyRecord>> {
  return withSecretApart(await write(call, "POST", apiPath`/api/v1/api-key`, one("apiKey", newApiKey), body));
}

/** 4.5. */
export async function migrateApiKey(call: Call, body: MigrateApiKey): Promise<Written<ApiKeyRecord>> {
  const hiding = { ...call, secrets: [...(call.secrets ?? []), body.key] };
  const written = await write(
    hiding,
    "POST",
    apiPath`/api/v1/api-key/migrate`,
    one("apiKey", newApiKey),
    body,
  );
  return withSecretApart(written, body.key);
}

/** 4.6. */
export async function listWorkspaces(call: Call): Promise<readonly WorkspaceRecord[]> {
  return get(call, apiPath`/api/v1/workspace`, many("workspaces", workspace));
}

/** 4.7. */
export async function readWorkspace(call: Call, { workspaceId }: WorkspacePath): Promise<WorkspaceRecord> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}`, one("workspace", workspace, workspaceId));
}

/** 4.8. */
export async function editWorkspace(
  call: Call,
  { workspaceId }: WorkspacePath,
  body: EditWorkspace,
): Promise<Written<WorkspaceRecord>> {
  const path = apiPath`/api/v1/workspace/${workspaceId}`;
  return write(call, "PATCH", path, one("workspace", workspace, workspaceId), body);
}

/** 4.9. A repetition may find the key gone (404). */
export async function deleteApiKey(call: Call, path: ApiKeyPath): Promise<Written<ApiKeyRecord>> {
  return write(call, "DELETE", keyPath(path), one("apiKey", apiKey, path.keyId));
}

/** 4.10. */
export async function listScopes(
  call: Call,
  { workspaceId }: WorkspacePath,
): Promise<readonly ScopeRecord[]> {
  return get(call, apiPath`/api/v1/workspace/${workspaceId}/scopes`, many("scopes", scope));
}

/** 4.11. */
export async function createScope(
  call: Call,
  { workspaceId }: WorkspacePath,
  body: CreateScope,
): Promise<Written<ScopeRecord>> {
  return write(call, "POST", apiPath`/api/v1/workspace/${workspaceId}/scope`, one("scope", scope), body);
}

/** 4.12. On a connection of its own, and repeated only if it was not sent: each POST grants credits. */
export async function createBilling(call: Call, body: CreateBilling): Promise<Written<BillingRecord>> {
  return write(call, "POST", apiPath`/api/v1/customer-billing`, one("billing", billing), body, "once");
}

// ---- Requests -----------------------------------------------------------------------------------------------------

async function write<T>(
  call: Call,
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  expected: Expected<T>,
  body?: object,
  policy: ApiRequest<T>["policy"] = method === "POST" ? "untilAccepted" : "idempotent",
): Promise<Written<T>> {
  const { transport, credentials, secrets = [], sending } = call;
  const read = (text: string | undefined) =>
    readAnswer(text, expected, [credentials.accessToken, ...secrets]);
  return transport.send({ ...credentials, method, path, policy, body, secrets, read, sending });
}

async function get<T>(call: Call, path: string, expected: Expected<T>): Promise<T> {
  const { transport, credentials, secrets = [] } = call;
  const read = (text: string | undefined) =>
    readAnswer(text, expected, [credentials.accessToken, ...secrets]);
  const { record } = await transport.send({
    ...{ ...credentials, method: "GET", path, policy: "idempotent", secrets, read },
  });
  // The transport throws if the answer to a GET can't be used.
  return record as T;
}

const unsendable = /[\p{Cc}\p{Cs}]/u;

/** Why an id can't be part of a path, as words to follow it; `undefined` if it can. */
export function pathProblem(id: string): string | undefined {
  if (id === "") return "is empty";
  if (id === "." || id === "..") return `is "${id}"`;
  return unsendable.test(id) ? "contains a control character or half of a character" : undefined;
}

/** The path of a request. One with an id that would lead to another path is a CallError "notSent". */
function apiPath(fixed: TemplateStringsArray, ...ids: string[]): string {
  const segments = ids.map((id) => {
    const problem = pathProblem(id);
    if (problem !== undefined) throw new CallError("notSent", `an id in the URL ${problem}`);
    return encodeURIComponent(id);
  });
  return String.raw({ raw: fixed }, ...segments);
}

// ---- Answers ------------------------------------------------------------------------------------------------------

/** What an answer has in the property `wrapper`. */
interface Expected<T> {
  readonly wrapper: string;
  readonly decoder: Decoder<T>;
  /** The id that was asked for: an answer with another one belongs to another request. */
  readonly id?: string | undefined;
  /** Whether null in place of the record, or `{}`, means that there is no such object, as a 404 does. */
  readonly mayBeNothing?: boolean;
}

const one = <T>(wrapper: string, decoder: Decoder<T>, id?: string): Expected<T> => ({
  wrapper,
  decoder,
  id,
});

/** Null is an empty list, and so is one that an answer without any field leaves out. */
const many = <T>(wrapper: string, entry: Decoder<T>): Expected<readonly T[]> => ({
  wrapper,
  decoder: z.pipe(
    z.transform((list: unknown) => (list === null ? [] : list)),
    z.array(entry),
  ),
});

function readAnswer<T>(
  body: string | undefined,
  { wrapper, decoder, id, mayBeNothing = false }: Expected<T>,
  secrets: readonly string[],
): Written<T> {
  if (body === undefined) return unusable("the answer was cut off, or took too long");
  if (body === "") return unusable("the answer is empty");
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return unusable("the answer is not JSON");
  }
  const fields = typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>) : {};
  const value = isDeepStrictEqual(answer, {}) ? null : fields[wrapper];
  const { data, error } = decoder.safeParse(value);
  if (error === undefined) {
    const isAnother = id !== undefined && (data as { readonly id?: unknown }).id !== id;
    return isAnother ? unusable(`the answer's ${wrapper}.id is not the one asked for`) : { record: data };
  }
  const said = errorInPlace(body, answer, secrets);
  const place = fieldName([wrapper, ...(error.issues[0]?.path ?? [])]);
  const problem = `the answer's ${place} is missing or has another type${said ? `: "${said}"` : ""}`;
  return { ...unusable(problem), ...(mayBeNothing && value === null && !said && { noRecord: true }) };
}

const unusable = (problem: string): Written<never> => ({ record: undefined, problem });

/** A field of the answer: `apiKey.scopes[2].del`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? String(part) : `${name}.${String(part)}`;
  }, "");
}

/** Some services send the masked form as `key`, which is not a secret, or the secret as `maskedKey`, which must not be shown. */
function withSecretApart(
  { record, ...rest }: Written<ApiKeyRecord>,
  existingKey?: string,
): Written<ApiKeyRecord> {
  if (record === undefined) return { record, ...rest };
  const isMasked = /\*{3}|\u2022{3}|\u2026/.test(record.key ?? "") && record.key !== existingKey;
  const key = isMasked ? undefined : record.key;
  const isShown = [key, existingKey].some((secret) => secret && record.maskedKey?.includes(secret));
  return { record: { ...record, key, maskedKey: isShown ? undefined : record.maskedKey }, ...rest };
}
