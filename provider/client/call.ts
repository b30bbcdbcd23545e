/**
 * What the calls to the service share (interface, part 4). Each object has a file with its records, as the provider
 * uses them: parsed, ids as strings, absent where the service said nothing; with the bodies of its requests, where a
 * field that is `undefined` is not sent; and with its calls. All of them throw only CallError.
 */

import type { Reader, Reading } from "./reading";
import { withoutSecrets } from "./secrets";
import type { ApiRequest, Transport } from "./transport";

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
  readonly maskedInMessages?: readonly string[];
  /** Called before each dispatch of a write. */
  readonly sending?: () => void;
}

/** A write that was answered with 2xx. */
export type Written<T> = Omit<Reading<T>, "lasting" | "noRecord">;

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

type Request = Pick<ApiRequest<unknown>, "method" | "path" | "policy"> &
  Partial<Pick<ApiRequest<unknown>, "body" | "secrets" | "maxBytes">>;

export async function send<T>(call: Call, request: Request, read: Reader<T>): Promise<Reading<T>> {
  const { transport, credentials, maskedInMessages = [], sending } = call;
  const secrets = [...(call.secrets ?? []), ...(request.secrets ?? [])];
  const reading = await transport.send({
    maxBytes: limits.one,
    ...credentials,
    ...request,
    secrets: [...secrets, ...maskedInMessages],
    // An edit follows a read: it repeats the ids of scopes, and settings that are not declared.
    maxSent: request.method === "POST" ? mostSent : limits.one,
    read,
    sending,
  });
  return { ...reading, record: withoutSecrets(reading.record, [credentials.accessToken, ...secrets]) };
}

export async function get<T>(call: Call, path: string, read: Reader<T>, maxBytes = limits.one): Promise<T> {
  const { record } = await send(call, { method: "GET", path, policy: "always", maxBytes }, read);
  // The transport throws if the answer to a GET can't be used.
  return record as T;
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
