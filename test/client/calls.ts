import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Call } from "../../provider/client/request";
import { CallError, openTransport, type TransportOptions } from "../../provider/client/send";

export const token = "tok_0123456789/secret+value=";

/** A `Call` with this base URL and a new transport, whose pauses take no time unless one is given. */
export function callTo(baseUrl: string, options: TransportOptions = {}, accessToken = token): Call {
  const transport = openTransport({ pause: quickPauses().pause, ...options });
  onTestFinished(() => transport.close());
  return { transport, credentials: { baseUrl, accessToken } };
}

/** Pauses that take no time, and how long they were to be. */
export function quickPauses() {
  const waits: number[] = [];
  const pause = async (ms: number) => {
    waits.push(ms);
    await setImmediate();
  };
  return { waits, pause };
}

/** The error of a call. Anything but a CallError fails the test. */
export async function errorOf(call: Promise<unknown>): Promise<CallError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof CallError) return outcome;
  throw new Error(outcome === undefined ? "the call succeeded" : `not a CallError: ${String(outcome)}`);
}

export const newKey = {
  name: "ci",
  workspaceId: "ws_main",
  scopes: [{ representation: "docs", create: false, read: true, update: false, del: false }],
  enabled: true,
  customerId: "cust_1",
};

export const newBilling = {
  totalCredits: "100",
  allowOverages: false,
  spendCap: "0",
  externalMeterId: "meter_1",
  workspaceId: "ws_main",
};

/** An answer of the endpoints that return one key. */
export const keyAnswer = { apiKey: { id: "k", name: "ci" } };
export const keyPath = { workspaceId: "ws_main", keyId: "k" };

/** A request as the server received it. */
export interface Received {
  /** 1 for the first request that the server received. */
  readonly n: number;
  /** 1 for the first connection. */
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that sends exactly the bytes that a test wants, and records its requests. */
interface WireServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly Received[];
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** An HTTP/1.1 answer with a Content-Length. Headers are whole lines. */
export function answer(status: number, body: unknown = "", ...headers: string[]): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const lines = [`HTTP/1.1 ${status} X`, `content-length: ${Buffer.byteLength(text)}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

/** Handles a request: returns an answer to send, or writes to the socket itself, ends or resets it. */
export type Respond = (request: Received, socket: Socket) => string | undefined;

/** A server on a socket, which closes when the test ends. */
export async function wireServer(respond: Respond): Promise<WireServer> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    let text = "";
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.on("data", (data) => {
      text += data.toString("latin1");
      for (let next = parse(text); next !== undefined; next = parse(text)) {
        text = text.slice(next.length);
        const request = { ...next.request, connection, n: requests.length + 1 };
        requests.push(request);
        const reply = respond(request, socket);
        if (reply !== undefined) socket.write(reply);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await once(server.close(), "close");
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    sockets,
    close,
  };
}

function parse(text: string) {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (text.length < length) return undefined;
  const body = Buffer.from(text.slice(end + 4, length), "latin1").toString("utf8");
  return { length, request: { method, path, headers, body } };
}
