import { CallError } from "../client/callError";
import type { Properties } from "./state";

/**
 * The only error that leaves a lifecycle operation. Its message is a line for the user: what failed, what the
 * service said, what is in state now, and what to do.
 */
export class Failure extends Error {
  /** The state that the engine should keep although the operation failed: the object exists. */
  readonly kept: Kept | undefined;
  /** Whether the service may have an object that is not in state: the user must be told. */
  readonly unresolved: boolean;
  /** The first line of the message. */
  readonly headline: string;
  /** The headline without what names the object, but for what was found of it: many objects may have the same. */
  readonly reason: ((found: string) => string) | undefined;
  readonly found: string;
  /** Further lines, one for each object. */
  readonly lines: readonly string[];

  constructor(message: string, options: FailureOptions = {}) {
    const { kept, unresolved = false, reason, found = "", lines = [] } = options;
    const [headline, ...others] = [message, ...lines].map(oneLine) as [string, ...string[]];
    super([headline, ...others].join("\n"));
    this.name = "Failure";
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

/** The same failure with each line of its message turned into another. */
export function reworded(failure: Failure, reword: (line: string) => string): Failure {
  const { headline, kept, unresolved, lines } = failure;
  return new Failure(reword(headline), { kept, unresolved, lines: lines.map(reword) });
}

/** Names that a message quotes may hold line breaks, terminal codes, and marks that turn the text round. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replace(/[\p{Bidi_Control}\p{Cs}]/gu, "");
}

const longest = 4_000;

/**
 * Shortens a line that would end the host's connection, with a name of a megabyte for example. It keeps both ends: the
 * last sentences say what to do. To be called after secrets are masked.
 */
export function inBounds(line: string, most = longest): string {
  if (line.length <= most) return line;
  return `${line.slice(0, most / 2)}…${line.slice(1 - most / 2)}`.toWellFormed();
}

/** The first of many, and how many more: "a, b and 3 more". */
export function listed(all: readonly string[], most = 20, separator = ", "): string {
  const first = all.slice(0, most).join(separator);
  return all.length > most ? `${first} and ${(all.length - most).toLocaleString("en")} more` : first;
}

/** The service's answers are inconclusive: a phrase to follow what was tried, and what to do. */
export class InconclusiveError extends Error {
  readonly advice: string | undefined;

  constructor(message: string, advice?: string) {
    super(message);
    this.name = "InconclusiveError";
    this.advice = advice;
    this.stack = message;
  }
}

export interface Kept {
  readonly id: string;
  readonly state: Properties;
}

export interface Attempt {
  /** What was tried, on what: `Creating key "ci" in workspace ws_1`. */
  readonly doing: string;
  /** The outcome if the service certainly did not do it. */
  readonly notDone: string;
  /** The outcome if the service may have done it, and what to do; default: `notDone` and `again`. */
  readonly unclear?: string;
  /** What to do if the service refused, or may have; default: as `again`. */
  readonly advice?: string;
  /** What to do in every other case. Default: run the command again, and what to check if that does not help. */
  readonly again?: string;
}

interface Asked {
  /** Where the requests went. */
  readonly baseUrlSource: string;
}

const place = ({ baseUrlSource }: Asked) =>
  `the base URL (${baseUrlSource}), and any proxy or gateway in between`;
const runAgain = (asked: Asked) => `Run the command again; if it fails the same way, check ${place(asked)}`;

/** What else to do after an answer that another server may have given. */
export function ifElsewhere(asked: Asked): string {
  return `If that doesn't help, check ${place(asked)}`;
}

const later = "Run the command again later";

/** Another server, or another path of this one, redirects, or knows no such path or method. */
const isOfOthers = (status = 0) => status < 400 || status === 404 || status === 405;

/** What to do if the service did not accept the access token, and where the requests went. */
interface Credited extends Asked {
  readonly tokenAdvice: string;
}

/** Turns what a call threw into the line that the user reads. Any other error is a bug and passes. */
export function toFailure(error: unknown, of: Credited, attempt: Attempt): Failure {
  const { reason, unresolved } = reasonOf(error, of, attempt);
  return new Failure(`${attempt.doing}: ${reason}`, { reason: () => reason, unresolved });
}

/** The same without what was tried. */
export function reasonOf(
  error: unknown,
  of: Credited,
  { notDone, unclear, advice, again = runAgain(of) }: Omit<Attempt, "doing">,
): { readonly reason: string; readonly unresolved: boolean } {
  if (error instanceof InconclusiveError) {
    return { reason: sentences(error.message, notDone, error.advice ?? again), unresolved: false };
  }
  if (!(error instanceof CallError)) throw error;
  if (error.verdict === "ambiguous" && unclear !== undefined) {
    const way = error.status === 401 ? of.tokenAdvice : ifRefused(error, advice);
    return { reason: sentences(error.message, unclear, way), unresolved: true };
  }
  const { status, verdict } = error;
  const isRefused = verdict === "refused" && advice !== undefined;
  const way = status === 401 ? of.tokenAdvice : status === 429 ? later : isRefused ? advice : again;
  const where = isRefused && isOfOthers(status) ? ifElsewhere(of) : undefined;
  return { reason: sentences(error.message, notDone, way, where), unresolved: false };
}

/** What to do where a proxy may have repeated a request that the service then refused. */
export function ifRefused({ status }: CallError, advice: string | undefined): string | undefined {
  return status === 409 && advice ? `If the service refused it: ${advice}` : undefined;
}

export function capitalised(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** Joins sentences, each ended by one full stop. */
export function sentences(...parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined && part !== "")
    .map((part) => (/[.!?]$/.test(part as string) ? part : `${part}.`))
    .join(" ");
}
