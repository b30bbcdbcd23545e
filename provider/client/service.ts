/**
 * The service (interface, parts 2 and 4): its records, as the provider uses them, and its twelve calls. In the body of a
 * request, a field that is `undefined` is not sent. The calls throw only CallError.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { toDotPath } from "zod/v4/core";
import * as field from "./decode";
import {
  type ApiRequest,
  CallError,
  type CallOptions,
  type Credentials,
  type Transport,
  type Written,
} from "./send";
import { errorInPlace } from "./words";

export type { Credentials };

export interface Call extends CallOptions {
  readonly transport: Transport;
  readonly credentials: Credentials;
}

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
  deleted: field.mark,
  createdAt: field.mirroredText,
  updatedAt: field.mirroredText,
  lastUsedAt: field.lenient(field.comparableText),
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

type Plain<T> = { readonly [Name in keyof T]: T[Name] };
/** An entry of a key's scopes. Create and migrate send no id. */
export type KeyScope = Plain<Omit<z.infer<typeof keyScope>, "id">> & { readonly id?: string | undefined };
/** An API key. Its secret is only taken from the answers of create and migrate. */
export type ApiKeyRecord = Plain<z.infer<typeof apiKey>> & { readonly key?: string | undefined };
export type WorkspaceRecord = Plain<z.infer<typeof workspace>>;
/** A scope that a workspace defines. */
export type ScopeRecord = Plain<z.infer<typeof scope>>;

// ---- Bodies (part 4) ----------------------------------------------------------------------------------------------

export interface CreateApiKey {
  readonly name: string;
  readonly workspaceId: string;
  readonly scopes: readonly KeyScope[];
  readonly enabled: boolean;
  readonly customerId: string;
  readonly prefix?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly externalMeterId?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** `key` is the existing value. Without prefix, expiresAt and externalMeterId. */
export interface MigrateApiKey extends CreateApiKey {
  readonly key: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type EditApiKey = {
  readonly [Name in "name" | "enabled" | "scopes"]?: CreateApiKey[Name] | undefined;
};

/** The defaults for new keys. */
export type EditWorkspace = Partial<
  Omit<WorkspaceRecord, "id" | "name" | "teamId" | "createdAt" | "updatedAt">
>;

export type CreateScope = Readonly<Record<"name" | "representation" | "description", string>>;

/** Credits are numeric text. */
export interface CreateBilling {
  readonly totalCredits: string;
  readonly allowOverages: boolean;
  readonly spendCap?: string | undefined;
  readonly externalMeterId?: string | undefined;
  readonly workspaceId: string;
}

// ---- Calls (part 4) -----------------------------------------------------------------------------------------------

/** 4.1. */
export const editApiKey = async (call: Call, path: ApiKeyPath, body: EditApiKey) =>
  write(call, "PATCH", keyPath(path), one("apiKey", apiKey, path.keyId), body);

/** 4.2. */
export const readApiKey = async (call: Call, path: ApiKeyPath) =>
  get(call, keyPath(path), one("apiKey", apiKey, path.keyId));

/** 4.3. Records may lack scopes and enabled, and the list may be cut. */
export const listApiKeys = async (call: Call, { workspaceId }: WorkspacePath) =>
  get(call, apiPath`/api/v1/workspace/${workspaceId}/api-key`, many("apiKeys", listedApiKey));

/** 4.4. */
export const createApiKey = async (call: Call, body: CreateApiKey) =>
  withSecretApart(await write(call, "POST", apiPath`/api/v1/api-key`, one("apiKey", newApiKey), body));

/** 4.5. */
export async function migrateApiKey(call: Call, body: MigrateApiKey): Promise<Written<ApiKeyRecord>> {
  const hiding = { ...call, secrets: [...(call.secrets ?? []), body.key] };
  const path = apiPath`/api/v1/api-key/migrate`;
  return withSecretApart(await write(hiding, "POST", path, one("apiKey", newApiKey), body), body.key);
}

/** 4.6. */
export const listWorkspaces = async (call: Call) =>
  get(call, apiPath`/api/v1/workspace`, many("workspaces", workspace));

/** 4.7. */
export const readWorkspace = async (call: Call, { workspaceId }: WorkspacePath) =>
  get(call, apiPath`/api/v1/workspace/${workspaceId}`, one("workspace", workspace, workspaceId));

/** 4.8. */
export const editWorkspace = async (call: Call, { workspaceId: id }: WorkspacePath, body: EditWorkspace) =>
  write(call, "PATCH", apiPath`/api/v1/workspace/${id}`, one("workspace", workspace, id), body);

/** 4.9. A repetition may find the key gone (404). */
export const deleteApiKey = async (call: Call, path: ApiKeyPath) =>
  write(call, "DELETE", keyPath(path), one("apiKey", apiKey, path.keyId));

/** 4.10. */
export const listScopes = async (call: Call, { workspaceId }: WorkspacePath) =>
  get(call, apiPath`/api/v1/workspace/${workspaceId}/scopes`, many("scopes", scope));

/** 4.11. */
export const createScope = async (call: Call, { workspaceId }: WorkspacePath, body: CreateScope) =>
  write(call, "POST", apiPath`/api/v1/workspace/${workspaceId}/scope`, one("scope", scope), body);

/** 4.12. On a connection of its own, and repeated only if it was not sent: each POST grants credits. */
export const createBilling = async (call: Call, body: CreateBilling) =>
  write(call, "POST", apiPath`/api/v1/customer-billing`, one("billing", billing), body, true);

// ---- Requests -----------------------------------------------------------------------------------------------------

const keyPath = ({ workspaceId, keyId }: ApiKeyPath) =>
  apiPath`/api/v1/workspace/${workspaceId}/api-key/${keyId}`;

function write<T>(
  call: Call,
  method: ApiRequest<T>["method"],
  path: string,
  expected: Expected<T>,
  body?: object,
  isOnce?: boolean,
): Promise<Written<T>> {
  const { transport, credentials, sending, run } = call;
  const secrets = [credentials.accessToken, ...(call.secrets ?? [])];
  const read = (text: string | undefined) => readAnswer(text, expected, secrets);
  return transport.send({ ...credentials, method, path, isOnce, body, secrets, read, sending, run });
}

async function get<T>({ sending: _, ...call }: Call, path: string, expected: Expected<T>): Promise<T> {
  // The transport throws if the answer to a GET can't be used.
  return (await write(call, "GET", path, expected)).record as T;
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
  readonly decoder: field.Decoder<T>;
  /** The id that was asked for: an answer with another one belongs to another request. */
  readonly id?: string | undefined;
}

const one = <T>(wrapper: string, decoder: field.Decoder<T>, id?: string) => ({ wrapper, decoder, id });

/** Null is an empty list, and so is one that an answer without any field leaves out. */
const many = <T>(wrapper: string, entry: field.Decoder<T>): Expected<readonly T[]> => ({
  wrapper,
  decoder: z.pipe(field.nullAsEmpty, z.array(entry)),
});

function readAnswer<T>(
  body: string | undefined,
  { wrapper, decoder, id }: Expected<T>,
  secrets: readonly string[],
): Written<T> {
  if (body === undefined) return unusable("the answer was cut off, or took too long");
  if (body === "") return { ...unusable("the answer is empty"), noRecord: true };
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
  const place = toDotPath([wrapper, ...(error.issues[0]?.path ?? [])]);
  const problem = `the answer's ${place} is missing or has another type${said ? `: "${said}"` : ""}`;
  return { ...unusable(problem), ...(value === null && !said && { noRecord: true }) };
}

const unusable = (problem: string): Written<never> => ({ record: undefined, problem });

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
