/**
 * What the calls to the service share (interface, part 4). Each object has a file with its records, as the provider
 * uses them: parsed, ids as strings, absent where the service said nothing; with the bodies of its requests, where a
 * field that is `undefined` is not sent; and with its calls. All of them throw only CallError.
 */

import { CallError } from "./callError";
import type { Flaw, Reader } from "./reading";
import type { Policy } from "./retry";
import { withoutSecrets } from "./secrets";
import type { Transport } from "./transport";

/** Where the service is, and the token for it; checked by provider/core/config.ts. */
export interface Credentials {
  readonly baseUrl: string;
  readonly accessToken: string;
}

export interface Call {
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** Secrets that no error may contain, besides the access token and those in the request. */
  readonly secrets?: readonly string[];
  /** Strings that no error may contain, but records may: a secret name is compared with the declared one. */
  readonly concealed?: readonly string[];
  /** Called before each dispatch of a write. */
  readonly sending?: () => void;
}

/** A write that was answered with 2xx. */
export interface Written<T> {
  /** `undefined` when the answer can't be used. */
  readonly record: T | undefined;
  /** Why not, in words fit for an error message: "the answer …". */
  readonly problem?: string;
  readonly flaw?: Flaw;
  /** Whether it may not have been carried out yet: the service answered 202. */
  readonly deferred?: true;
}

const KiB = 1_024;
const MiB = 1_024 * KiB;
/**
 * One record has room for the result of the largest POST: 256 KiB hold 3,500 scopes at most, of 76 bytes each and
 * more. 4 MiB have 1,200 bytes for each of those, for an id, times and whatever else a service adds.
 */
export const limits = { list: 64 * MiB, one: 4 * MiB };
/**
 * No larger POST is sent: the answer might be too large to be read, and the new object would be known to nobody.
 */
export const mostSent = 256 * KiB;

/** How many bytes a value takes in a request. */
export function sentBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

export async function get<T>(call: Call, path: string, read: Reader<T>, maxBytes: number): Promise<T> {
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

export async function write<T>(call: Call, request: Write, read: Reader<T>): Promise<Written<T>> {
  const secrets = [...(call.secrets ?? []), ...(request.secrets ?? [])];
  const reading = await call.transport.send({
    ...call.credentials,
    ...request,
    body: request.body === undefined ? undefined : { ...request.body },
    secrets: [...secrets, ...(call.concealed ?? [])],
    // An edit follows a read: it repeats the ids of scopes, and settings that are not declared.
    maxSent: request.method === "POST" ? mostSent : limits.one,
    maxBytes: limits.one,
    read,
    sending: call.sending,
  });
  const deferred = reading.deferred && { deferred: true as const };
  if (reading.usable) {
    return { record: withoutSecrets(reading.value, [call.credentials.accessToken, ...secrets]), ...deferred };
  }
  const flaw = reading.flaw && { flaw: reading.flaw };
  return { record: undefined, problem: reading.problem, ...flaw, ...deferred };
}

/** The answer's record, unless the write may not have been carried out yet. */
export function recordOf<T>({ record, deferred }: Written<T>): T | undefined {
  return deferred ? undefined : record;
}

/** Guards against an answer that belongs to another request. */
export const only =
  (asked: string, wrapper: string) =>
  (record: { readonly id: string }): string | undefined =>
    record.id === asked ? undefined : `the answer's ${wrapper}.id is not the one asked for`;
