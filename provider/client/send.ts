/** Calls to the service: how many at once, what is repeated, and what is known of a call that failed. */
import { setTimeout as timer } from "node:timers/promises";
import type { Dispatcher } from "undici";
import {
  type Exchange,
  exchange,
  type Method,
  openAgent,
  type TimeOuts,
  userAgent,
  usualTimeOuts,
} from "./wire";
import { errorText, maskSecrets } from "./words";

/**
 * The outcome of a call that failed:
 * - `notSent`: no byte of it reached the service;
 * - `refused`: the service answered 3xx or 4xx, or an id can't be part of a URL, and nothing was done;
 * - `ambiguous`: it may or may not have been carried out or, for a GET, has no usable answer.
 */
export type Verdict = "notSent" | "refused" | "ambiguous";

/**
 * The only error that leaves the client. Its message is one phrase that can follow `Creating key "ci": `, with every secret
 * masked. It has no `cause`, and the stack is the message: what the libraries below throw can hold headers and bodies.
 */
export class CallError extends Error {
  readonly verdict: Verdict;
  /** The status of the last answer; `undefined` if there was none. A 2xx to a GET without a record counts as 404. */
  readonly status: number | undefined;

  constructor(verdict: Verdict, message: string, status?: number) {
    super(message);
    this.verdict = verdict;
    this.status = status;
    this.stack = message;
  }
}

/** Whether the service says that there is no such object: by 404, by 410, or by a 2xx with null in its place. */
export function isNotFound(error: unknown): error is CallError {
  return error instanceof CallError && (error.status === 404 || error.status === 410);
}

/** The content of a 2xx. */
export interface Written<T> {
  /** `undefined` if it has none that can be used. */
  readonly record: T | undefined;
  /** Why there is no record or, after a 202, why it may not be true yet, as a phrase. */
  readonly problem?: string;
  /** Whether it has nothing where the record should be: `{"apiKey": null}`, `{}`, or no body at all. */
  readonly noRecord?: true;
}

/** The answer's record, unless the write may not have been carried out yet. */
export function recordOf<T>({ record, problem }: Written<T>): T | undefined {
  return problem === undefined ? record : undefined;
}

/** Where the service is, and the token for it; checked by provider/lifecycle/config.ts. */
export interface Credentials {
  /** May have a path prefix and a trailing slash. */
  readonly baseUrl: string;
  readonly accessToken: string;
}

/** A PATCH has its full target values, so that it may be carried out twice. */
export interface ApiRequest<T> extends Credentials {
  readonly method: Method;
  /** Begins with "/"; appended to the base URL. */
  readonly path: string;
  readonly body?: object | undefined;
  /** The values that no message may contain. */
  readonly secrets: readonly string[];
  readonly run?: RunOfCall | undefined;
  /** For credits: sent again only if it was not sent, and on a connection of its own. */
  readonly isOnce?: boolean | undefined;
  readonly read: (body: string | undefined) => Written<T>;
}

/** The run that a call belongs to. */
export interface RunOfCall {
  /** Once it is aborted, no request waits for the end of a pause. */
  readonly closed: AbortSignal;
  /** Asked before each time that a request is sent: why it may not be sent, as words to follow "because". */
  readonly reasonAgainst: (method: Method) => string | undefined;
}

/** The parts that all calls of a process share: connections, and the lane of each origin. */
export type Transport = ReturnType<typeof openTransport>;

/** For tests. */
export interface TransportOptions {
  /** Takes the lines of APIKEYS_DEBUG=1. */
  readonly log?: (line: string) => void;
  readonly pause?: typeof pauseFor | undefined;
  readonly timeOuts?: Partial<TimeOuts>;
}

export const retryLimits = {
  /** Not counting those after which the service asks to wait. */
  attempts: 4,
  firstPauseMs: 250,
  longestPauseMs: 8_000,
  /** All pauses of one call. */
  pausesMs: 600_000,
};

/** Requests to one origin at once. */
export const concurrency = 32;

/** Waits, at most until the signal is aborted. */
export async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, undefined, signal && { signal }).catch(() => {});
}

/** Requests to one origin: a limited number at once, and none during a pause that the service asked for. */
function openLane(agent: Dispatcher) {
  let free = concurrency;
  const waiting: (() => void)[] = [];
  return {
    agent,
    quietUntil: 0,
    /** The writes under way. */
    writes: new Set<Promise<Exchange>>(),
    /** Whether the service has answered 409 to a write: it may refuse several at once, so each waits for the last. */
    isSingle: false,
    /** A call keeps its turn while it pauses and repeats. */
    async inTurn<T>(call: () => Promise<T>): Promise<T> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await call();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

type Lane = ReturnType<typeof openLane>;

/** Opens nothing by itself: the HTTP library is loaded, and connections are opened, when they are first needed. */
export function openTransport(options: TransportOptions = {}) {
  const isDebugging = ["true", "1"].includes(process.env["APIKEYS_DEBUG"] ?? "");
  const toStderr = (line: string) => void process.stderr.write(`${line}\n`);
  const { log = isDebugging ? toStderr : undefined, pause = pauseFor } = options;
  const timeOuts = { ...usualTimeOuts, ...options.timeOuts };
  const lanes = new Map<string, Lane>();
  let writes = 0;
  let isClosed = false;

  function agentFor(url: URL): Dispatcher {
    try {
      return openAgent(url, timeOuts);
    } catch {
      throw new CallError("notSent", "HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy");
    }
  }
  async function repeat<T>(request: ApiRequest<T>, url: URL, lane: Lane): Promise<Written<T>> {
    const { method, isOnce, run } = request;
    const isWrite = method !== "GET";
    let attempts = 0;
    let pausedMs = 0;
    let earlierMayBeDone = false;
    let last: CallError | undefined;
    function fail({ verdict, message, status }: CallError): never {
      if (!earlierMayBeDone || verdict === "ambiguous") throw new CallError(verdict, message, status);
      throw new CallError("ambiguous", `${message}; an earlier attempt may have succeeded`, status);
    }
    for (let sent = 1; ; sent += 1) {
      for (;;) {
        const [until, leftMs] = [lane.quietUntil, lane.quietUntil - Date.now()];
        if (leftMs > 0 && !run?.closed.aborted) {
          pausedMs += leftMs;
          const asked = `the service asked to wait another ${seconds(leftMs)}`;
          if (pausedMs > retryLimits.pausesMs) fail(last ?? new CallError("notSent", asked, 429));
          await pause(leftMs, run?.closed);
          if (lane.quietUntil === until) lane.quietUntil = 0;
        } else if (isWrite && lane.isSingle && lane.writes.size > 0) {
          await Promise.race(lane.writes);
        } else break;
      }
      const barred = isClosed ? "the client was closed" : run?.reasonAgainst(method);
      if (barred !== undefined) fail(new CallError("notSent", `nothing more was sent, because ${barred}`));
      const isAlone = lane.isSingle;
      const result = await exchangeOnce(request, url, lane, sent);
      const outcome = judge(result, request);
      if (!(outcome instanceof CallError)) return outcome;

      last = outcome;
      const { verdict, status } = outcome;
      if (verdict === "ambiguous" && isWrite) earlierMayBeDone = true;
      if (status === 409 && isWrite) lane.isSingle = true;
      const askedMs = result.kind === "answered" ? retryAfterMs(result.headers["retry-after"]) : undefined;
      // The service did nothing, and asks to wait.
      const isThrottled = status === 429 || (status === 403 && askedMs !== undefined);
      // Without pauses, even these must come to an end.
      if (!isThrottled || run?.closed.aborted) attempts += 1;
      const wasBusy = status === 409 && isWrite && !isAlone;
      const mayBeTwice = method !== "POST" && (verdict === "ambiguous" || wasBusy);
      const isSafe = verdict === "notSent" || (isThrottled ? !isOnce : mayBeTwice);
      const isRepeated = isSafe && attempts < retryLimits.attempts;
      const ceilingMs = Math.min(retryLimits.longestPauseMs, retryLimits.firstPauseMs * 2 ** (sent - 1));
      const waitMs = Math.max(askedMs ?? 0, (0.5 + Math.random() / 2) * ceilingMs);
      if (isThrottled || isRepeated) lane.quietUntil = Math.max(lane.quietUntil, Date.now() + waitMs);
      if (!isRepeated) fail(outcome);
    }
  }

  async function exchangeOnce(request: ApiRequest<unknown>, url: URL, lane: Lane, attempt: number) {
    const { method, accessToken, body, isOnce, secrets } = request;
    const headers = {
      accept: "application/json",
      "accept-encoding": "identity",
      // A proxy's cache could answer with what was there before the last write.
      "cache-control": "no-cache",
      authorization: `Bearer ${accessToken}`,
      "user-agent": userAgent,
      ...(body && { "content-type": "application/json" }),
    };
    // Credits must not be lost to a connection that the service has just closed.
    const agent = isOnce ? agentFor(url) : lane.agent;
    const startedAt = performance.now();
    const exchanged = exchange(agent, { method, url, headers, body: body && JSON.stringify(body) }, timeOuts);
    if (method !== "GET") lane.writes.add(exchanged);
    const result = await exchanged;
    if (lane.writes.delete(exchanged)) writes += 1;
    if (isOnce) void agent.destroy();
    const what = result.kind === "failed" ? `failed (${result.phrase})` : result.status;
    const tookMs = Math.round(performance.now() - startedAt);
    log?.(maskSecrets(`apikeys: ${method} ${url.pathname} ${what} attempt ${attempt} ${tookMs} ms`, secrets));
    return result;
  }

  return {
    /** The content of a 2xx; for a GET, always a record. Everything else is a CallError. */
    async send<T>(request: ApiRequest<T>): Promise<Written<T>> {
      const url = new URL(request.baseUrl);
      url.pathname = url.pathname.replace(/\/+$/, "") + request.path;
      const lane = lanes.get(url.origin) ?? openLane(agentFor(url));
      lanes.set(url.origin, lane);
      return lane.inTurn(() => repeat(request, url, lane));
    },
    /** How many writes have ended so far: an answer that was asked for before the last may be out of date. */
    get writes() {
      return writes;
    },
    /** Cuts all connections; calls under way fail. Only tests need it: idle connections keep no process alive. */
    async close() {
      isClosed = true;
      await Promise.all(Array.from(lanes.values(), ({ agent }) => agent.destroy()));
    },
  };
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

/** The outcome of a call after one exchange. */
function judge<T>(result: Exchange, { method, read, secrets }: ApiRequest<T>): Written<T> | CallError {
  if (result.kind === "failed")
    return new CallError(result.isStarted ? "ambiguous" : "notSent", result.phrase);
  const { status, headers, body } = result;
  if (status < 300) {
    const answer = read(body);
    // A write that was answered with 2xx is over, whatever the answer contains.
    if (answer.record !== undefined || method !== "GET")
      return status === 202 ? { ...answer, problem: "the service answered 202" } : answer;
    const problem = `the service answered ${status}, but ${answer.problem}`;
    // An empty body may have been lost on the way.
    const isMissing = answer.noRecord && body !== "";
    return isMissing ? new CallError("refused", problem, 404) : new CallError("ambiguous", problem, status);
  }
  const said = errorText(body ?? "", secrets);
  const quoted = said === undefined ? "" : ` "${said}"`;
  const redirected = status < 400 && headers["location"] ? " with a redirect, which is not followed" : "";
  const askedMs = retryAfterMs(headers["retry-after"]);
  const asked = askedMs === undefined ? "" : ` and asked to wait ${seconds(askedMs)}`;
  const verdict = mayBeDone(method, status) ? "ambiguous" : "refused";
  return new CallError(verdict, `the service answered ${status}${quoted}${redirected}${asked}`, status);
}

/** Whether the service may have carried the request out although its answer is not a 2xx. */
function mayBeDone(method: Method, status: number): boolean {
  // "It exists already" may answer what something on the way has repeated, and "the result is over there" a success.
  if (method === "POST" && [302, 303, 409].includes(status)) return true;
  // 499: a gateway stopped waiting for the service.
  return status === 408 || status === 499 || status >= 500;
}

/** The wait that a Retry-After header asks for; `undefined` if it is absent, or more than a year: it may be a time. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  const value = [header].flat()[0]?.trim() ?? "";
  const ms = /^\d+(\.\d+)?$/.test(value) ? Math.ceil(Number(value) * 1_000) : Date.parse(value) - Date.now();
  return ms >= 0 && ms <= 365 * 86_400_000 ? ms : undefined;
}
