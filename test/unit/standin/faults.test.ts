import { createConnection } from "node:net";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../../standin";
import { heldKey, newKey, open, send } from "./standInCaller";

/** Creates a key with this fault: what the client gets, whether the key was created, and the logged status. */
async function createWith(fault: Fault) {
  const { standIn, post, get } = await open();
  standIn.inject({ fault });
  const reply = await post("/api-key", newKey).catch(() => undefined);
  expect((await get("/workspace")).status).toBe(200);
  const [request] = standIn.requests;
  expect(request?.fault).toBe(fault.kind);
  expect(request?.carriedOut).toBe(standIn.keys().length === 1);
  const { status, body, text = "" } = reply ?? {};
  const headers = Object.fromEntries(reply?.headers ?? []);
  const bytes = Buffer.byteLength(text);
  return { status, body, text, bytes, headers, carriedOut: request?.carriedOut, logged: request?.status };
}

const noAnswer = { status: undefined, text: "" };
const message = { message: expect.any(String) };
const without = (...names: readonly string[]) =>
  expect.not.objectContaining(Object.fromEntries(names.map((name) => [name, expect.anything()])));

describe("a fault of the stand-in", () => {
  it.each<[Fault, object]>([
    [{ kind: "resetBefore" }, { ...noAnswer, logged: 0, carriedOut: false }],
    [{ kind: "resetAfter" }, { ...noAnswer, logged: 0, carriedOut: true }],
    [{ kind: "truncated" }, { ...noAnswer, logged: 201, carriedOut: true }],
    [{ kind: "errorAfter" }, { status: 500, body: message, carriedOut: true, logged: 500 }],
    [
      { kind: "errorAfter", status: 504 },
      { status: 504, carriedOut: true },
    ],
    [
      { kind: "status", status: 503 },
      { status: 503, body: message, carriedOut: false },
    ],
    [
      { kind: "status", status: 402, body: { a: 1 }, headers: { "x-why": "funds" } },
      { status: 402, body: { a: 1 }, headers: { "x-why": "funds" }, carriedOut: false },
    ],
    [
      { kind: "status", status: 502, body: "bad gateway" },
      { text: "bad gateway", headers: { "content-type": "text/plain" } },
    ],
    [
      { kind: "garbled" },
      {
        status: 200,
        body: undefined,
        text: expect.stringMatching(/^\{"apiKey":.*"key":"sk_/),
        carriedOut: true,
      },
    ],
    [
      { kind: "status", status: 307, headers: { location: "http://127.0.0.1:9/x" } },
      { status: 307, headers: { location: "http://127.0.0.1:9/x" }, carriedOut: false },
    ],
    [
      { kind: "hugeBody", bytes: 3_000_000 },
      { status: 201, bytes: 3_000_000, carriedOut: true, headers: without("content-length") },
    ],
    [
      { kind: "hugeBody", bytes: 100_000, contentLength: true },
      { bytes: 100_000, body: { apiKey: { name: "ci" } }, headers: { "content-length": "100000" } },
    ],
    [
      { kind: "html" },
      {
        status: 200,
        text: expect.stringMatching(/^<!doctype html>/),
        headers: { "content-type": "text/html; charset=utf-8" },
        carriedOut: false,
      },
    ],
    [{ kind: "html", status: 502 }, { status: 502 }],
    [{ kind: "emptyBody" }, { status: 200, text: "", carriedOut: true }],
    [{ kind: "emptyBody", status: 202 }, { status: 202 }],
    [{ kind: "withoutKey" }, { body: { apiKey: without("key") }, carriedOut: true }],
    [
      { kind: "headers", headers: { "content-type": "text/html", "retry-after": ["1", "x"] } },
      {
        status: 201,
        body: { apiKey: { name: "ci" } },
        headers: { "content-type": "text/html", "retry-after": "1, x" },
        carriedOut: true,
      },
    ],
    [
      { kind: "moreFields", json: '"name":"b","$&":1' },
      { body: { apiKey: { name: "b", "$&": 1, key: expect.any(String) } }, carriedOut: true },
    ],
    [
      { kind: "raw", bytes: "no" },
      { ...noAnswer, carriedOut: true },
    ],
  ])("changes the answer to a create, and applies it or not, as documented: %j", async (fault, expected) => {
    expect(await createWith(fault)).toMatchObject(expected);
  });

  it("truncated: half of the body arrives, and an answer without a body is cut off too", async () => {
    const { standIn, patch } = await open({ patchAnswer: "nothing" });
    standIn.inject({ fault: { kind: "truncated" } });
    const [headers, body] = (await exchangeRaw(standIn.url)).split("\r\n\r\n");
    const declared = Number(/content-length: (\d+)/i.exec(headers ?? "")?.[1]);
    expect(body).toMatch(/^\{"message"/);
    expect(body).toHaveLength(Math.floor(declared / 2));
    standIn.inject({ fault: { kind: "truncated" } });
    await expect(patch("/workspace/ws_main", { defaultKeyPrefix: "p" })).rejects.toThrow();
    expect(standIn.workspaces()[0]?.defaultKeyPrefix).toBe("p");
  });

  it.each([true, false])("hang: no answer (applied: %s)", async (carriedOut) => {
    const { standIn, post } = await open();
    standIn.inject({ fault: { kind: "hang", carriedOut } });
    const reply = expect(post("/api-key", newKey)).rejects.toThrow();
    await expect.poll(() => standIn.requests.length).toBe(1);
    expect(standIn.keys()).toHaveLength(carriedOut ? 1 : 0);
    expect(standIn.requests[0]).toMatchObject({ status: 0, carriedOut });
    await standIn.close();
    await reply;
  });

  it("drip: the whole body, a few bytes at a time", async () => {
    const { standIn } = await open();
    standIn.inject({ fault: { kind: "drip", bytesPerSecond: 2_000 } });
    const response = await fetch(`${standIn.url}/api/v1/workspace`, {
      headers: { authorization: `Bearer ${standIn.accessToken}` },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(1);
    expect(JSON.parse(Buffer.concat(chunks).toString()).workspaces).toHaveLength(2);
  });

  it.each<Fault>([
    { kind: "drip", bytesPerSecond: 1 },
    { kind: "hugeBody", bytes: 1_000_000_000 },
  ])("ends when the client closes the connection without reading on: %j", async (fault) => {
    let ended = 0;
    const { standIn } = await open({}, { onRequest: () => (ended += 1) });
    standIn.inject({ fault });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${standIn.accessToken}` };
    await fetch(`${standIn.url}/api/v1/workspace`, { headers, signal: leaving.signal });
    leaving.abort();
    await expect.poll(() => ended).toBe(1);
  });

  it("withoutKey: migrate doesn't return the key either", async () => {
    const { standIn, post } = await open();
    standIn.inject({ fault: { kind: "withoutKey" } });
    expect((await post("/api-key/migrate", heldKey)).body.apiKey).not.toHaveProperty("key");
  });

  it("otherRecord: another record of the tenant if there is one, otherwise an invented one", async () => {
    const { standIn, create, get, post, patch, keyPath } = await open();
    standIn.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "otherRecord" } });
    standIn.addTenant({ accessToken: "other", workspaces: [{ id: "ws_other" }] });
    standIn.addKey({ workspaceId: "ws_other", name: "foreign" });
    const invented = await create({ name: "first" });
    const [first] = standIn.keys({ workspaceId: "ws_main" });
    expect(invented).toMatchObject({ id: `${first?.id}-other`, name: "first", key: first?.key });
    expect(await create({ name: "second" })).toMatchObject({ id: first?.id, key: first?.key });
    const second = standIn.keys({ workspaceId: "ws_main" })[1]?.id ?? "";
    expect((await get(keyPath(second))).body.apiKey).toMatchObject({ id: first?.id });
    expect((await patch("/workspace/ws_main", {})).body.workspace.id).toBe("ws_second");
    const scope = { name: "s", representation: "s", description: "" };
    const made = (await post("/workspace/ws_main/scope", scope)).body.scope;
    expect(made.id).toBe(`${standIn.scopes("ws_main")[0]?.id}-other`);
    const billing = { totalCredits: "1", workspaceId: "ws_main" };
    await post("/customer-billing", billing);
    expect((await post("/customer-billing", billing)).body.billing.id).toBe(standIn.billings()[0]?.id);
    expect((await get("/workspace")).body.workspaces).toHaveLength(2);
  });
});

describe("a fault rule of the stand-in", () => {
  const broken: Fault = { kind: "status", status: 503 };

  it("applies once by default, and only after as many requests as `after` says", async () => {
    const { standIn, get } = await open();
    const statuses = async (count: number) => {
      const seen: number[] = [];
      for (let n = 0; n < count; n += 1) seen.push((await get("/workspace")).status);
      return seen;
    };
    standIn.inject({ after: 1, fault: broken });
    expect(await statuses(3)).toEqual([200, 503, 200]);
    standIn.inject({ times: 2, fault: broken });
    expect(await statuses(3)).toEqual([503, 503, 200]);
    standIn.inject({ times: Number.POSITIVE_INFINITY, fault: broken });
    expect(await statuses(5)).toEqual([503, 503, 503, 503, 503]);
    standIn.clearFaults();
    expect(await statuses(1)).toEqual([200]);
  });

  it("applies only to the given endpoints, method and condition", async () => {
    const { standIn, get, post } = await open();
    standIn.inject({ endpoint: "createApiKey", fault: broken });
    standIn.inject({ endpoint: ["readWorkspace", "listScopes"], fault: broken });
    standIn.inject({ method: "POST", fault: { kind: "status", status: 502 } });
    standIn.inject({
      when: ({ path }) => path.endsWith("ws_second"),
      fault: { kind: "status", status: 500 },
    });
    expect((await get("/workspace")).status).toBe(200);
    expect((await get("/workspace/ws_main/scopes")).status).toBe(503);
    expect((await get("/workspace/ws_main")).status).toBe(200);
    expect((await get("/workspace/ws_second")).status).toBe(500);
    expect((await post("/api-key", newKey)).status).toBe(503);
    expect((await post("/api-key", newKey)).status).toBe(502);
    expect((await post("/api-key", newKey)).status).toBe(201);
  });

  it("counts requests that another rule applies to", async () => {
    const { standIn, get } = await open();
    standIn.inject({ fault: broken });
    standIn.inject({ after: 1, fault: { kind: "status", status: 502 } });
    expect((await get("/workspace")).status).toBe(503);
    expect((await get("/workspace")).status).toBe(502);
  });

  it("does not apply a request that the stand-in would have refused", async () => {
    const { standIn } = await open();
    standIn.inject({ fault: { kind: "resetAfter" } });
    await expect(send(standIn, "POST", "/api-key", { name: "x" })).rejects.toThrow();
    expect(standIn.requests[0]).toMatchObject({ carriedOut: false, fault: "resetAfter" });
  });
});

/** All bytes of the answer to a request without a token. */
function exchangeRaw(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const request = "GET /api/v1/workspace HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const socket = createConnection(Number(port), hostname, () => socket.write(request));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}
