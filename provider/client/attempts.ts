import { CallError } from "./callError";
import type { Clock } from "./clock";
import { errorInPlace } from "./errorText";
import { type CallOutcome, classify, type Exchange, type Unreadable } from "./outcome";
import type { Pace, Turn } from "./pace";
import type { Reader, Reading } from "./reading";
import { type CallFailure, decide, type Policy, pauseMs, retryLimits } from "./retry";

/** A call as its attempts see it. */
export interface Attempted<T> {
  readonly method: string;
  readonly url: string;
  readonly policy: Policy;
  readonly secrets: readonly string[];
  readonly fieldNames: readonly string[];
  readonly read: Reader<T>;
  /** Why it may not be sent now, if so. */
  readonly barred: () => Promise<string | undefined>;
  /** One exchange on the wire, over after so many milliseconds. */
  readonly exchange: (leftMs: number) => Promise<Exchange>;
  /** Told of each exchange when it is over. */
  readonly note: (result: Exchange, attempt: number, tookMs: number) => void;
}

/** What all calls share. */
export interface Shared {
  readonly clock: Clock;
  readonly random: () => number;
  readonly pace: Pace;
}

/** Repeats a call for as long as `decide` wants it, and returns the answer or throws the CallError. */
export async function attempt<T>(call: Attempted<T>, shared: Shared): Promise<Reading<T>> {
  const { clock, pace } = shared;
  const spent = { attempts: 0, throttled: 0, activeMs: 0, pausedMs: 0 };
  let mayBeDone = false;

  async function once(turn: Turn, draw: number): Promise<CallOutcome> {
    try {
      const result = await call.exchange(retryLimits.totalMs - spent.activeMs);
      const tookMs = clock.now() - turn.dispatchedAt;
      const classified = classify(result, { ...call, wallNow: clock.wallNow() });
      const outcome = pace.skipsPauses ? unpaced(classified, call.policy) : classified;
      const throttled = outcome.kind === "throttled";
      spent[throttled ? "throttled" : "attempts"] += 1;
      spent[throttled ? "pausedMs" : "activeMs"] += tookMs;
      call.note(result, spent.attempts + spent.throttled, tookMs);
      if (throttled) pace.throttled(turn, pauseMs(outcome.askedMs, spent.throttled, draw));
      if (outcome.kind === "done" || outcome.kind === "refused") pace.succeeded();
      return outcome;
    } finally {
      pace.leave();
    }
  }

  for (;;) {
    const turn = await pace.enter(retryLimits.pauseMs - spent.pausedMs, spent.attempts + spent.throttled > 0);
    if (!("dispatchedAt" in turn)) {
      const asked = `the service asked to wait another ${Math.ceil(turn.pauseLeftMs / 1000)} s`;
      throw new CallError(mayBeDone ? "ambiguous" : "notSent", asked, spent.throttled > 0 ? 429 : undefined);
    }
    spent.pausedMs += turn.pausedMs;
    const why = await call.barred();
    if (why !== undefined) {
      pace.leave();
      const first = spent.attempts + spent.throttled === 0;
      const what = first ? "nothing was sent" : "the request was not sent again";
      throw new CallError(mayBeDone ? "ambiguous" : "notSent", `${what}, because ${why}`);
    }
    const draw = shared.random();
    const outcome = await once(turn, draw);
    let failure: CallFailure;
    if (outcome.kind === "done") {
      const reading = readingOf(call, outcome.body);
      // A write that was answered with 2xx is over, whatever the answer looks like.
      if (reading.record !== undefined || call.method !== "GET") {
        return outcome.status === 202 ? { ...reading, deferred: true } : reading;
      }
      const phrase = `the service answered ${outcome.status}, but ${reading.problem}`;
      const { lasting = false, noRecord = false } = reading;
      failure = { kind: "unusable", status: outcome.status, phrase, lasting, noRecord };
    } else {
      failure = outcome;
    }
    if (failure.kind === "ambiguous" && call.method !== "GET") mayBeDone = true;
    const decision = decide(call.policy, failure, spent, draw);
    if (decision.act === "stop") throw callError(failure, decision.why, mayBeDone);
    if (decision.act === "repeat") {
      spent.activeMs += decision.afterMs;
      await pace.rest(decision.afterMs);
    }
  }
}

/** Once no call waits for pauses any more, a 429 is an attempt like any other. */
function unpaced(outcome: CallOutcome, policy: Policy): CallOutcome {
  if (outcome.kind !== "throttled") return outcome;
  const { phrase } = outcome;
  return policy === "always"
    ? { kind: "ambiguous", phrase, status: 429, askedMs: undefined }
    : { kind: "refused", phrase, status: 429 };
}

function readingOf<T>({ read, secrets, fieldNames }: Attempted<T>, body: Buffer | Unreadable): Reading<T> {
  const reading = read(body);
  const { problem, flaw } = reading;
  if (problem === undefined || flaw !== undefined || !Buffer.isBuffer(body) || body.length === 0)
    return reading;
  const said = errorInPlace(new TextDecoder().decode(body), secrets, fieldNames);
  return said ? { record: undefined, problem: `${problem}: "${said}"`, flaw: "error" } : reading;
}

const verdicts = {
  notSent: "notSent",
  refused: "refused",
  throttled: "refused",
  ambiguous: "ambiguous",
  unusable: "invalidAnswer",
} as const;

/** `mayBeDone`: this attempt or an earlier one may have been carried out. */
function callError(failure: CallFailure, why: string | undefined, mayBeDone: boolean): CallError {
  const status = failure.kind === "notSent" ? undefined : failure.kind === "throttled" ? 429 : failure.status;
  const phrase = why === undefined ? failure.phrase : `${failure.phrase} and ${why}`;
  if (!mayBeDone || failure.kind === "ambiguous") {
    return new CallError(verdicts[failure.kind], phrase, status, failure.kind === "unusable" ? failure : {});
  }
  return new CallError("ambiguous", `${phrase}; an earlier attempt may have succeeded`, status);
}
