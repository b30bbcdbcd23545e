import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Answer } from "./answer";

/** Ends an exchange on the wire, with an answer or without one. */
export type Delivery = (wire: Wire) => unknown;

interface Wire {
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** To be called before a status line is sent. */
  onStatus(status: number): void;
}

type Send = (response: ServerResponse, raw: Raw) => unknown;

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends an answer: whole, unless `send` is given. */
export function sent(answer: Answer, send: Send = whole): Delivery {
  return ({ response, onStatus }) => {
    // A 204 has no body to cut or pad.
    const status = send !== whole && answer.status === 204 ? 200 : answer.status;
    onStatus(status);
    const { body = "" } = answer;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return send(response, { status, headers: headersOf(answer), body: Buffer.from(text) });
  };
}

export const reset: Delivery = ({ socket }) => socket.resetAndDestroy();

const whole: Send = (response, { status, headers, body }) => {
  const sized = status === 204 ? headers : { ...headers, "content-length": body.length };
  response.writeHead(status, sized).end(body);
};

/** A body that starts like JSON, but is not. */
export const garbled: Send = (response, { body, ...raw }) => {
  whole(response, { ...raw, body: Buffer.concat([body.subarray(0, -2), Buffer.from(",,<")]) });
};

export const half: Send = (response, { status, headers, body }) => {
  const part = body.length > 1 ? body.subarray(0, Math.floor(body.length / 2)) : Buffer.from("{");
  response.writeHead(status, { ...headers, "content-length": Math.max(body.length, 2) });
  // Not reset: a reset could overtake the half that should arrive.
  response.write(part, () => response.destroy());
};

/** Doesn't wait until all has arrived. */
export function drip(bytesPerSecond: number): Send {
  return (response, { status, headers, body }) => {
    response.writeHead(status, { ...headers, "content-length": body.length });
    response.flushHeaders();
    const everyMs = Math.max(10, 1000 / bytesPerSecond);
    const bytes = Math.max(1, Math.round((bytesPerSecond * everyMs) / 1000));
    const parts = async function* () {
      for (let at = 0; at < body.length; at += bytes) {
        await pause(everyMs, undefined, { ref: false });
        yield body.subarray(at, at + bytes);
      }
    };
    void pour(parts(), response);
  };
}

/** The answer with one more field, which makes its body about `bytes` long. */
export function padded(bytes: number): Send {
  return (response, { status, headers, body }) => {
    const fields = body.toString().slice(1, -1);
    const start = Buffer.from(`{${fields}${fields && ","}"padding":"`);
    const end = Buffer.from('"}');
    const padding = Math.max(0, bytes - start.length - end.length);
    response.writeHead(status, headers);
    const chunk = Buffer.alloc(65_536, "x");
    const parts = function* () {
      yield start;
      for (let left = padding; left > 0; left -= chunk.length)
        yield chunk.subarray(0, Math.min(left, chunk.length));
      yield end;
    };
    return pour(parts(), response);
  };
}

/** Ends early if the client leaves without reading the rest. */
async function pour(
  parts: AsyncIterable<Buffer> | Iterable<Buffer>,
  response: ServerResponse,
): Promise<void> {
  await pipeline(parts, response).catch(() => {});
}

function headersOf({ body, headers = {} }: Answer): Raw["headers"] {
  if (body === undefined) return headers;
  return { "content-type": typeof body === "string" ? "text/plain" : "application/json", ...headers };
}
