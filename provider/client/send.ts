/** Calls to the service: how many at once, what is repeated, and what is known of a call that failed. */
import { setTimeout as timer } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { version } from "../../package.json";
import {
  type Exchange,
  exchange,
  type Method,
  openAgent,
  type TimeOuts,
  usualTimeOuts,
  type WireRequest,
} from "./wire";
import { errorText, maskSecrets } from "./words";

/**
 * What is known of a call that failed:
 * - `notSent`: no byte of it reached the service;
 * - `refused`: the service answered 3xx or 4xx, and nothing was done;
 * - `ambiguous`: it may or may not have been carried out or, for a GET, has no usable answer.
 */
export type Verdict = "notSent" | "refused" | "ambiguous";

/**
 * The only error that leaves the client. Its message is one phrase that can follow `Creating key "ci": `, with every secret
 * masked. It has no `cause`, and the stack is the message: what the libraries below throw can hold headers and bodies.
 */
export class CallError extends Error {
  readonly verdict: Verdict;
  /** The status of the last answer; `undefined` if there was none. */
  readonly status: number | undefined;
  /** Whether a 2xx to a GET has null where the record should be, or is `{}`. */
  readonly noRecord: boolean;

  constructor(verdict: Verdict, message: string, status?: number, noRecord = false) {
    super(message);
    this.verdict = verdict;
    this.status = status;
    this.noRecord = noRecord;
    this.stack = message;
  }
}

/** Whether the service says that there is no such object: by 404, by 410, or by a 2xx with null in its place. */
export function isNotFound(error: unknown): error is CallError {
  return error instanceof CallError && (error.status === 404 || error.status === 410 || error.noRecord);
}

/** What a 2xx contains. */
export interface Written<T> {
  /** `undefined` if it has none that can be used. */
  readonly record: T | undefined;
  /** Why, as a phrase that begins with "the answer". */
  readonly problem?: string;
  /** Whether it has nothing where the record should be: `{"apiKey": null}`, `{}`, or no body at all. */
  readonly noRecord?: true;
  /** Whether the service answered 202: it has accepted a write, and may not have carried it out yet. */
  readonly deferred?: true;
}

/** The answer's record, unless the write may not have been carried out yet. */
export function recordOf<T>({ record, deferred }: Written<T>): T | undefined {
  return deferred ? undefined : record;
}

/**
 * When a request may be repeated:
 * - `idempotent` (GET, DELETE, and PATCH with its full target values): whenever it may not have been carried out;
 * - `untilAccepted` (POST of a key or scope): only if it was not sent, or was answered with 429;
 * - `once` (POST of credits): only if it was not sent.
 */
type Policy = "idempotent" | "untilAccepted" | "once";

export interface ApiRequest<T> {
  readonly method: Method;
  /** May have a path prefix and a trailing slash. */
  readonly baseUrl: string;
  /** Begins with "/"; appended to the base URL. */
  readonly path: string;
  readonly accessToken: string;
  readonly body?: object | undefined;
  /** What no message may contain. */
  readonly secrets: readonly string[];
  readonly policy: Policy;
  readonly read: (body: string | undefined) => Written<T>;
  /** Called before each time that it is sent. */
  readonly sending?: (() => void) | undefined;
  readonly run?: RunOfCall | undefined;
}

/** The run that a call belongs to. */
export interface RunOfCall {
  /** Once it is aborted, no request waits for the end of a pause. */
  readonly closed: AbortSignal;
  /** Asked before each time that a request is sent: why it may not be sent, as words to follow "because". */
  readonly reasonAgainst: (method: Method) => string | undefined;
}

/** What all calls of a process share: connections, and the lane of each origin. */
export interface Transport {
  /** What a 2xx contains; for a GET, always a record. Everything else is a CallError. */
  send<T>(request: ApiRequest<T>): Promise<Written<T>>;
  /** How often a write began or ended so far: an answer that was asked for before it changed may be out of date. */
  readonly writes: number;
  /** Cuts all connections; calls under way fail. Only tests need it: idle connections keep no process alive. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Takes the lines of APIKEYS_DEBUG=1. Default: stderr. */
  readonly log?: (line: string) => void;
  /** Read for APIKEYS_DEBUG and the proxies. Default: that of the process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Waits, at most until the signal is aborted. */
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** In [0, 1), for jitter. */
  readonly random?: () => number;
  readonly timeOuts?: Partial<TimeOuts>;
}

export const retryLimits = {
  /** Not counting those answered with 429. */
  attempts: 4,
  /** From the first attempt on, without pauses: no further one begins later. */
  totalMs: 60_000,
  firstPauseMs: 250,
  longestPauseMs: 8_000,
  /** All pauses of one call. */
  pausesMs: 600_000,
};

/** Requests to one origin at once. */
export const concurrency = 32;

const systemPause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await timer(ms, undefined, signal && { signal }).catch(() => {});
};

/** Requests to one origin: a limited number at once, and none during a pause that the service asked for. */
function openLane(agent: Dispatcher) {
  let free = concurrency;
  const waiting: (() => void)[] = [];
  return {
    agent,
    quietUntil: 0,
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
export function openTransport(options: TransportOptions = {}): Transport {
  const { env = process.env, random = Math.random, pause = systemPause } = options;
  const { log = (line: string) => void process.stderr.write(`${line}\n`) } = options;
  const isDebugging = ["true", "1"].includes(env["APIKEYS_DEBUG"] ?? "");
  const timeOuts = { ...usualTimeOuts, ...options.timeOuts };
  const lanes = new Map<string, Lane>();
  let writes = 0;
  let isClosed = false;

  function agentFor(url: URL): Dispatcher {
    try {
      return openAgent(url, env, timeOuts);
    } catch {
      throw new CallError("notSent", "HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy");
    }
  }
  async function send<T>(request: ApiRequest<T>): Promise<Written<T>> {
    const { method, baseUrl, path, accessToken, body } = request;
    const url = new URL(baseUrl);
    url.pathname = url.pathname.replace(/\/+$/, "") + path;
    const headers = {
      accept: "application/json",
      "accept-encoding": "identity",
      // A proxy's cache could answer with what was there before the last write.
      "cache-control": "no-cache",
      authorization: `Bearer ${accessToken}`,
      "user-agent": `pulumi-apikeys/${version}`,
      ...(body && { "content-type": "application/json" }),
    };
    const lane = lanes.get(url.origin) ?? openLane(agentFor(url));
    lanes.set(url.origin, lane);
    const wire = { method, url, headers, body: body && JSON.stringify(body) };
    return lane.inTurn(() => repeat(request, wire, lane));
  }

  async function repeat<T>(request: ApiRequest<T>, wire: WireRequest, lane: Lane): Promise<Written<T>> {
    const { method, policy, run } = request;
    const signal = run?.closed;
    let attempts = 0;
    let throttled = 0;
    let pausedMs = 0;
    let mayBeDone = false;
    const beganAt = Date.now();
    function stop({ verdict, message, status, noRecord }: CallError): never {
      if (!mayBeDone || verdict === "ambiguous") throw new CallError(verdict, message, status, noRecord);
      throw new CallError("ambiguous", `${message}; an earlier attempt may have succeeded`, status);
    }
    for (;;) {
      for (let until = lane.quietUntil; until > Date.now() && !signal?.aborted; until = lane.quietUntil) {
        const leftMs = until - Date.now();
        const asked = `the service asked to wait another ${seconds(leftMs)}`;
        if (pausedMs + leftMs > retryLimits.pausesMs)
          stop(new CallError("notSent", asked, throttled > 0 ? 429 : undefined));
        pausedMs += leftMs;
        await pause(leftMs, signal);
        if (lane.quietUntil === until) lane.quietUntil = 0;
      }
      const barred = isClosed ? "the client was closed" : run?.reasonAgainst(method);
      if (barred !== undefined) {
        const what = attempts + throttled === 0 ? "nothing was sent" : "the request was not sent again";
        stop(new CallError("notSent", `${what}, because ${barred}`));
      }
      const result = await exchangeOnce(request, wire, lane, attempts + throttled + 1);
      const outcome = judge(result, request);
      if (outcome.kind === "done") return outcome.answer;
      const { error, askedMs } = outcome;
      const { verdict, status } = error;
      if (verdict === "ambiguous" && method !== "GET") mayBeDone = true;

      const isPaced = status === 429 || (status === 403 && askedMs !== undefined);
      const isThrottled = isPaced && policy !== "once" && !signal?.aborted;
      if (isThrottled) throttled += 1;
      else attempts += 1;
      const failures = isThrottled ? throttled : attempts;
      const ceilingMs = Math.min(retryLimits.longestPauseMs, retryLimits.firstPauseMs * 2 ** (failures - 1));
      const ownMs = Math.floor((isPaced ? 0.5 + random() / 2 : random()) * ceilingMs);
      const waitMs = Math.max(askedMs ?? 0, ownMs);
      if (isPaced) lane.quietUntil = Math.max(lane.quietUntil, Date.now() + waitMs);
      const isSafe =
        verdict === "notSent" ||
        (policy === "idempotent" && !error.noRecord && (verdict === "ambiguous" || isPaced));
      const isInTime = Date.now() - beganAt - pausedMs < retryLimits.totalMs;
      const isRepeated = isThrottled || (isSafe && attempts < retryLimits.attempts && isInTime);
      if (!isRepeated || pausedMs + waitMs > retryLimits.pausesMs) stop(error);
      if (!isPaced) {
        pausedMs += waitMs;
        if (!signal?.aborted) await pause(waitMs, signal);
      }
    }
  }

  async function exchangeOnce(
    { policy, sending, secrets }: ApiRequest<unknown>,
    wire: WireRequest,
    lane: Lane,
    attempt: number,
  ): Promise<Exchange> {
    const { method, url } = wire;
    // Credits must not be lost to a connection that the service has just closed.
    const agent = policy === "once" ? agentFor(url) : lane.agent;
    const startedAt = performance.now();
    if (method !== "GET") writes += 1;
    sending?.();
    const result = await exchange(agent, wire, timeOuts);
    if (method !== "GET") writes += 1;
    if (policy === "once") void agent.destroy();
    if (isDebugging) {
      const what = result.kind === "failed" ? `failed (${result.phrase})` : result.status;
      const tookMs = Math.round(performance.now() - startedAt);
      const line = `apikeys: ${method} ${url.pathname} ${what} attempt ${attempt} ${tookMs} ms`;
      log(maskSecrets(line, secrets));
    }
    return result;
  }

  return {
    send,
    get writes() {
      return writes;
    },
    async close() {
      isClosed = true;
      await Promise.all(Array.from(lanes.values(), ({ agent }) => agent.destroy()));
    },
  };
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

type Outcome<T> =
  | { readonly kind: "done"; readonly answer: Written<T> }
  | { readonly kind: "failed"; readonly error: CallError; readonly askedMs?: number | undefined };

/** What an exchange means for the call. */
function judge<T>(result: Exchange, { method, read, secrets }: ApiRequest<T>): Outcome<T> {
  const failed = (...error: ConstructorParameters<typeof CallError>) =>
    ({ kind: "failed", error: new CallError(...error) }) as const;
  if (result.kind === "failed") return failed(result.isStarted ? "ambiguous" : "notSent", result.phrase);
  const { status, headers, body } = result;
  if (status < 300) {
    const answer = read(body);
    // A write that was answered with 2xx is over, whatever the answer contains.
    if (answer.record !== undefined || method !== "GET")
      return { kind: "done", answer: status === 202 ? { ...answer, deferred: true } : answer };
    // An empty body may have been lost on the way.
    const noRecord = answer.noRecord && body !== "";
    return failed("ambiguous", `the service answered ${status}, but ${answer.problem}`, status, noRecord);
  }
  const said = errorText(body ?? "", secrets);
  const quoted = said === undefined ? "" : ` "${said}"`;
  const redirected = status < 400 && headers["location"] ? " with a redirect, which is not followed" : "";
  const askedMs = retryAfterMs(headers["retry-after"]);
  const asked = askedMs === undefined ? "" : ` and asked to wait ${seconds(askedMs)}`;
  const verdict = mayBeDone(method, status) ? "ambiguous" : "refused";
  return {
    ...failed(verdict, `the service answered ${status}${quoted}${redirected}${asked}`, status),
    askedMs,
  };
}

/** Whether the service may have carried the request out although its answer is not a 2xx. */
function mayBeDone(method: Method, status: number): boolean {
  // "It exists already" may answer a request that something on the way has repeated.
  if (status === 409 && method === "POST") return true;
  // 303 means "the result is over there", and some services say that with 302 after a POST.
  if ((status === 303 && method !== "GET") || (status === 302 && method === "POST")) return true;
  // 499: a gateway stopped waiting for the service.
  return status === 408 || status === 499 || status >= 500;
}

/** The wait that a Retry-After header asks for; `undefined` if it is absent, or more than a year: it may be a time. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  const value = [header].flat()[0]?.trim() ?? "";
  const ms = /^\d+(\.\d+)?$/.test(value) ? Math.ceil(Number(value) * 1_000) : Date.parse(value) - Date.now();
  return ms >= 0 && ms <= 365 * 86_400_000 ? ms : undefined;
}
