import * as manifest from "../../package.json";
import { CallError, isNotFound } from "../client/send";
import { coded, codes, type FailureKind } from "./codes";
import type { Kept } from "./state";
import { capitalised, ended, inBounds, oneLine, sentences } from "./text";

type Parts = string | readonly (string | undefined)[];

interface FailureOptions {
  /** How the message begins, with the object's name: `Creating key "ci" in workspace ws_1:`. Default: with the reason. */
  readonly subject?: string | undefined;
  /** What state has now, in words of our own. */
  readonly state?: string | undefined;
  /** The last part: what was found of this object. */
  readonly found?: string;
  /** The last lines, one for each object. */
  readonly lines?: readonly string[];
  /** Whether the service may have an object that is not in state, which the user must be told. */
  readonly unresolved?: boolean;
}

/**
 * The only error that leaves a lifecycle operation. Its message is for the user: a summary with the code, what failed and what
 * the service said; then, on lines of their own, what state has now and what to do.
 */
export class Failure extends Error {
  /** Not `code`, which gRPC takes for a status. */
  readonly kind: FailureKind;
  /** The reason, and what to do: a text, in which each sentence is a part, or the parts, if one quotes the service. */
  readonly parts: Parts;
  readonly options: FailureOptions;
  /** The state to save although the operation failed, because the object exists. */
  readonly kept: Kept | undefined;
  /** The message in one line, without the last lines. */
  readonly headline: string;

  constructor(kind: FailureKind, parts: Parts, options: FailureOptions = {}, kept?: Kept) {
    const { subject = "", state, found, lines = [] } = options;
    const all = typeof parts === "string" ? parts.split(/(?<=\.) (?=[A-Z])/) : parts;
    const inOneLine = (text: string) => inBounds(oneLine(text), longestPart);
    const [reason = "", ...rest] = ended([...all, found]).map(inOneLine);
    const [about, meaning] = [subject && `${inOneLine(subject)} `, `${codes[kind][1]}.`];
    const whole = about + reason;
    // Texts that are whole, too, because a sentence that is cut can say the reverse.
    const others = [about + reason.replace(/(?<=answered \d+) "[^"]*"/g, ""), about + meaning, meaning];
    const summary = [whole, ...others].find((text) => coded(kind, text).length <= longest) ?? "";
    const full = summary === meaning ? whole : reason.replace(/^[a-z]+ /, capitalised);
    const below = [...ended([summary === whole ? "" : full, state]), ...rest];
    super([coded(kind, summary), ...below, ...lines.map(oneLine)].join("\n"));
    this.kind = kind;
    this.parts = parts;
    this.options = options;
    this.kept = kept;
    this.headline = coded(kind, [whole, ...ended([state]), ...rest].join(" "));
    this.stack = this.message;
  }
}

const longest = 160;
const longestPart = 1_000;

/** The same failure with each text of its message rewritten. */
export function reworded({ kind, parts, options, kept }: Failure, reword: (text: string) => string): Failure {
  const { subject = "", found = "", lines = [] } = options;
  const texts = { subject: reword(subject), found: reword(found), lines: lines.map(reword) };
  // A secret may contain the end of a sentence.
  const all = typeof parts === "string" ? reword(parts) : parts.map((part) => part && reword(part));
  return new Failure(kind, all, { ...options, ...texts }, kept);
}

/** The service's answers don't show what it has. The message is a phrase to follow what was tried. */
export class InconclusiveError extends Error {
  readonly kind: FailureKind;
  /** The way out. */
  readonly advice: string | undefined;

  constructor(kind: FailureKind, message: string, advice?: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
    this.stack = message;
  }
}

/** The words of a message about a call that failed. */
export interface CallWords {
  /** The attempt and its object: `Creating key "ci" in workspace ws_1`. */
  readonly doing: string;
  /** What the service certainly did not do. Default: what `state` says. */
  readonly notDone?: string;
  /** What state has then. Default: state is unchanged, unless `notDone` says enough. */
  readonly state?: string;
  /** The outcome if the service may have done it, and what to do. Default: `notDone`, and to run the command again. */
  readonly unclear?: string;
  /** The way out if the service refused, or may have. Otherwise it is to run the command again. */
  readonly advice?: string;
  /** Whether it deletes: then a 409 is about the object, and not about other changes. */
  readonly isDelete?: true;
}

/** The parts of the configuration that operations need. */
export interface Setup {
  /** The way out after a refused access token. */
  readonly tokenAdvice: string;
  /** Where the base URL comes from, in words. */
  readonly baseUrlSource: string;
  /** Whether the user vouches that keys can't be listed (APIKEYS_NO_KEY_LIST). */
  readonly withoutKeyList: boolean;
  /** How many keys of a set are processed at a time. */
  readonly keysAtOnce: number;
}

/** A Session, or what a function has in its place. */
interface Endpoint {
  readonly closed?: AbortSignal;
  readonly setup: Pick<Setup, "tokenAdvice" | "baseUrlSource">;
}

const route = ({ setup }: Endpoint) =>
  `the base URL (${setup.baseUrlSource}), and any proxy or gateway in between`;

/** A further way out if another server may have answered. */
export function ifElsewhere(endpoint: Endpoint): string {
  return `If that doesn't help, check ${route(endpoint)}`;
}

/** Whether another server may have answered, or the service at another path: a redirect, or no such path or method. */
const isFromElsewhere = (status = 400) => status < 400 || status === 404 || status === 405;

export const ifDeleted = "If the workspace was deleted, remove its resources with `pulumi state delete`";

/** Turns what stopped an attempt into the message for the user. */
export function explain(error: unknown, endpoint: Endpoint, words: CallWords): Failure {
  const { doing, notDone, unclear, advice } = words;
  const state = words.state ?? (notDone === undefined ? "State is unchanged" : undefined);
  const again = `Run the command again; if it fails the same way, check ${route(endpoint)}`;
  const subject = `${doing}:`;
  if (error instanceof InconclusiveError)
    return new Failure(error.kind, [error.message, notDone, error.advice ?? again], { subject, state });
  if (!(error instanceof CallError)) return asFailure(error);
  const { message, status, verdict } = error;
  if (verdict === "ambiguous" && unclear !== undefined) {
    const ifBusy = status === 409 && advice ? ifRefused(advice) : undefined;
    const todo = status === 401 ? endpoint.setup.tokenAdvice : ifBusy;
    return new Failure("outcomeUnclear", [message, unclear, todo], { subject, state: words.state });
  }
  const kind = kindOf(error, endpoint);
  let todo: readonly (string | undefined)[] = kind === "interrupted" ? ["Run the command again"] : [again];
  if (status === 401) todo = [endpoint.setup.tokenAdvice];
  else if (status === 429) todo = ["Run the command again later"];
  else if (verdict === "notSent" && endpoint.closed?.aborted) todo = ["Run the command again"];
  // It names the setting that helps.
  else if (/HTTPS_PROXY needs|NODE_EXTRA_CA_CERTS|HTTP\/1\.1/.test(message)) todo = [];
  else if (verdict === "refused" && advice) {
    const ifBusy = status === 409 && !words.isDelete ? ifOneAtATime : undefined;
    todo = [advice, ifBusy, isFromElsewhere(status) ? ifElsewhere(endpoint) : undefined];
  }
  return new Failure(kind, [message, notDone, ...todo], { subject, state });
}

function kindOf(error: CallError, { closed }: Endpoint): FailureKind {
  const { status = 0, verdict } = error;
  if (status === 401 || status === 403) return "tokenRefused";
  if (status === 429) return "rateLimited";
  // Without a status, an id could not be part of a URL.
  if (verdict === "refused" && status === 0) return "wrongInput";
  if (verdict === "refused") return isNotFound(error) ? "notFound" : "refused";
  if (verdict === "notSent" && closed?.aborted) return "interrupted";
  return status >= 200 && status <= 299 ? "unusableAnswer" : "unavailable";
}

/** Awaits a call. If it fails, throws the message for the user. */
export async function orFail<T>(call: Promise<T>, endpoint: Endpoint, words: CallWords): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw explain(error, endpoint, words);
  }
}

/** The way out if the service may have refused a request, or only a repetition of it by a proxy. */
export function ifRefused(advice: string): string {
  return sentences(`If the service refused it: ${advice}`, ifOneAtATime);
}

const ifOneAtATime =
  "If the service refuses several changes at a time, run the command with the option `--parallel 1`";

/** A release writes it into package.json. */
const { url } = (manifest as { readonly bugs?: { readonly url: string } }).bugs ?? {};

/** All that may be told of an error. One that is not a Failure is a bug: its message may contain secrets, its place does not. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const [, place = ""] = /^\s+(at .*)/m.exec(stack) ?? [];
  const what = `This is a bug in pulumi-apikeys: ${[name, place].join(" ").trim()}`;
  const outcome =
    "State may lack what the service has done: run `pulumi up --refresh`, and look for a new object that is not in state";
  const report = `Please report it${url === undefined ? "" : ` at ${url}`}`;
  return new Failure("bug", [what, outcome, report], { unresolved: true });
}
