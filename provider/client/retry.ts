import type { CallOutcome } from "./outcome";

/**
 * When a request may be repeated.
 * - `always`: GET, DELETE, and PATCH (it carries full target values);
 * - `unsent`: POST of a key or scope: only what was not sent, or was answered with 429;
 * - `never`: POST of credits: only what was not sent.
 */
export type Policy = "always" | "unsent" | "never";

export const retryLimits = {
  attempts: 4,
  /** From the first dispatch, queueing and pauses apart. */
  totalMs: 60_000,
  /** No attempt starts with less time than this. */
  leastMs: 1_000,
  backOffFirstMs: 250,
  backOffMostMs: 8_000,
  /** How long one call waits for its pace in all. */
  pauseMs: 600_000,
} as const;

/** What a call has used up. */
export interface Spent {
  /** Attempts so far, not counting those answered with 429. */
  readonly attempts: number;
  /** Answers with 429. */
  readonly throttled: number;
  /** Time in exchanges and back-off. */
  readonly activeMs: number;
  /** Time in pauses of the service's choosing. */
  readonly pausedMs: number;
}

export type Decision =
  /** The failure is final. `why` follows its phrase and "and": what else cut the attempts short. */
  | { readonly act: "stop"; readonly why?: string }
  /** Another attempt after a back-off. */
  | { readonly act: "repeat"; readonly afterMs: number }
  /** Another try once the origin's pause is over; not counted as an attempt. */
  | { readonly act: "pause"; readonly forMs: number };

/** What went wrong: an outcome other than "done", or an answer to a GET that can't be used. */
export type CallFailure =
  | Exclude<CallOutcome, { readonly kind: "done" }>
  | {
      readonly kind: "unusable";
      readonly phrase: string;
      readonly status: number;
      /** True when another attempt would get the same. */
      readonly lasting: boolean;
      /** Whether it has nothing where the record should be. */
      readonly noRecord?: boolean;
    };

const ceilingMs = (failures: number): number =>
  Math.min(retryLimits.backOffMostMs, retryLimits.backOffFirstMs * 2 ** (failures - 1));

/** Exponential back-off with full jitter; `random` is in [0, 1). */
export function backOffMs(failures: number, random: number): number {
  return Math.floor(random * ceilingMs(failures));
}

/** How long a 429 pauses its origin: what the service asked for, but never nothing. */
export function pauseMs(askedMs: number | undefined, throttled: number, random: number): number {
  const own = Math.floor((0.5 + random / 2) * ceilingMs(throttled));
  return Math.max(askedMs ?? 0, own);
}

const askedToWait = (ms: number): string => `asked to wait ${Math.ceil(ms / 1000)} s`;

function isRepeatable(policy: Policy, failure: CallFailure): boolean {
  if (failure.kind === "notSent") return !failure.lasting;
  if (policy !== "always") return false;
  return failure.kind === "ambiguous" || (failure.kind === "unusable" && !failure.lasting);
}

/** Decides what follows a failure. Pure: `random` in [0, 1) is drawn by the caller. */
export function decide(policy: Policy, failure: CallFailure, spent: Spent, random: number): Decision {
  if (failure.kind === "throttled") return afterThrottle(policy, failure.askedMs, spent, random);
  if (!isRepeatable(policy, failure)) return { act: "stop" };
  if (spent.attempts >= retryLimits.attempts) return { act: "stop" };
  const left = retryLimits.totalMs - spent.activeMs;
  const asked = failure.kind === "ambiguous" ? (failure.askedMs ?? 0) : 0;
  const afterMs = Math.max(asked, backOffMs(spent.attempts, random));
  if (afterMs + retryLimits.leastMs <= left) return { act: "repeat", afterMs };
  return asked > 0 ? { act: "stop", why: askedToWait(asked) } : { act: "stop" };
}

function afterThrottle(policy: Policy, askedMs: number | undefined, spent: Spent, random: number): Decision {
  const forMs = pauseMs(askedMs, spent.throttled, random);
  if (policy !== "never" && forMs <= retryLimits.pauseMs - spent.pausedMs) return { act: "pause", forMs };
  return askedMs === undefined ? { act: "stop" } : { act: "stop", why: askedToWait(askedMs) };
}
