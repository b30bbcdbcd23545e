import type { IncomingHttpHeaders } from "node:http";
import type { Endpoint } from "./types";

/**
 * The kinds of faults, each with its options. "Carried out" means that the request is processed as usual, and a write
 * changes the store. A request that is not carried out never reaches the store.
 */
export interface Faults {
  /** Not carried out; the connection is reset. */
  resetBefore: object;
  /** Carried out; the connection is reset without an answer. */
  resetAfter: object;
  /** Carried out; answered with an error. */
  errorAfter: {
    /** The status of the answer. Default: 500. */
    status?: number;
  };
  /** Carried out twice, as by a proxy that repeats a request; answered like the second time. */
  twice: object;
  /** Not carried out; answered with `status`. */
  status: {
    /** The status of the answer. */
    status: number;
    /** The body: a string is sent as plain text, anything else as JSON. Default: an error. */
    body?: unknown;
    /** Headers that are added to the answer, or replace its own. Default: none. */
    headers?: Readonly<Record<string, string>>;
  };
  /** Carried out; the headers and half of the body arrive, then the connection is reset. */
  truncated: object;
  /** Carried out; 200 with a body that starts like JSON and contains the answer, but is not JSON. */
  garbled: object;
  /** No answer, ever. */
  hang: {
    /** Whether the request is carried out. Default: false. */
    carriedOut?: boolean;
  };
  /** Carried out; the body arrives slowly. */
  drip: {
    /** How fast the body arrives. */
    bytesPerSecond: number;
  };
  /** Carried out; the answer is padded to about `bytes`. */
  hugeBody: {
    /** The size of the body; can be Infinity. */
    bytes: number;
  };
  /** Carried out; the answer has another record of the same tenant or, if there is none, an invented one. */
  otherRecord: object;
  /** Carried out; the answer of create or migrate lacks the key. */
  withoutKey: object;
  /** Not carried out, but answered as if it were; an invalid request is still refused. */
  withoutEffect: {
    /** The body: the record as it is (not for POST), no body, or `{}`. Default: the variant's own answer. */
    answer?: "before" | "nothing" | "emptyObject";
    /** The status of the answer. Default: the variant's own. */
    status?: number;
  };
  /** Carried out; answered without a body. */
  emptyBody: {
    /** The status of the answer. Default: 200. */
    status?: number;
  };
}

/**
 * A fault in one exchange: its kind, and the options of that kind.
 *
 * @see docs/testing.md
 */
export type Fault = {
  [Kind in keyof Faults]: Faults[Kind] & {
    /** The kind of the fault. */
    kind: Kind;
  };
}[keyof Faults];

/**
 * The requests that get a fault. Each rule counts the requests that match it; if several rules apply to a request, the
 * first one does.
 */
export interface FaultRule {
  /** Only requests to this endpoint, or to these. Default: every endpoint. */
  endpoint?: Endpoint | readonly Endpoint[];
  /**
   * Only requests for which this returns true. What it throws is an uncaught exception, which test runners report.
   * Default: every request.
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
export class FaultPlan {
  #rules: { readonly rule: FaultRule; toSkip: number; left: number }[] = [];

  add(rule: FaultRule): void {
    this.#rules.push({ rule, toSkip: rule.after ?? 0, left: rule.times ?? 1 });
  }

  clear(): void {
    this.#rules = [];
  }

  /** The fault for this request, if any. Call it once for each request. */
  next(request: LoggedRequest): Fault | undefined {
    let found: Fault | undefined;
    for (const entry of this.#rules.filter(({ rule }) => matches(rule, request))) {
      if (entry.toSkip > 0) entry.toSkip -= 1;
      else if (found === undefined) {
        entry.left -= 1;
        found = entry.rule.fault;
      }
    }
    this.#rules = this.#rules.filter(({ left }) => left > 0);
    return found;
  }
}

function matches({ endpoint, when }: FaultRule, request: LoggedRequest): boolean {
  if (endpoint !== undefined && ![endpoint].flat().some((each) => each === request.endpoint)) return false;
  return when === undefined || when(request);
}

/** A request that the stand-in received. It is logged when its body has arrived; the answer is added later. */
export interface LoggedRequest {
  /** The request's number: 1 for the first one since the start or the last `clearRequests`. */
  readonly n: number;
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
