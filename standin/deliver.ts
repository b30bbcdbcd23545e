import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Answer } from "./answer";
import type { Dialect } from "./dialect";
import { packed, padding, pour, sendWithoutEnd, sendWrongLength } from "./rawDelivery";
import type { Delivery } from "./spoil";

/** Sends the answer. Calls `onStatus` before anything is sent, but not if no status line is sent. */
export async function deliver(
  response: ServerResponse,
  delivery: Delivery,
  dialect: Dialect,
  onStatus: (status: number) => void,
): Promise<void> {
  // The client has left, so nobody receives the answer.
  response.on("error", () => {});
  const { socket } = response;
  if (delivery.how === "silence" || socket === null) return;
  if (delivery.how === "reset") {
    socket.resetAndDestroy();
    return;
  }
  if (delivery.how === "raw") {
    socket.end(delivery.bytes, "latin1");
    return;
  }
  const { answer } = delivery;
  // A 204 has no body to cut or pad.
  const status = delivery.how !== "whole" && answer.status === 204 ? 200 : answer.status;
  onStatus(status);
  const body = Buffer.from(serialise(answer));
  const headers = contentHeaders(answer, dialect);
  const sized = status === 204 ? headers : { ...headers, "content-length": body.length };
  switch (delivery.how) {
    case "whole":
      response.writeHead(status, sized).end(body);
      return;
    case "garbled": {
      const garbage = Buffer.concat([body.subarray(0, Math.max(1, body.length - 2)), Buffer.from(",,<")]);
      response.writeHead(status, { ...headers, "content-length": garbage.length }).end(garbage);
      return;
    }
    case "half": {
      const half = body.length > 1 ? body.subarray(0, Math.floor(body.length / 2)) : Buffer.from("{");
      response.writeHead(status, { ...headers, "content-length": Math.max(body.length, 2) });
      // Not reset: a reset could overtake the half that should arrive.
      response.write(half, () => socket.destroy());
      return;
    }
    case "drip":
      response.writeHead(status, sized);
      response.flushHeaders();
      drip(response, body, delivery.bytesPerSecond);
      return;
    case "padded":
      await pad(response, { status, headers, body, bytes: delivery.bytes, sized: delivery.contentLength });
      return;
    case "surrounded":
      socket.write(delivery.before, "latin1");
      response.writeHead(status, sized).end(body, () => socket.write(delivery.after, "latin1"));
      return;
    case "wrongLength":
      sendWrongLength(socket, { status, headers, body }, delivery.by, delivery.chunked);
      return;
    case "endless":
      await sendWithoutEnd(socket, { status, headers, body }, delivery.what);
      return;
    case "gzipBomb": {
      const bomb = await packed(body.toString(), delivery.bytes);
      const packing = { "content-encoding": "gzip", "content-length": bomb.length };
      response.writeHead(status, { ...headers, ...packing }).end(bomb);
      return;
    }
  }
}

type ContentHeaders = OutgoingHttpHeaders & Record<string, string | string[]>;

function serialise({ body }: Answer): string {
  if (body === undefined) return "";
  return typeof body === "string" ? body : JSON.stringify(body);
}

function contentHeaders({ body, headers = {} }: Answer, { contentType }: Dialect): ContentHeaders {
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
  );
  if (body === undefined || "content-type" in headers) return own;
  if (typeof body === "string") return { "content-type": "text/plain", ...own };
  return contentType === "none" ? own : { "content-type": contentType, ...own };
}

function drip(response: ServerResponse, body: Buffer, bytesPerSecond: number): void {
  const everyMs = Math.max(10, 1000 / bytesPerSecond);
  const bytes = Math.max(1, Math.round((bytesPerSecond * everyMs) / 1000));
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + bytes));
    sent += bytes;
    if (sent >= body.length) {
      clearInterval(timer);
      response.end();
    }
  }, everyMs);
  response.once("close", () => clearInterval(timer));
}

interface Padded {
  status: number;
  headers: ContentHeaders;
  body: Buffer;
  bytes: number;
  sized: boolean;
}

async function pad(response: ServerResponse, { status, headers, body, bytes, sized }: Padded): Promise<void> {
  const [head, tail] = padding(body.toString());
  const left = Math.max(0, bytes - head.length - tail.length);
  const length = { "content-length": head.length + left + tail.length };
  response.writeHead(status, sized ? { ...headers, ...length } : headers);
  response.write(head);
  await pour(response, Buffer.alloc(65_536, "x"), left);
  response.end(tail);
}
