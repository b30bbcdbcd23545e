/** What follows an attempt that failed, as a table, which docs/configuration.md#retries shows. */
import type { Method } from "./wire";

/**
 * The outcome of a call that failed:
 * - `notSent`: no byte of it reached the service;
 * - `refused`: the service answered 3xx or 4xx, or an id can't be part of a URL, and nothing was done;
 * - `ambiguous`: it may or may not have been carried out or, for a GET, has no usable answer.
 */
export type Verdict = "notSent" | "refused" | "ambiguous";

/** What an answer that is not a 2xx says. */
export function verdictAfter(method: Method, status: number): Verdict {
  // "It exists already" may answer what something on the way has repeated, and "the result is over there" a success.
  if (method === "POST" && [302, 303, 409].includes(status)) return "ambiguous";
  // 499: a gateway stopped waiting for the service.
  return status === 408 || status === 499 || status >= 500 ? "ambiguous" : "refused";
}

/** What is known of an attempt that failed. */
export interface Known {
  readonly verdict: Verdict;
  /** `undefined` if there was no answer. */
  readonly status: number | undefined;
  /** Whether the answer has a Retry-After. */
  readonly asksToWait: boolean;
  /** Whether the service may have been busy with another write, or with an earlier attempt of this one. */
  readonly wasBusy: boolean;
}

/** `wait`: send it again after a wait, however often; `again`: send it again as one of the attempts. */
export type Next = "wait" | "again" | "give up";

/** For a GET; a PATCH or DELETE; a POST; a POST of credits. */
type Nexts = readonly [Next, Next, Next, Next];

/** The first row that fits what is known decides. */
export const retries: readonly (Partial<Known> & { readonly next: Nexts })[] = [
  { verdict: "notSent", next: ["again", "again", "again", "again"] },
  { status: 429, next: ["wait", "wait", "wait", "give up"] },
  { status: 403, asksToWait: true, next: ["wait", "wait", "wait", "give up"] },
  { status: 503, asksToWait: true, next: ["wait", "wait", "give up", "give up"] },
  { verdict: "ambiguous", next: ["again", "again", "give up", "give up"] },
  { status: 409, wasBusy: true, next: ["give up", "again", "give up", "give up"] },
  { next: ["give up", "give up", "give up", "give up"] },
];

/** What follows. `isForAll`: all requests to the service wait first, whether or not this one is repeated. */
export function retryDecision(method: Method, isOnce: boolean, known: Known) {
  const names = ["verdict", "status", "asksToWait", "wasBusy"] as const;
  const fits = (row: Partial<Known>) => names.every((name) => (row[name] ?? known[name]) === known[name]);
  const [get, edit, post, grant] = (retries.find(fits) as (typeof retries)[number]).next;
  const next = { GET: get, PATCH: edit, DELETE: edit, POST: isOnce ? grant : post }[method];
  return { next, isForAll: get === "wait" };
}
