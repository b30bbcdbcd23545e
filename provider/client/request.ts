/** One request to the service: its path and body, and what its answer has to contain. Throws only CallError. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { toDotPath } from "zod/v4/core";
import { type Decoder, nullAsEmpty } from "./decode";
import { restOf } from "./pages";
import {
  type ApiRequest,
  CallError,
  type Credentials,
  type RunOfCall,
  type Transport,
  type Written,
} from "./send";
import { errorText } from "./words";

export interface Call {
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** The values that no message may contain, besides the access token and the key in the request. */
  readonly secrets?: Iterable<string> | undefined;
  readonly run?: RunOfCall | undefined;
}

// ---- Requests -----------------------------------------------------------------------------------------------------

export function request<T>(
  call: Call,
  method: ApiRequest<T>["method"],
  path: string,
  expected: Expected<T>,
  body?: object,
  isOnce?: boolean,
): Promise<Written<T>> {
  const { transport, credentials, run } = call;
  const secrets = [credentials.accessToken, ...(call.secrets ?? [])];
  const read = (text: string | undefined, headers?: object) => readAnswer(text, headers, expected, secrets);
  return transport.send({ ...credentials, method, path, isOnce, body, secrets, read, run });
}

export async function get<T>(call: Call, path: string, expected: Expected<T>): Promise<T> {
  // The transport throws if the answer to a GET can't be used.
  return (await request(call, "GET", path, expected)).record as T;
}

const mostPages = 100;

/** Reads a list, with the pages whose URLs the service gives: only the query counts, and no other path is asked. */
export async function list<T>(call: Call, path: string, expected: Expected<readonly T[]>) {
  const pages: (readonly T[])[] = [];
  const asked = new Set<string>();
  for (let query = ""; ; ) {
    const { record = [], beside = {} } = await request(call, "GET", path + query, expected);
    pages.push(record);
    asked.add(query);
    const { isWhole, next } = restOf(beside, pages, call.credentials.baseUrl);
    if (next === "" || asked.has(next) || asked.size === mostPages) return { all: pages.flat(), isWhole };
    query = next;
  }
}

/** Whether an id can be part of a path. A program in JavaScript may give something else than a string. */
export function isPathSegment(id: unknown): boolean {
  return typeof id === "string" && !/^\.{0,2}$|[\p{Cc}\p{Cs}]/u.test(id);
}

/** The path of a request. One with an id that would lead to another path is a CallError "refused". */
export function apiPath(fixed: TemplateStringsArray, ...ids: string[]): string {
  if (!ids.every(isPathSegment))
    throw new CallError(
      "refused",
      'an id is not a string, is empty, "." or "..", or has a control character',
    );
  return String.raw({ raw: fixed }, ...ids.map(encodeURIComponent));
}

// ---- Answers ------------------------------------------------------------------------------------------------------

/** The value of the property `wrapper` of an answer. */
interface Expected<T> {
  readonly wrapper: string;
  readonly decoder: Decoder<T>;
  /** The id that was asked for: an answer with another one belongs to another request. */
  readonly id?: string | undefined;
}

export const one = <T>(wrapper: string, decoder: Decoder<T>, id?: string) => ({ wrapper, decoder, id });

/** Null is an empty list, and so is one that an answer without any field leaves out. */
export const many = <T>(wrapper: string, entry: Decoder<T>): Expected<readonly T[]> => ({
  wrapper,
  decoder: z.pipe(nullAsEmpty, z.array(entry)),
});

function readAnswer<T>(
  body: string | undefined,
  headers: object | undefined,
  { wrapper, decoder, id }: Expected<T>,
  secrets: readonly string[],
): Written<T> {
  if (body === undefined) return unusable("the answer was cut off, or took too long");
  if (body === "") return { ...unusable("the answer is empty"), noRecord: true };
  let answer: unknown;
  try {
    answer = /[:[,]\s*-?\d{16}/.test(body) ? JSON.parse(body, keepDigits) : JSON.parse(body);
  } catch {
    if (/^\s*<(!doctype|html)\b/i.test(body)) return unusable("the answer is a page of HTML, not JSON");
    const isText = !body.includes("\ufffd");
    return unusable(
      isText ? "the answer is not JSON" : "the answer is not text: it may be compressed in an unknown way",
    );
  }
  const fields = typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>) : {};
  const value = isDeepStrictEqual(answer, {}) ? null : fields[wrapper];
  const { data, error } = decoder.safeParse(value);
  if (error === undefined) {
    const isAnother = id !== undefined && (data as { readonly id?: unknown }).id !== id;
    if (isAnother) return unusable(`the answer's ${wrapper}.id is not the one asked for`);
    return { record: data, beside: { headers, fields: { ...fields, [wrapper]: undefined } } };
  }
  const said = errorText(body, secrets, true);
  const place = toDotPath([wrapper, ...(error.issues[0]?.path ?? [])]);
  const problem = `the answer's ${place} is missing or has another type${said ? `: "${said}"` : ""}`;
  return { ...unusable(problem), ...(value === null && !said && { noRecord: true }) };
}

/** A whole number that JavaScript would round, such as a long id, stays text: another object may have the rounded one. */
function keepDigits(_name: string, value: unknown, context?: { readonly source: string }): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source : value;
}

const unusable = (problem: string): Written<never> => ({ record: undefined, problem });
