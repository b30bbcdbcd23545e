import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { failurePhrase, isLasting, proxyWantsLogin } from "./failure";
import type { Exchange, Unreadable } from "./outcome";

/** Time-outs in milliseconds. */
export interface TimeOuts {
  /** From the dispatch until the request is under way. */
  readonly connectMs: number;
  /** From then until the answer's headers. */
  readonly headersMs: number;
  /** From the dispatch until the answer's last byte. */
  readonly exchangeMs: number;
}

export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** The answer's body is cut off, with an error, beyond so many bytes. */
  readonly maxBytes: number;
}

/** The provider asks for none, but some gateways compress all the same. */
const decompressors = new Map([
  ["gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

const seconds = (ms: number): string => `${Math.round(ms / 10) / 100} s`;

const size = (bytes: number): string => (bytes % 1048576 === 0 ? `${bytes / 1048576} MiB` : `${bytes} bytes`);

const tooLarge = (maxBytes: number): Unreadable => ({
  problem: `is larger than ${size(maxBytes)}`,
  lasting: true,
});

/** A body that can't be decompressed stays as it is: some proxies decompress it and leave the header. */
function decompressed(body: Buffer, coding: unknown, maxBytes: number): Buffer | Unreadable {
  try {
    return decompressors.get(String(coding).toLowerCase())?.(body, { maxOutputLength: maxBytes }) ?? body;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(maxBytes) : body;
  }
}

/**
 * Sends one request once and reads its answer; never rejects. Only the dispatcher's `onRequestStart` tells whether the
 * request has started: a reset has the same error code before and after.
 */
export function exchange(agent: Dispatcher, request: WireRequest, timeOuts: TimeOuts): Promise<Exchange> {
  const { origin, path, method, headers, body, maxBytes } = request;
  const { connectMs, headersMs, exchangeMs } = timeOuts;
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Pick<Extract<Exchange, { kind: "answered" }>, "status" | "headers"> | undefined;
    let settled = false;
    const chunks: Buffer[] = [];
    let received = 0;

    function settle(result: Exchange): void {
      if (settled) return;
      settled = true;
      for (const timer of [connectTimer, headersTimer, exchangeTimer]) clearTimeout(timer);
      // The dispatcher frees the connection in the next turn of the event loop: a call that followed at once would
      // open another one.
      setImmediate(() => setImmediate(resolve, result));
    }
    function settleUnread(unreadable: Unreadable): void {
      if (answer !== undefined) settle({ kind: "answered", ...answer, body: unreadable });
      controller?.abort(new Error("unread"));
    }
    function settleFailed(phrase: string): void {
      settle({ kind: "failed", started: controller !== undefined, phrase, lasting: false });
      controller?.abort(new Error("timed out"));
    }
    function settleLate(): void {
      if (answer !== undefined) {
        settleUnread({ problem: `was not complete within ${seconds(exchangeMs)}`, lasting: false });
      } else if (controller !== undefined) {
        settleFailed(`no answer came within ${seconds(exchangeMs)}`);
      } else {
        settleFailed(`could not connect within ${seconds(exchangeMs)}`);
      }
    }

    let headersTimer: NodeJS.Timeout | undefined;
    const connectTimer = setTimeout(
      () => settleFailed(`could not connect within ${seconds(connectMs)}`),
      connectMs,
    );
    const exchangeTimer = setTimeout(settleLate, exchangeMs);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // Given up already, or about to be written a second time: nothing may be sent.
        if (settled || controller !== undefined) return started.abort(new Error("not wanted"));
        controller = started;
        clearTimeout(connectTimer);
        headersTimer = setTimeout(
          () => settleFailed(`no answer came within ${seconds(headersMs)} after the request was sent`),
          headersMs,
        );
      },
      onResponseStart(_controller, status, responseHeaders) {
        if (settled || status < 200) return;
        clearTimeout(headersTimer);
        answer = { status, headers: responseHeaders };
        if (Number(responseHeaders["content-length"]) > maxBytes) settleUnread(tooLarge(maxBytes));
      },
      onResponseData(_controller, chunk) {
        if (settled) return;
        received += chunk.length;
        if (received > maxBytes) settleUnread(tooLarge(maxBytes));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        if (answer === undefined) return;
        const body = decompressed(Buffer.concat(chunks), answer.headers["content-encoding"], maxBytes);
        settle({ kind: "answered", ...answer, body });
      },
      onResponseError(_controller, error) {
        if (answer !== undefined) return settleUnread({ problem: "was cut off", lasting: false });
        const started = controller !== undefined && !proxyWantsLogin(error);
        const phrase = failurePhrase(error, new URL(origin).hostname, started);
        settle({ kind: "failed", started, phrase, lasting: isLasting(error) });
      },
    };
    try {
      agent.dispatch({ origin, path, method, headers, body }, handler);
    } catch (error) {
      handler.onResponseError?.(undefined as never, error as Error);
    }
  });
}
