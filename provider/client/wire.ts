/** One exchange over HTTP: a request is sent once, and its answer is read to the end. */
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { brotliDecompressSync, inflateRawSync, unzipSync } from "node:zlib";
import ipaddr from "ipaddr.js";
import type { Dispatcher } from "undici";
import { version } from "../../package.json";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface Answer {
  readonly kind: "answered";
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** `undefined` if it could not be read to its end. */
  readonly body: string | undefined;
}

/** `isStarted`: whether a byte of the request may have been written. */
export type Exchange =
  | Answer
  | { readonly kind: "failed"; readonly isStarted: boolean; readonly phrase: string };

/** In milliseconds: until the connection is open, from then on until the answer's headers, and in all. */
export const usualTimeOuts = { connectMs: 5_000, headersMs: 30_000, exchangeMs: 60_000 };
export type TimeOuts = typeof usualTimeOuts;

/** The largest answer that is read. */
export const mostBytes = 64 * 1_024 ** 2;

/** Whether a parsed host is an address in one of these ranges, such as "10.0.0.0/8". */
function isInRange(hostname: string, ranges: readonly string[]): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (!ipaddr.isValid(address)) return false;
  const direct = ranges.filter(ipaddr.isValidCIDR).map(ipaddr.parseCIDR);
  return ipaddr.subnetMatch(ipaddr.process(address), { direct }, "none") === "direct";
}

/** Whether a parsed host is this machine. */
export const isLoopback = (hostname: string) =>
  hostname === "localhost" || isInRange(hostname, ["127.0.0.0/8", "::1/128"]);

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
export function openAgent({ hostname }: URL, { connectMs, headersMs }: TimeOuts): Dispatcher {
  const { env } = process;
  const setting = (name: string) => env[name.toLowerCase()] ?? env[name] ?? "";
  // A proxy without a scheme is http, as for Pulumi's CLI and curl.
  const proxy = (name: string) => setting(name).replace(/^(?!.*:\/\/)(?=.)/s, "http://");
  const options = {
    // HTTP/1.1 only: there a request that has not started has certainly not been written.
    allowH2: false,
    connectTimeout: connectMs,
    headersTimeout: headersMs,
    bodyTimeout: 0,
    maxResponseSize: mostBytes,
  };
  const [httpProxy, httpsProxy] = [proxy("HTTP_PROXY"), proxy("HTTPS_PROXY")];
  const noProxy = setting("NO_PROXY");
  // undici would send requests to this machine through the proxy too, token and all, and knows no ranges.
  const isDirect = isLoopback(hostname) || isInRange(hostname, noProxy.split(/[\s,]+/));
  if (isDirect || (httpProxy === "" && httpsProxy === "")) return new (loadAgent())(options);
  const { EnvHttpProxyAgent } = undici();
  return new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy });
}

export const userAgent = `pulumi-apikeys/${version}`;

// undici closes the connection at a `100 Continue` that it did not ask for. Interim answers must be ignored (RFC 9110, 15.2),
// so they are taken out of what the socket receives after each request. A 101 ends HTTP, so it is an answer.
subscribe("undici:client:sendHeaders", (message) => {
  const { headers, socket } = message as { readonly headers: string; readonly socket: Socket };
  if (!headers.includes(userAgent)) return;
  const { push } = socket;
  let head = "";
  socket.push = (chunk: Buffer | null) => {
    head = `${head}${chunk?.toString("latin1") ?? ""}`.replace(/^(HTTP\/1\.\d 1(?!01)\d\d.*?\r\n\r\n)+/s, "");
    const isPart = /^(.{0,11}$|HTTP\/1\.\d 1(?!01))/s.test(head) && head.length < 65_536;
    if (isPart && chunk !== null) return true;
    socket.push = push;
    if (head !== "") socket.push(Buffer.from(head, "latin1"));
    return chunk !== null || socket.push(null);
  };
});

/** Undoes a content coding. The service is asked for none, but something on the way may not know that. */
function decoded(body: Buffer, coding: string): Buffer {
  const limit = { maxOutputLength: mostBytes };
  if (coding === "br") return brotliDecompressSync(body, limit);
  // Some servers leave out the header of zlib.
  if (coding === "deflate" && (body[0] ?? 0) % 16 !== 8) return inflateRawSync(body, limit);
  return ["gzip", "x-gzip", "deflate"].includes(coding) ? unzipSync(body, limit) : body;
}

/** The text of a body, without a byte order mark. A body that is not what its header says is taken as it is. */
function textOf(body: Buffer, header: string | string[] = ""): string {
  const decoder = new TextDecoder();
  try {
    const codings = String(header)
      .toLowerCase()
      .split(/[\s,]+/);
    return decoder.decode(codings.reduceRight(decoded, body));
  } catch {
    return decoder.decode(body);
  }
}

/** Never rejects. Only `onRequestStart` shows whether the request has started: a reset has the same code before and after. */
export function exchange(
  agent: Dispatcher,
  { method, url, headers, body }: WireRequest,
  { exchangeMs }: TimeOuts,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Pick<Answer, "status" | "headers"> | undefined;
    let isOver = false;
    const chunks: Buffer[] = [];

    function end(result: Exchange): void {
      isOver = true;
      clearTimeout(timer);
      // The connection is free one turn later: a call that followed at once would open another one.
      setImmediate(() => setImmediate(resolve, result));
    }
    function fail(phrase: string): void {
      if (answer === undefined) end({ kind: "failed", isStarted: controller !== undefined, phrase });
      else end({ ...answer, kind: "answered", body: undefined });
    }
    const timer = setTimeout(() => {
      fail(`no answer came within ${exchangeMs / 1_000} s`);
      controller?.abort(new Error("timed out"));
    }, exchangeMs);
    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
      {
        onRequestStart(started) {
          // After its time-out, or a second time, the request must not be written.
          if (isOver || controller !== undefined) return started.abort(new Error("not wanted"));
          controller = started;
        },
        onResponseStart(_controller, status, given) {
          if (status >= 200) answer = { status, headers: given };
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (answer === undefined) return;
          const text = textOf(Buffer.concat(chunks), answer.headers["content-encoding"]);
          end({ ...answer, kind: "answered", body: text });
        },
        onResponseError(_controller, error) {
          // undici makes an error of this answer to a request without TLS. It was not passed on.
          if (error.message !== "Proxy Authentication Required (407)") fail(failurePhrase(error));
          else end({ kind: "answered", status: 407, headers: {}, body: proxyLogin });
        },
      },
    );
  });
}

const proxyLogin = "HTTP_PROXY or HTTPS_PROXY needs the proxy's login: http://user:password@host:port";

/** The codes of connection errors in words. */
export const phrases: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be resolved",
  ECONNRESET: "the connection was reset",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: `could not connect within ${usualTimeOuts.connectMs / 1_000} s`,
  UND_ERR_HEADERS_TIMEOUT: `no answer came within ${usualTimeOuts.headersMs / 1_000} s after the request was sent`,
};

/** In our own words: what libraries say can hold headers, so nothing of theirs but a code gets through. */
export function failurePhrase({ code, name, message }: Partial<NodeJS.ErrnoException>): string {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(String(message)) ?? [];
  if (status !== undefined) return `the proxy answered ${status === "407" ? `407: ${proxyLogin}` : status}`;
  const shown = /^[A-Z][A-Z0-9_]{1,50}$/.test(String(code)) ? ` (${code})` : "";
  if (/SELF_SIGNED_CERT|ISSUER_CERT|LEAF_SIGNATURE/.test(shown))
    return `no known authority issued the server's certificate${shown}: if it is of a private one, set NODE_EXTRA_CA_CERTS to a file with that authority's certificate`;
  if (/NO_APPLICATION_PROTOCOL|HTTPParserError/.test(shown + name))
    return `the server does not answer in HTTP/1.1${shown}: enable that, or check the base URL`;
  return phrases[String(code)] ?? `the connection failed${shown}`;
}
