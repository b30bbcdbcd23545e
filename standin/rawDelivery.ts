import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createGzip } from "node:zlib";

/** Answers that no HTTP server would send, written directly to the connection. */

export interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** The answer with a wrong length; then the connection is closed. */
export function wrongLength(by: number, isChunked = false) {
  return ({ socket }: { readonly socket: Socket }, raw: Raw): void => {
    const length = Math.max(0, raw.body.length + by);
    const body = raw.body.toString("latin1");
    const framed = isChunked ? `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
    const frame = isChunked ? "transfer-encoding: chunked" : `content-length: ${length}`;
    socket.end(`${head(raw)}${frame}\r\n\r\n${framed}`, "latin1");
  };
}

/** Headers, or 1xx answers, for as long as the client reads them. */
export function endless(what: "headers" | "interim") {
  return async ({ socket }: { readonly socket: Socket }, raw: Raw): Promise<void> => {
    if (what === "headers") socket.write(head(raw));
    const more = what === "headers" ? "x-more: and more\r\n" : "HTTP/1.1 103 X\r\nlink: <x>\r\n\r\n";
    await pour(socket, Buffer.from(more.repeat(1_000)), Number.POSITIVE_INFINITY);
  };
}

/** Writes the chunk repeatedly, up to this many bytes in total, until the client leaves. */
export async function pour(to: Socket | ServerResponse, chunk: Buffer, bytes: number): Promise<void> {
  const gone = new AbortController();
  to.once("close", () => gone.abort());
  for (let left = bytes; left > 0 && !gone.signal.aborted && !to.destroyed; left -= chunk.length) {
    if (to.write(chunk.subarray(0, Math.min(left, chunk.length)))) continue;
    // Aborted if the client leaves without reading the rest.
    await once(to, "drain", { signal: gone.signal }).catch(() => undefined);
  }
}

/** The object as JSON, padded by a field to this many bytes; compressed as a stream, never whole in memory. */
export async function packed(text: string, bytes: number): Promise<Buffer> {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  gzip.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [start, end] = padding(text);
  gzip.write(start);
  const chunk = Buffer.alloc(65_536, "x");
  for (let left = bytes - start.length - end.length; left > 0; left -= chunk.length) {
    if (!gzip.write(chunk.subarray(0, Math.min(left, chunk.length)))) await once(gzip, "drain");
  }
  gzip.end(end);
  await once(gzip, "end");
  return Buffer.concat(chunks);
}

/** The JSON before and after the padding of an object. */
export function padding(text: string): readonly [Buffer, Buffer] {
  const fields = text.replace(/^\{/, "").replace(/\}$/, "");
  return [Buffer.from(`{${fields}${fields === "" ? "" : ","}"padding":"`), Buffer.from('"}')];
}

function head({ status, headers }: Raw): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  return `HTTP/1.1 ${status} X\r\nconnection: close\r\n${lines.join("")}`;
}
