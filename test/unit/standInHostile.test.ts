import { createConnection } from "node:net";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../standin";
import { newKey, open } from "./standInCaller";

const listing = "GET /api/v1/workspace HTTP/1.1\r\nHost: x\r\n";

/** All bytes of the answer to one request. After `most` bytes the client closes the connection. */
async function rawAnswer(fault: Fault, most = 4_000_000) {
  const { standIn } = await open();
  standIn.inject({ fault });
  const { hostname, port } = new URL(standIn.url);
  const request = `${listing}Authorization: Bearer ${standIn.accessToken}\r\nConnection: close\r\n\r\n`;
  const received = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const socket = createConnection(Number(port), hostname, () => socket.write(request));
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) socket.destroy();
    });
    socket.on("close", () => resolve(Buffer.concat(chunks)));
    socket.on("error", reject);
  });
  expect(standIn.requests[0]?.fault).toBe(fault.kind);
  const text = received.toString("latin1");
  const at = text.indexOf("\r\n\r\n");
  return { text, head: text.slice(0, at), body: text.slice(at + 4), bytes: received.subarray(at + 4) };
}

describe("a hostile answer of the stand-in", () => {
  it("headers: the usual answer with other headers, even several with one name", async () => {
    const headers = { "content-type": "text/html", "Retry-After": ["1", "x"] };
    const { head, body } = await rawAnswer({ kind: "headers", headers });
    expect(head).toMatch(/content-type: text\/html/i);
    expect(head.match(/retry-after: (1|x)/gi)).toHaveLength(2);
    expect(JSON.parse(body).workspaces).toHaveLength(2);
  });

  it("moreFields: each record contains the given text, even if that is no JSON", async () => {
    const more = await rawAnswer({ kind: "moreFields", json: '"name":"b","__proto__":[[]]' });
    const { workspaces } = JSON.parse(more.body);
    expect(workspaces.map((one: { name: string }) => one.name)).toEqual(["b", "b"]);
    expect(more.body.match(/"__proto__":\[\[\]\]\}/g)).toHaveLength(2);
    const { standIn, create, keyPath, get } = await open();
    const { id } = await create({ name: "a" });
    standIn.inject({ fault: { kind: "moreFields", json: '"$&":' } });
    expect((await get(keyPath(id as string))).text).toMatch(/^\{"apiKey":\{"id":.*,"\$&":\}\}$/);
  });

  it("surrounded: bytes before and after the answer", async () => {
    const before = "HTTP/1.1 103 X\r\n\r\n";
    const { text } = await rawAnswer({ kind: "surrounded", before, after: "later" });
    expect(text).toMatch(/^HTTP\/1\.1 103 X\r\n\r\nHTTP\/1\.1 200 OK\r\n.*"workspaces".*\}later$/s);
  });

  it("raw: applied, with these bytes as the answer", async () => {
    expect((await rawAnswer({ kind: "raw", bytes: "HTTP/1.1 99\xff\r\n" })).text).toBe("HTTP/1.1 99\xff\r\n");
    const { standIn, post } = await open();
    standIn.inject({ fault: { kind: "raw", bytes: "no" } });
    await expect(post("/api-key", newKey)).rejects.toThrow();
    expect([standIn.keys().length, standIn.requests[0]?.carriedOut]).toEqual([1, true]);
  });

  it("wrongLength: a length that is too large or too small", async () => {
    for (const by of [10, -10]) {
      const { head, body } = await rawAnswer({ kind: "wrongLength", by });
      expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBe(body.length + by);
      const chunked = await rawAnswer({ kind: "wrongLength", by, chunked: true });
      expect(Number.parseInt(chunked.body, 16)).toBe(body.length + by);
      const [, held = ""] = chunked.body.split("\r\n");
      expect(held).toHaveLength(body.length);
      expect(chunked.body).toMatch(/\}\r\n0\r\n\r\n$/);
    }
  });

  it("endless: headers or 1xx answers until the client closes the connection", async () => {
    const headers = await rawAnswer({ kind: "endless", what: "headers" });
    expect(headers.text.length).toBeGreaterThan(4_000_000);
    expect(headers.text).toMatch(/^HTTP\/1\.1 200 X\r\n/);
    expect(headers.head).toBe(headers.text.slice(0, -1));
    const interim = await rawAnswer({ kind: "endless", what: "interim" });
    expect(interim.text.length).toBeGreaterThan(4_000_000);
    expect(interim.text).not.toMatch(/HTTP\/1\.1 2/);
  });

  it("gzipBomb: a small body that decompresses to a large one with the answer in it", async () => {
    const { head, bytes } = await rawAnswer({ kind: "gzipBomb", bytes: 20_000_000 });
    expect(head).toMatch(/content-encoding: gzip/);
    expect(bytes.length).toBeLessThan(100_000);
    const whole = gunzipSync(bytes);
    expect(whole).toHaveLength(20_000_000);
    expect(JSON.parse(whole.toString()).workspaces).toHaveLength(2);
  });
});
