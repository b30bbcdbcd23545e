/** Calls to the service: how many at once, what is repeated, and what is known of a call that failed. */
import { setTimeout as timer } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { retryDecision, type Verdict, verdictAfter } from "./retry";
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
  /** The headers, and what is beside the record. */
  readonly beside?: object;
}

/** The answer's record, unless the write may not have been carried out yet. */
export function recordOf<T>({ record, problem }: Written<T>): T | undefined {
  return problem === undefined ? record : undefined;
}

/** Where the service is, the token for it, and its limits; checked by provider/lifecycle/config.ts. */
export interface Credentials {
  /** May have a path prefix and a trailing slash. */
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Of each call, not counting those after which the service asks to wait. */
  readonly maxAttempts?: number;
  /** Requests to one origin at once. */
  readonly concurrency?: number;
}

/** A PATCH has its full target values, so that it may be carried out twice. */
export interface ApiRequest<T> extends Credentials {
  readonly method: Method;
  /** Begins with "/"; appended to the base URL. May have a query. */
  readonly path: string;
  readonly body?: object | undefined;
  /** The values that no message may contain. */
  readonly secrets: readonly string[];
  readonly run?: RunOfCall | undefined;
  /** For credits: sent again only if it was not sent, and on a connection of its own. */
  readonly isOnce?: boolean | undefined;
  readonly read: (body: string | undefined, headers?: object) => Written<T>;
}

/** The run that a call belongs to. */
export interface RunOfCall {
  /** Once it is aborted, no request waits for the end of a pause. */
  readonly closed: AbortSignal;
  /** Asked before each time that a request is sent: why it may not be sent, as words to follow "because". */
  readonly reasonAgainst: (method: Method) => string | undefined;
  /** Shows that it waits. */
  readonly onWait?: (line: string) => void;
}

/** The parts that all calls of a process share: connections, and the lane of each origin. */
export type Transport = ReturnType<typeof openTransport>;

export const isDebugging = () => ["true", "1"].includes(process.env["APIKEYS_DEBUG"] ?? "");

export interface TransportOptions {
  /** Takes the lines of APIKEYS_DEBUG=1. The others are for tests and the probe. */
  readonly log?: ((line: string) => void) | undefined;
  /** Takes each answer as it came. */
  readonly onExchange?: (request: ApiRequest<unknown>, result: Exchange, tookMs: number) => void;
  readonly pause?: typeof pauseFor | undefined;
  readonly timeOuts?: Partial<TimeOuts>;
}

export const usualLimits = { maxAttempts: 4, concurrency: 32 };

export const retryPauses = {
  firstMs: 250,
  longestMs: 8_000,
  /** All pauses of one call. */
  allMs: 600_000,
};

/** After a 409 to one of several writes, how many must succeed before several are sent at once again. */
export const singleWrites = 8;

/** Waits, at most until the signal is aborted. */
export async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, undefined, signal && { signal }).catch(() => {});
}

/** Requests to one origin: a limited number at once, and none during a pause that the service asked for. */
function openLane(agent: Dispatcher) {
  let active = 0;
  const waiting: (() => void)[] = [];
  return {
    agent,
    quietUntil: 0,
    toldAt: 0,
    /** The writes under way. */
    writes: new Set<Promise<Exchange>>(),
    /** How many writes must still succeed one at a time, because the service may refuse several at once. */
    single: 0,
    /** The contents of the writes that it may have refused for that: each is sent again alone. */
    refused: new Set<string>(),
    /** A call keeps its turn while it pauses and repeats. */
    async inTurn<T>(most: number, call: () => Promise<T>): Promise<T> {
      if (active < most) active += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await call();
      } finally {
        const next = waiting.shift();
        if (next === undefined) active -= 1;
        else next();
      }
    },
  };
}

type Lane = ReturnType<typeof openLane>;

/** Opens nothing by itself: the HTTP library is loaded, and connections are opened, when they are first needed. */
export function openTransport(options: TransportOptions = {}) {
  const toStderr = (line: string) => void process.stderr.write(`${line}\n`);
  const { log = isDebugging() ? toStderr : undefined, pause = pauseFor } = options;
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
    const { method, body, isOnce = false, run, maxAttempts = usualLimits.maxAttempts } = request;
    const isWrite = method !== "GET";
    const content = `${method} ${url.pathname} ${JSON.stringify(body)}`;
    let attempts = 0;
    let pausedMs = 0;
    let earlierMayBeDone = false;
    let last: CallError | undefined;
    function fail({ verdict, message, status }: CallError): never {
      if (!earlierMayBeDone || verdict === "ambiguous") throw new CallError(verdict, message, status);
      throw new CallError("ambiguous", `${message}; an earlier attempt may have succeeded`, status);
    }
    /** What ends first: a pause or, while writes are sent one at a time, another. Sent in the same turn of the event loop. */
    function waitForTurn(): Promise<unknown> | undefined {
      if (lane.refused.has(content)) lane.single ||= 1;
      const [until, leftMs] = [lane.quietUntil, lane.quietUntil - Date.now()];
      if (leftMs <= 0 || run?.closed.aborted)
        return isWrite && lane.single > 0 && lane.writes.size > 0 ? Promise.race(lane.writes) : undefined;
      pausedMs += leftMs;
      const asked = `the service asked to wait another ${seconds(leftMs)}`;
      if (pausedMs > retryPauses.allMs) fail(last ?? new CallError("notSent", asked, 429));
      if (leftMs > 2_000 && run?.onWait && Date.now() > lane.toldAt + 10_000) {
        lane.toldAt = Date.now();
        run.onWait(`${method} ${url.pathname} waits ${seconds(leftMs)}: ${last?.message ?? asked}`);
      }
      return pause(leftMs, run?.closed).then(() => {
        // Unless it was this call that ended, and not the pause.
        if (lane.quietUntil === until && !run?.closed.aborted) lane.quietUntil = 0;
      });
    }
    for (let sent = 1; ; sent += 1) {
      for (let wait = waitForTurn(); wait !== undefined; wait = waitForTurn()) await wait;
      const barred = isClosed ? "the client was closed" : run?.reasonAgainst(method);
      if (barred !== undefined) {
        const reason = `nothing more was sent, because ${barred}`;
        const all = last === undefined ? reason : `${last.message}; ${reason}`;
        fail(new CallError(last?.verdict ?? "notSent", all, last?.status));
      }
      const [others, ended] = [lane.writes.size, writes];
      const result = await exchangeOnce(request, url, lane, sent);
      const outcome = judge(result, request);
      if (!(outcome instanceof CallError)) {
        if (isWrite) lane.single = Math.max(0, lane.single - 1);
        lane.refused.delete(content);
        return outcome;
      }

      const wasAlone = others + lane.writes.size === 0 && writes <= ended + 1;
      const wasBusy = !wasAlone || last?.verdict === "ambiguous";
      last = outcome;
      const { verdict, status } = outcome;
      if (isWrite && verdict === "ambiguous") earlierMayBeDone = true;
      if (isWrite && status === 409 && wasBusy) {
        lane.single = singleWrites;
        lane.refused.add(content);
      }
      const askedMs = result.kind === "answered" ? retryAfterMs(result.headers["retry-after"]) : undefined;
      const known = { verdict, status, asksToWait: askedMs !== undefined, wasBusy };
      const { next, isForAll } = retryDecision(method, isOnce, known);
      // Without pauses, even waits must come to an end.
      if (next !== "wait" || run?.closed.aborted) attempts += 1;
      const isRepeated = next !== "give up" && attempts < maxAttempts;
      const ceilingMs = Math.min(retryPauses.longestMs, retryPauses.firstMs * 2 ** (sent - 1));
      const waitMs = Math.max(askedMs ?? 0, (0.5 + Math.random() / 2) * ceilingMs);
      if (isForAll || isRepeated) lane.quietUntil = Math.max(lane.quietUntil, Date.now() + waitMs);
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
    options.onExchange?.(request, result, tookMs);
    log?.(maskSecrets(`apikeys: ${method} ${url.pathname} ${what} attempt ${attempt} ${tookMs} ms`, secrets));
    return result;
  }

  return {
    /** The content of a 2xx; for a GET, always a record. Everything else is a CallError. */
    async send<T>(request: ApiRequest<T>): Promise<Written<T>> {
      const url = new URL(request.baseUrl.replace(/\/+$/, "") + request.path);
      const lane = lanes.get(url.origin) ?? openLane(agentFor(url));
      lanes.set(url.origin, lane);
      return lane.inTurn(request.concurrency ?? usualLimits.concurrency, () => repeat(request, url, lane));
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
    const answer = read(body, headers);
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
  return new CallError(
    verdictAfter(method, status),
    `the service answered ${status}${quoted}${redirected}${asked}`,
    status,
  );
}

/** The wait that a Retry-After header asks for; `undefined` if it is absent, or more than a year: it may be a time. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  const value = [header].flat()[0]?.trim() ?? "";
  const ms = /^\d+(\.\d+)?$/.test(value) ? Math.ceil(Number(value) * 1_000) : Date.parse(value) - Date.now();
  return ms >= 0 && ms <= 365 * 86_400_000 ? ms : undefined;
}
