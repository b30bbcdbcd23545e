import type { Endpoint, LoggedRequest } from "./types";

/**
 * What goes wrong in one exchange. "Carried out" means that the request was processed as usual, and a write changed
 * the store; the others never reach the store.
 */
export type Fault =
  /** Not carried out; the connection is reset. */
  | { kind: "resetBefore" }
  /** Carried out; the connection is reset without an answer. */
  | { kind: "resetAfter" }
  /** Carried out; answered with an error. Default status: 500. */
  | { kind: "errorAfter"; status?: number }
  /** Not carried out; answered with this status. Text is sent as text, anything else as JSON; default: an error. */
  | { kind: "status"; status: number; body?: unknown; headers?: Readonly<Record<string, string>> }
  /** Carried out; the headers and half of the body arrive, then the connection is reset. */
  | { kind: "truncated" }
  /** Carried out; 200 with a body that is not JSON, although it begins like it and holds the answer. */
  | { kind: "garbled" }
  /** No answer, ever. Default: not carried out. */
  | { kind: "hang"; carriedOut?: boolean }
  /** Carried out; the body trickles. */
  | { kind: "drip"; bytesPerSecond: number }
  /** Not carried out; 429, with `Retry-After` as given (seconds, or text as is), or without one. */
  | { kind: "rateLimited"; retryAfter?: number | string }
  /** Not carried out; redirected. Default status: 307. */
  | { kind: "redirect"; to: string; status?: 301 | 302 | 303 | 307 | 308 }
  /** Carried out; the answer is padded to about so many bytes. Default: chunked, without a Content-Length. */
  | { kind: "hugeBody"; bytes: number; contentLength?: boolean }
  /** Not carried out; a web page, as a proxy or a login wall would send it. Default status: 200. */
  | { kind: "html"; status?: number }
  /** Carried out; the answer's record is another one: one of the same tenant where there is one, else invented. */
  | { kind: "otherRecord" }
  /** Carried out; the answer of create or migrate lacks the key. */
  | { kind: "withoutKey" }
  /** Carried out; answered without a body. Default status: 200. */
  | { kind: "emptyBody"; status?: number };

/** Which requests meet a fault. Each rule counts the requests that match it; the first rule due is applied. */
export interface FaultRule {
  /** Default: every endpoint. */
  endpoint?: Endpoint | readonly Endpoint[];
  /** For instance "PATCH". Default: every method. */
  method?: string;
  /** A further condition. Default: none. */
  when?: (request: LoggedRequest) => boolean;
  /** So many matching requests are let through first. Default: 0. */
  after?: number;
  /** So many requests meet the fault, Infinity allowed. Default: 1. */
  times?: number;
  fault: Fault;
}

/** The rules in force, in the order in which they were added. */
export interface FaultPlan {
  add(rule: FaultRule): void;
  clear(): void;
  /** The fault that this request meets, if any. To be asked once for each request. */
  next(request: LoggedRequest): Fault | undefined;
}

/** A plan without rules. */
export function createFaultPlan(): FaultPlan {
  let rules: { rule: FaultRule; toSkip: number; left: number }[] = [];
  return {
    add(rule) {
      rules.push({ rule, toSkip: rule.after ?? 0, left: rule.times ?? 1 });
    },
    clear() {
      rules = [];
    },
    next(request) {
      let found: Fault | undefined;
      for (const entry of rules) {
        if (!matches(entry.rule, request)) continue;
        if (entry.toSkip > 0) entry.toSkip -= 1;
        else if (found === undefined && entry.left > 0) {
          entry.left -= 1;
          found = entry.rule.fault;
        }
      }
      rules = rules.filter((entry) => entry.left > 0);
      return found;
    },
  };
}

function matches({ endpoint, method, when }: FaultRule, request: LoggedRequest): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (
    endpoint !== undefined &&
    !([] as (Endpoint | "unknown")[]).concat(endpoint).includes(request.endpoint)
  ) {
    return false;
  }
  return when === undefined || when(request);
}
