import type { IncomingHttpHeaders } from "node:http";
import type { Endpoint } from "./types";

/** Headers by name; several values send several headers. */
export type FaultHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * A fault in one exchange. "Carried out" means that the request is processed as usual, and a write changes the store. A
 * request that is not carried out never reaches the store.
 *
 * @see docs/testing.md
 */
export type Fault =
  | {
      /** Not carried out; the connection is reset. */
      kind: "resetBefore";
    }
  | {
      /** Carried out; the connection is reset without an answer. */
      kind: "resetAfter";
    }
  | {
      /** Carried out; answered with an error. */
      kind: "errorAfter";
      /** The status of the answer. Default: 500. */
      status?: number;
    }
  | {
      /** Not carried out; answered with `status`. */
      kind: "status";
      /** The status of the answer. */
      status: number;
      /** The body: a string is sent as plain text, anything else as JSON. Default: an error. */
      body?: unknown;
      /** Headers that are added to the answer, or replace its own. Default: none. */
      headers?: FaultHeaders;
    }
  | {
      /** Carried out; the headers and half of the body arrive, then the connection is reset. */
      kind: "truncated";
    }
  | {
      /** Carried out; 200 with a body that starts like JSON and contains the answer, but is not JSON. */
      kind: "garbled";
    }
  | {
      /** No answer, ever. */
      kind: "hang";
      /** Whether the request is carried out. Default: false. */
      carriedOut?: boolean;
    }
  | {
      /** Carried out; the body arrives slowly. */
      kind: "drip";
      /** How fast the body arrives. */
      bytesPerSecond: number;
    }
  | {
      /** Not carried out; answered with 429. */
      kind: "rateLimited";
      /** The header `Retry-After`: a number of seconds, or a string that is sent as it is. Default: no such header. */
      retryAfter?: number | string;
    }
  | {
      /** Not carried out; redirected. */
      kind: "redirect";
      /** The header `Location`. */
      to: string;
      /** The status of the answer. Default: 307. */
      status?: 301 | 302 | 303 | 307 | 308;
    }
  | {
      /** Carried out; the answer is padded to about `bytes`. */
      kind: "hugeBody";
      /** The size of the body; can be Infinity. */
      bytes: number;
      /** Whether to send a Content-Length. Default: false, the answer is chunked. */
      contentLength?: boolean;
    }
  | {
      /** Not carried out; a web page, as a proxy or a login page would send it. */
      kind: "html";
      /** The status of the answer. Default: 200. */
      status?: number;
    }
  | {
      /**
       * Carried out; the answer has a different record: another one of the same tenant or, if there is none, an
       * invented one.
       */
      kind: "otherRecord";
    }
  | {
      /** Carried out; the answer of create or migrate lacks the key. */
      kind: "withoutKey";
    }
  | {
      /** Carried out; the keys in the answer are marked as deleted. */
      kind: "markedDeleted";
    }
  | {
      /** Not carried out, but answered as if it were; an invalid request is still refused. */
      kind: "withoutEffect";
      /**
       * The body: the record after the change, the record as it is (not for POST), no body, or `{}`. Default: the
       * variant's own answer.
       */
      answer?: "after" | "before" | "nothing" | "emptyObject";
      /** The status of the answer. Default: the variant's own. */
      status?: number;
    }
  | {
      /** Carried out; answered without a body. */
      kind: "emptyBody";
      /** The status of the answer. Default: 200. */
      status?: number;
    }
  | {
      /** Carried out; the answer has more headers. */
      kind: "headers";
      /** Headers that are added to the answer, or replace its own. */
      headers: FaultHeaders;
    }
  | {
      /** Carried out; each record in the answer has more fields. */
      kind: "moreFields";
      /** The text after the fields of each record, such as `"id":1,"id":2`. It need not be valid JSON. */
      json: string;
    }
  | {
      /** Carried out; `bytes` are sent instead of an answer, then the connection is closed. */
      kind: "raw";
      /** The bytes to send. */
      bytes: string;
    };

/**
 * The requests that get a fault. Each rule counts the requests that match it; if several rules apply to a request, the
 * first one does.
 */
export interface FaultRule {
  /** Only requests to this endpoint, or to these. Default: every endpoint. */
  endpoint?: Endpoint | readonly Endpoint[];
  /** Only requests with this method, such as "PATCH". Default: every method. */
  method?: string;
  /**
   * Only requests for which this returns true. If it throws, the request is not carried out and gets a 500 with the
   * error's message. Default: every request.
   */
  when?: (request: LoggedRequest) => boolean;
  /** How many matching requests pass before the rule applies. Default: 0. */
  after?: number;
  /** How many requests get the fault; can be Infinity. Default: 1. */
  times?: number;
  /** The fault that the requests get. */
  fault: Fault;
}

/** The active rules, in the order in which they were added. */
export interface FaultPlan {
  add(rule: FaultRule): void;
  clear(): void;
  /** The fault for this request, if any. Call it once for each request. */
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
        try {
          if (!matches(entry.rule, request)) continue;
        } catch (error) {
          return { kind: "status", status: 500, body: { message: `\`when\` of a fault threw: ${error}` } };
        }
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

/** A request that the stand-in received. It is logged when its body has arrived; the answer is added later. */
export interface LoggedRequest {
  /** The request's number: 1 for the first one since the start or the last `clearRequests`. */
  readonly n: number;
  /** When the request arrived, in milliseconds since 1970. */
  readonly at: number;
  /** The method, such as "GET". */
  readonly method: string;
  /** The path as sent: percent-encoded, with the query if there is one. */
  readonly path: string;
  /** The endpoint; "unknown" for any other path or method. */
  readonly endpoint: Endpoint | "unknown";
  /** The name of the tenant whose token was sent; undefined if the token was missing or wrong. */
  readonly tenant: string | undefined;
  /** The parsed body; a string if it is not JSON; undefined if there was none. */
  readonly body: unknown;
  /** The headers as sent, without `authorization`. */
  readonly headers: IncomingHttpHeaders;
  /** The number of the TCP connection, counted from 1. Shows whether a connection was reused. */
  readonly connection: number;
  /** The status of the answer; 0 while there is none, or if the connection was cut without one. */
  readonly status: number;
  /** The kind of the fault that the request got; undefined if none. */
  readonly fault: Fault["kind"] | undefined;
  /** True for a write that changed the store, or will change it, whether or not its answer arrived. */
  readonly carriedOut: boolean;
}
