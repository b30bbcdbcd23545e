import { setTimeout as pause } from "node:timers/promises";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { mostBytes } from "../../provider/client/wire";
import * as api from "./api";
import { answer, callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, wireServer } from "./calls";

/** What something between the provider and the service adds to answers. */

const billingAnswer = { billing: { id: "b" } };
const bodyOf = (path: string) => (path.endsWith("billing") ? billingAnswer : keyAnswer);
const calls: readonly (readonly [string, (call: api.Call) => Promise<unknown>])[] = [
  ["GET", (call) => api.readApiKey(call, keyPath)],
  ["POST of a key", async (call) => (await api.createApiKey(call, newKey)).record],
  ["PATCH", async (call) => (await api.editApiKey(call, keyPath, { name: "a" })).record],
  ["POST of credits", async (call) => (await api.createBilling(call, newBilling)).record],
];

const interim = (status: number, ...headers: string[]) =>
  `${[`HTTP/1.1 ${status} X`, ...headers].join("\r\n")}\r\n\r\n`;
const continued = interim(100);
test.each<[string, string]>([
  ["a 100", continued],
  ["a 100 with headers", interim(100, "x-a: b", "content-length: 0")],
  ["three 100", continued.repeat(3)],
  ["a 102 and a 100", interim(102) + continued],
  ["a 100 and a 103", continued + interim(103, "link: </a>; rel=preload")],
])(
  "interim answers (%s) before an answer are ignored, together with it or a byte at a time",
  async (_, before) => {
    for (const isSlow of [false, true]) {
      const server = await wireServer(({ path }, socket) => {
        const text = before + answer(200, bodyOf(path));
        if (!isSlow) return text;
        socket.setNoDelay(true);
        void (async () => {
          for (const byte of text.slice(0, before.length + 12)) {
            socket.write(byte);
            await pause(1);
          }
          socket.write(text.slice(before.length + 12));
        })();
        return undefined;
      });
      const call = callTo(server.url);
      for (const [name, run] of calls)
        expect(await run(call), name).toMatchObject({ id: expect.any(String) });
      expect(server.requests).toHaveLength(calls.length);
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 2]);
    }
  },
);

test("an answer that ends with the connection follows a 100, and what looks like one in a body stays", async () => {
  const server = await wireServer((_request, socket) => {
    socket.write(`${continued}HTTP/1.1 200 X\r\nconnection: close\r\n\r\n{"apiKey":{"id":"k","name":"`);
    void pause(20).then(() => socket.end('HTTP/1.1 100 Continue"}}'));
    return undefined;
  });
  expect((await api.readApiKey(callTo(server.url), keyPath)).name).toBe("HTTP/1.1 100 Continue");
});

test("a call that gets only interim answers fails as if it had none", async () => {
  const server = await wireServer((_request, socket) => {
    const drip = setInterval(() => socket.write(continued), 20);
    socket.on("close", () => clearInterval(drip));
    return undefined;
  });
  const call = callTo(server.url, { timeOuts: { headersMs: 500, exchangeMs: 3_000 } });
  const { verdict, message } = await errorOf(api.createApiKey(call, newKey));
  expect([verdict, message]).toEqual(["ambiguous", "no answer came within 30 s after the request was sent"]);
});

/** An answer whose body is these bytes. */
const marked = (status: number, coding: string, body: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status} X\r\ncontent-length: ${body.length}\r\ncontent-encoding: ${coding}\r\n\r\n`,
    ),
    body,
  ]);
const always = (bytes: Buffer) =>
  wireServer((_request, socket) => {
    socket.write(bytes);
    return undefined;
  });

const record = Buffer.from(JSON.stringify({ apiKey: { id: "k", key: "sk_1", name: "é" } }));
test.each<[string, Buffer]>([
  ["gzip", gzipSync(record)],
  ["X-GZIP", gzipSync(record)],
  ["deflate", deflateSync(record)],
  ["deflate", deflateRawSync(record)],
  ["br", brotliCompressSync(record)],
  ["gzip, br", brotliCompressSync(gzipSync(record))],
  ["identity", record],
  ["br", record],
  ["constructor", record],
])("an answer that is marked as %s is read, even if it is not what it is marked as", async (coding, body) => {
  const server = await always(marked(200, coding, body));
  const { record: created } = await api.createApiKey(callTo(server.url), newKey);
  expect(created).toMatchObject({ id: "k", key: "sk_1", name: "é" });
  const refusing = await always(
    marked(400, coding, gzipSync(JSON.stringify({ message: "no such customer" }))),
  );
  const { message } = await errorOf(api.createApiKey(callTo(refusing.url), newKey));
  const isRead = coding.toLowerCase().endsWith("gzip");
  expect(message).toBe(`the service answered 400${isRead ? ' "no such customer"' : ""}`);
});

test.each<[string, string, Buffer]>([
  ["an unknown coding", "zip", gzipSync(record)],
  ["half of it", "gzip", gzipSync(record).subarray(0, 30)],
  ["too much", "gzip", gzipSync(Buffer.alloc(mostBytes + 1, " "))],
])("an answer that can't be decoded (%s) is named as such", async (_, coding, body) => {
  const server = await always(marked(200, coding, body));
  const { problem } = await api.createApiKey(callTo(server.url), newKey);
  expect(problem).toBe("the answer is not text: it may be compressed in an unknown way");
});

test.each(["<!doctype html><title>Sign in</title>", "\n <HTML lang=en>\u00e9</HTML>"])(
  "a page is named as such: %j",
  async (page) => {
    const server = await wireServer(() => answer(200, page));
    const { message } = await errorOf(api.readApiKey(callTo(server.url), keyPath));
    expect(message).toBe("the service answered 200, but the answer is a page of HTML, not JSON");
  },
);
