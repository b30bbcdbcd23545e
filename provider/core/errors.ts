import * as manifest from "../../package.json";
import { CallError } from "../client/send";
import type { Kept } from "./state";
import { oneLine, sentences } from "./text";

/**
 * The only error that leaves a lifecycle operation. Its message is for the user: what failed, what the service said, what
 * state has now, and what to do.
 */
export class Failure extends Error {
  /** What the engine should save although the operation failed, because the object exists. */
  readonly kept: Kept | undefined;
  /** Whether the service may have an object that is not in state, which the user must be told. */
  readonly unresolved: boolean;
  /** The first line of the message. */
  readonly headline: string;
  /** The headline without the object's name, so that many objects can share it; `found` goes into it. */
  readonly reason: ((found: string) => string) | undefined;
  /** The part of the headline about this object alone: the ids that a search found. */
  readonly found: string;
  /** The other lines, one for each object. */
  readonly lines: readonly string[];

  constructor(message: string, options: FailureOptions = {}) {
    const { kept, unresolved = false, reason, found = "", lines = [] } = options;
    const [headline, ...others] = [message, ...lines].map(oneLine) as [string, ...string[]];
    super([headline, ...others].join("\n"));
    this.kept = kept;
    this.unresolved = unresolved;
    this.headline = headline;
    this.reason = reason;
    this.found = found;
    this.lines = others;
    this.stack = this.message;
  }
}

type FailureOptions = Partial<Pick<Failure, "kept" | "unresolved" | "reason" | "found" | "lines">>;

/** The same failure with each line of its message rewritten. */
export function reworded(failure: Failure, reword: (line: string) => string): Failure {
  const { headline, lines, reason, found, ...rest } = failure;
  const of = reason && ((all: string) => reword(reason(all)));
  return new Failure(reword(headline), {
    ...rest,
    reason: of,
    found: reword(found),
    lines: lines.map(reword),
  });
}

/** The service's answers don't show what it has. The message is a phrase to follow what was tried. */
export class InconclusiveError extends Error {
  /** What to do. */
  readonly advice: string | undefined;

  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
    this.stack = message;
  }
}

/** The words of a message about a call that failed. */
export interface CallWords {
  /** What was tried, on what: `Creating key "ci" in workspace ws_1`. */
  readonly doing: string;
  /** The outcome if the service certainly did not do it. */
  readonly notDone: string;
  /** The outcome if the service may have done it, and what to do. Default: `notDone`, followed by `again`. */
  readonly unclear?: string;
  /** What to do if the service refused, or may have. Default: `again`. */
  readonly advice?: string;
  /** What to do in all other cases. Default: run the command again, and what to check if that doesn't help. */
  readonly again?: string;
}

/** The parts of the configuration that messages quote. */
export interface Setup {
  /** What to do about a refused access token. */
  readonly tokenAdvice: string;
  /** Where the base URL comes from, in words. */
  readonly baseUrlSource: string;
  /** Whether the user vouches that keys can't be listed (APIKEYS_NO_KEY_LIST). */
  readonly withoutKeyList: boolean;
}

/** A Session, or what a function has in its place. */
interface Endpoint {
  readonly setup: Pick<Setup, "tokenAdvice" | "baseUrlSource">;
}

const route = ({ setup }: Endpoint) =>
  `the base URL (${setup.baseUrlSource}), and any proxy or gateway in between`;

/** What else to do if another server may have answered. */
export function ifElsewhere(endpoint: Endpoint): string {
  return `If that doesn't help, check ${route(endpoint)}`;
}

/** Whether another server may have answered, or the service at another path: a redirect, or no such path or method. */
const isFromElsewhere = (status = 0) => status < 400 || status === 404 || status === 405;

/** Turns a CallError or an InconclusiveError into the message for the user. Any other error is a bug, and is thrown. */
export function explain(error: unknown, endpoint: Endpoint, words: CallWords): Failure {
  const { reason, unresolved } = reasonOf(error, endpoint, words);
  return new Failure(`${words.doing}: ${reason}`, { reason: () => reason, unresolved });
}

/** Awaits a call. If it fails, throws the message for the user. */
export async function orFail<T>(call: Promise<T>, endpoint: Endpoint, words: CallWords): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw explain(error, endpoint, words);
  }
}

/** The same as `explain`, without what was tried. */
export function reasonOf(error: unknown, endpoint: Endpoint, words: Omit<CallWords, "doing">) {
  const {
    notDone,
    unclear,
    again = `Run the command again; if it fails the same way, check ${route(endpoint)}`,
  } = words;
  if (error instanceof InconclusiveError)
    return { reason: sentences(error.message, notDone, error.advice ?? again), unresolved: false };
  if (!(error instanceof CallError)) throw error;
  const { message, status, verdict } = error;
  const unresolved = verdict === "ambiguous" && unclear !== undefined;
  const advice = verdict === "refused" ? words.advice : undefined;
  const where = advice && isFromElsewhere(status) ? ifElsewhere(endpoint) : undefined;
  const otherwise = unresolved ? ifRefused(error, words.advice) : (advice ?? again);
  const todo =
    status === 401 ? endpoint.setup.tokenAdvice : status === 429 ? "Run the command again later" : otherwise;
  const ifBusy = advice && status === 409 ? ifOneAtATime : undefined;
  return { reason: sentences(message, unresolved ? unclear : notDone, todo, where, ifBusy), unresolved };
}

/** What to do after a 409, which may answer a request that a proxy has repeated. */
export function ifRefused({ status }: CallError, advice: string | undefined): string | undefined {
  return status === 409 && advice
    ? sentences(`If the service refused it: ${advice}`, ifOneAtATime)
    : undefined;
}

const ifOneAtATime =
  "If the service refuses several changes at a time, run the command with the option `--parallel 1`";

/** A release writes it into package.json. */
const { url } = (manifest as { readonly bugs?: { readonly url: string } }).bugs ?? { url: undefined };

/** What to do about a bug of this package, and where. */
export function askForReport(address = url): string {
  return address ? `please report it at ${address}` : "please report it";
}
