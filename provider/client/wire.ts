/** One exchange over HTTP: a request is sent once, and its answer is read to the end. */
import { BlockList, isIP } from "node:net";
import type { Dispatcher } from "undici";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type Exchange =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** `undefined` if it could not be read to its end. */
      readonly body: string | undefined;
    }
  /** `isStarted`: whether a byte of the request may have been written. */
  | { readonly kind: "failed"; readonly isStarted: boolean; readonly phrase: string };

/** In milliseconds: until the connection is open, from then on until the answer's headers, and in all. */
export const usualTimeOuts = { connectMs: 5_000, headersMs: 30_000, exchangeMs: 60_000 };
export type TimeOuts = typeof usualTimeOuts;

/** The largest answer that is read. */
export const mostBytes = 64 * 1_024 ** 2;

/** Whether a parsed host is an address in one of the ranges, such as "10.0.0.0/8", of a text. */
function isInRange(hostname: string, text: string): boolean {
  const ranges = new BlockList();
  for (const [, net = "", bits] of text.matchAll(/([\d.]+|[\da-f:]+)\/(\d+)/gi)) {
    if (isIP(net) !== 0 && Number(bits) <= (isIP(net) === 4 ? 32 : 128))
      ranges.addSubnet(net, Number(bits), `ipv${isIP(net) as 4 | 6}`);
  }
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) !== 0 && ranges.check(address, `ipv${isIP(address) as 4 | 6}`);
}

/** Whether a parsed host is this machine. */
export const isLoopback = (hostname: string) =>
  hostname === "localhost" || isInRange(hostname, "127.0.0.0/8, ::1/128");

const undici = (): typeof import("undici") => require("undici");

/** undici's index takes three times as long to load; it serves if a version has this file elsewhere. By require, because CommonJS can't import in Jest. */
function loadAgent(): typeof import("undici").Agent {
  try {
    return require("undici/lib/dispatcher/agent.js");
  } catch {
    return undici().Agent;
  }
}

/** Connections to the origin of a URL, through the proxy that the environment names. Throws if that is not a URL. */
export function openAgent(url: URL, env: NodeJS.ProcessEnv, timeOuts: TimeOuts): Dispatcher {
  const setting = (name: string) => env[name.toLowerCase()] ?? env[name] ?? "";
  // A proxy without a scheme is http, as for Pulumi's CLI and curl.
  const proxy = (name: string) => setting(name).replace(/^(?!.*:\/\/)(?=.)/s, "http://");
  const options = {
    // HTTP/1.1 only: there a request that has not started has certainly not been written.
    allowH2: false,
    connectTimeout: timeOuts.connectMs,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: mostBytes,
  };
  const [httpProxy, httpsProxy] = [proxy("HTTP_PROXY"), proxy("HTTPS_PROXY")];
  const noProxy = setting("NO_PROXY");
  // undici would send requests to this machine through the proxy too, token and all, and knows no ranges.
  const isDirect = isLoopback(url.hostname) || isInRange(url.hostname, noProxy);
  if (isDirect || (httpProxy === "" && httpsProxy === "")) return new (loadAgent())(options);
  const { EnvHttpProxyAgent } = undici();
  return new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy });
}

/** Never rejects. Only `onRequestStart` shows whether the request has started: a reset has the same code before and after. */
export function exchange(
  agent: Dispatcher,
  { method, url, headers, body }: WireRequest,
  timeOuts: TimeOuts,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer:
      | { readonly status: number; readonly headers: Record<string, string | string[] | undefined> }
      | undefined;
    let isOver = false;
    const chunks: Buffer[] = [];

    function end(result: Exchange): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      clearTimeout(silence);
      // The connection is free one turn later: a call that followed at once would open another one.
      setImmediate(() => setImmediate(resolve, result));
    }
    function fail(phrase: string): void {
      if (answer === undefined) end({ kind: "failed", isStarted: controller !== undefined, phrase });
      else end({ kind: "answered", ...answer, body: undefined });
    }
    function giveUp(phrase: string): void {
      fail(phrase);
      controller?.abort(new Error("timed out"));
    }
    const { exchangeMs, headersMs } = timeOuts;
    const timer = setTimeout(giveUp, exchangeMs, `no answer came within ${exchangeMs / 1_000} s`);
    const unanswered = `no answer came within ${headersMs / 1_000} s after the request was sent`;
    let silence: NodeJS.Timeout | undefined;

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // After its time-out, or a second time, the request must not be written.
        if (isOver || controller !== undefined) return started.abort(new Error("not wanted"));
        controller = started;
        silence = setTimeout(giveUp, headersMs, unanswered);
      },
      onResponseStart(_controller, status, given) {
        if (status < 200) return;
        clearTimeout(silence);
        answer = { status, headers: given };
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        // Leaves out a byte order mark.
        if (answer !== undefined)
          end({ kind: "answered", ...answer, body: new TextDecoder().decode(Buffer.concat(chunks)) });
      },
      onResponseError(_controller, error) {
        fail(failurePhrase(error, controller !== undefined, timeOuts));
      },
    };
    try {
      agent.dispatch(
        { origin: url.origin, path: url.pathname, method, headers: { ...headers }, body: body ?? null },
        handler,
      );
    } catch (error) {
      fail(failurePhrase(error, false, timeOuts));
    }
  });
}

/** What the codes of connection errors mean. `{connect}` stands for the seconds of that time-out. */
export const phrases: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be resolved",
  ECONNRESET: "the connection was reset",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "could not connect within {connect} s",
  UND_ERR_INVALID_ARG: "the request can't be sent, most likely because of a character in the access token",
};

/** In our own words: what libraries say can hold headers, so nothing of theirs but a code gets through. */
export function failurePhrase(error: unknown, isStarted: boolean, timeOuts: TimeOuts): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const refusal = /^Proxy response \((\d{3})\)/.exec(String(message));
  if (refusal !== null) return `the proxy answered ${refusal[1]}`;
  const shown = /^[A-Z][A-Z0-9_]{1,50}$/.test(String(code)) ? ` (${code})` : "";
  const phrase = phrases[String(code)] ?? `the connection failed${shown}`;
  const when = isStarted && phrase.startsWith("the connection") ? " before the service answered" : "";
  return (phrase + when).replace("{connect}", String(timeOuts.connectMs / 1_000));
}
