import type { Dispatcher } from "undici";
import { openAgents } from "./agents";
import { attempt } from "./attempts";
import { CallError } from "./callError";
import { type Clock, systemClock } from "./clock";
import { exchange, type TimeOuts, type WireRequest } from "./exchange";
import type { Exchange } from "./outcome";
import { openPace, type Pace } from "./pace";
import type { Reader, Reading } from "./reading";
import type { Policy } from "./retry";
import { maskSecrets } from "./secrets";

/** One call, as the endpoints hand it over. */
export interface ApiRequest<T> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** May have a path prefix and a trailing slash. */
  readonly baseUrl: string;
  /** Begins with "/"; appended to the base URL. */
  readonly path: string;
  readonly accessToken: string;
  readonly body?: object | undefined;
  /** Other strings that no message may contain. */
  readonly secrets: readonly string[];
  readonly policy: Policy;
  /** No body of more bytes is sent. */
  readonly maxSent: number;
  readonly maxBytes: number;
  readonly read: Reader<T>;
  /** Called before each dispatch. Default: not at all. */
  readonly sending?: (() => void) | undefined;
}

/** What all calls of a process share: connections, and the pace for each origin. */
export interface Transport {
  /** The reading of a 2xx answer, always usable for a GET. Everything else is a CallError. */
  send<T>(request: ApiRequest<T>): Promise<Reading<T>>;
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
  readonly clock?: Clock;
  /** In [0, 1), for jitter. */
  readonly random?: () => number;
  /** Default: 5 s, 30 s and 60 s. */
  readonly timeOuts?: Partial<TimeOuts>;
  /**
   * Asked before each dispatch: why no such request may be sent, as words to follow "because"; `undefined` where it
   * may. Default: all may.
   */
  readonly gate?: (method: string) => Promise<string | undefined>;
  /** No request waits for the end of a pause once it is aborted. Default: never aborted. */
  readonly signal?: AbortSignal;
  /** Requests to one origin at once. Default: 32. */
  readonly concurrency?: number;
}

export const usualTimeOuts: TimeOuts = { connectMs: 5_000, headersMs: 30_000, exchangeMs: 60_000 };
export const usualConcurrency = 32;

const toStderr = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Cheap: the HTTP library is loaded and connections are opened when they are first needed. */
export function openTransport(options: TransportOptions = {}): Transport {
  const { log = toStderr, env = process.env, clock = systemClock, random = Math.random } = options;
  const isDebugging = ["true", "1"].includes(env["APIKEYS_DEBUG"] ?? "");
  const timeOuts = { ...usualTimeOuts, ...options.timeOuts };
  const agents = openAgents(env, timeOuts.connectMs);
  const paces = new Map<string, Pace>();
  let writes = 0;
  options.signal?.addEventListener("abort", () => {
    for (const pace of paces.values()) pace.skipPauses();
  });

  function paceOf(origin: string): Pace {
    const pace = paces.get(origin) ?? openPace(clock, options.concurrency ?? usualConcurrency);
    paces.set(origin, pace);
    if (options.signal?.aborted) pace.skipPauses();
    return pace;
  }

  async function onFreshConnection(wire: WireRequest, limits: TimeOuts): Promise<Exchange> {
    const agent = await agents.fresh(wire.origin);
    try {
      return await exchange(agent, wire, limits);
    } finally {
      void agent.destroy();
    }
  }

  async function send<T>(request: ApiRequest<T>): Promise<Reading<T>> {
    const { method, policy, read } = request;
    const secrets = [request.accessToken, ...request.secrets];
    const wire = wireRequest(request);
    const call = {
      method,
      policy,
      read,
      secrets,
      url: wire.origin + wire.path,
      barred: async () => options.gate?.(method),
      fieldNames: Object.keys(request.body ?? {}),
      exchange: async (leftMs: number) => {
        if (method !== "GET") writes += 1;
        request.sending?.();
        const limits = { ...timeOuts, exchangeMs: Math.max(1, Math.min(timeOuts.exchangeMs, leftMs)) };
        // Credits must not be lost to a connection that the service has just closed.
        if (policy === "never") return onFreshConnection(wire, limits);
        return exchange(await agents.kept(wire.origin), wire, limits);
      },
      note: (result: Exchange, attempts: number, tookMs: number) => {
        if (method !== "GET") writes += 1;
        if (!isDebugging) return;
        const line = `apikeys: ${method} ${wire.path} ${summary(result)} attempt ${attempts} ${Math.round(tookMs)} ms`;
        log(maskSecrets(line, secrets));
      },
    };
    return attempt(call, { clock, random, pace: paceOf(wire.origin) });
  }

  return {
    send,
    get writes() {
      return writes;
    },
    close: agents.close,
  };
}

function summary(result: Exchange): string {
  if (result.kind === "failed") return `failed (${result.phrase})`;
  return Buffer.isBuffer(result.body)
    ? `${result.status}`
    : `${result.status} (the answer ${result.body.problem})`;
}

function wireRequest<T>(request: ApiRequest<T>): WireRequest {
  const { method, baseUrl, path, accessToken, body, maxSent, maxBytes } = request;
  const base = URL.parse(baseUrl);
  if (base === null) throw new CallError("notSent", "the base URL is not a URL");
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-encoding": "identity",
    // A proxy's cache could answer with what was there before the last write.
    "cache-control": "no-cache",
    authorization: `Bearer ${accessToken}`,
    "user-agent": "pulumi-apikeys",
  };
  if (body !== undefined) headers["content-type"] = "application/json";
  return {
    method: method satisfies Dispatcher.HttpMethod,
    origin: base.origin,
    path: base.pathname.replace(/\/+$/, "") + path,
    headers,
    body: body === undefined ? null : jsonOf(body, maxSent),
    maxBytes,
  };
}

function jsonOf(body: object, maxSent: number): string {
  let json: string;
  try {
    json = JSON.stringify(body);
  } catch {
    throw new CallError("notSent", "the request's fields can't be encoded as JSON");
  }
  if (Buffer.byteLength(json) <= maxSent) return json;
  throw new CallError("notSent", `the request is larger than ${maxSent / 1_024} KiB`);
}
