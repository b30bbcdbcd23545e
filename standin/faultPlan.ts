import type { Fault } from "./faults";
import type { Endpoint, LoggedRequest } from "./types";

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
