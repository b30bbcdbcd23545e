import { createConnection } from "node:net";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../standin";
import { heldKey, type Json, newKey, open } from "./standInCaller";

/** Creates a key with this fault. Returns the answer, whether the key was created, and the logged status. */
async function createWith(fault: Fault) {
  const { standIn, post, get } = await open();
  standIn.inject({ fault });
  const reply = await post("/api-key", newKey).catch((error: Error) => error);
  expect((await get("/workspace")).status).toBe(200);
  const { status, carriedOut, fault: logged } = standIn.requests[0] ?? {};
  expect(logged).toBe(fault.kind);
  expect(carriedOut).toBe(standIn.keys().length === 1);
  return { ...(reply instanceof Error ? { failed: true } : reply), logged: status, carriedOut } as Json;
}

describe("a fault of the stand-in", () => {
  it("resetBefore: not applied, no answer", async () => {
    expect(await createWith({ kind: "resetBefore" })).toEqual({ failed: true, logged: 0, carriedOut: false });
  });

  it("resetAfter: applied, no answer", async () => {
    expect(await createWith({ kind: "resetAfter" })).toEqual({ failed: true, logged: 0, carriedOut: true });
  });

  it("errorAfter: applied, then an error in the dialect's form", async () => {
    const expected = { status: 500, body: { message: expect.any(String) }, carriedOut: true, logged: 500 };
    expect(await createWith({ kind: "errorAfter" })).toMatchObject(expected);
    expect((await createWith({ kind: "errorAfter", status: 504 })).status).toBe(504);
  });

  it("status: not applied, with the given status, body and headers", async () => {
    expect(await createWith({ kind: "status", status: 503 })).toMatchObject({
      status: 503,
      body: { message: expect.any(String) },
      carriedOut: false,
    });
    const json = await createWith({
      kind: "status",
      status: 402,
      body: { a: 1 },
      headers: { "x-why": "funds" },
    });
    expect([json.status, json.body, json.headers.get("x-why")]).toEqual([402, { a: 1 }, "funds"]);
    const text = await createWith({ kind: "status", status: 502, body: "bad gateway" });
    expect([text.text, text.headers.get("content-type")]).toEqual(["bad gateway", "text/plain"]);
  });

  it("truncated: applied, but only half of the body arrives", async () => {
    expect(await createWith({ kind: "truncated" })).toEqual({ failed: true, logged: 201, carriedOut: true });
    const { standIn } = await open();
    standIn.inject({ fault: { kind: "truncated" } });
    const raw = await exchangeRaw(standIn.url, `GET /api/v1/workspace HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [headers, body] = raw.split("\r\n\r\n");
    const declared = Number(/content-length: (\d+)/i.exec(headers ?? "")?.[1]);
    expect(body).toMatch(/^\{"message"/);
    expect(body).toHaveLength(Math.floor(declared / 2));
  });

  it("truncated: an answer without a body is cut off too", async () => {
    const { standIn, patch } = await open({ patchAnswer: "nothing" });
    standIn.inject({ fault: { kind: "truncated" } });
    await expect(patch("/workspace/ws_main", { defaultKeyPrefix: "p" })).rejects.toThrow();
    expect(standIn.workspaces()[0]?.defaultKeyPrefix).toBe("p");
    expect(standIn.requests[0]?.status).toBe(200);
  });

  it("garbled: applied, with a body that only begins like JSON", async () => {
    const { status, text, body, carriedOut } = await createWith({ kind: "garbled" });
    expect([status, body, carriedOut]).toEqual([200, undefined, true]);
    expect(text).toMatch(/^\{"apiKey":.*"key":"sk_/);
  });

  it.each([true, false])("hang: no answer (applied: %s)", async (carriedOut) => {
    const { standIn } = await open();
    standIn.inject({ fault: { kind: "hang", carriedOut } });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${standIn.accessToken}`, "content-type": "application/json" };
    const reply = fetch(`${standIn.url}/api/v1/api-key`, {
      method: "POST",
      headers,
      body: JSON.stringify(newKey),
      signal: leaving.signal,
    });
    await expect.poll(() => standIn.requests.length).toBe(1);
    expect(standIn.keys()).toHaveLength(carriedOut ? 1 : 0);
    expect(standIn.requests[0]).toMatchObject({ status: 0, carriedOut });
    leaving.abort();
    await expect(reply).rejects.toThrow();
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

  it("drip: ends when the client closes the connection", async () => {
    const { standIn, get } = await open();
    standIn.inject({ fault: { kind: "drip", bytesPerSecond: 1 } });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${standIn.accessToken}` };
    await fetch(`${standIn.url}/api/v1/workspace`, { headers, signal: leaving.signal });
    leaving.abort();
    expect((await get("/workspace")).status).toBe(200);
  });

  it("rateLimited: not applied, with or without Retry-After", async () => {
    const limited = await createWith({ kind: "rateLimited", retryAfter: 3 });
    expect(limited).toMatchObject({ status: 429, carriedOut: false });
    expect(limited.headers.get("retry-after")).toBe("3");
    expect((await createWith({ kind: "rateLimited" })).headers.get("retry-after")).toBeNull();
    const odd = await createWith({ kind: "rateLimited", retryAfter: "soon" });
    expect(odd.headers.get("retry-after")).toBe("soon");
  });

  it("redirect: not applied, with a Location", async () => {
    const { status, headers, carriedOut } = await createWith({
      kind: "redirect",
      to: "http://127.0.0.1:9/x",
    });
    expect([status, headers.get("location"), carriedOut]).toEqual([307, "http://127.0.0.1:9/x", false]);
    expect((await createWith({ kind: "redirect", to: "/x", status: 301 })).status).toBe(301);
  });

  it("hugeBody: applied, with the answer padded to the given size", async () => {
    const huge = await createWith({ kind: "hugeBody", bytes: 3_000_000 });
    expect(huge).toMatchObject({ status: 201, carriedOut: true });
    expect(Buffer.byteLength(huge.text)).toBe(3_000_000);
    expect(huge.body.apiKey.name).toBe("ci");
    expect(huge.headers.get("content-length")).toBeNull();
    const sized = await createWith({ kind: "hugeBody", bytes: 100_000, contentLength: true });
    expect([sized.headers.get("content-length"), Buffer.byteLength(sized.text)]).toEqual(["100000", 100_000]);
  });

  it("hugeBody: ends when the client closes the connection without reading on", async () => {
    let ended = 0;
    const { standIn } = await open({}, { onRequest: () => (ended += 1) });
    standIn.inject({ fault: { kind: "hugeBody", bytes: 1_000_000_000 } });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${standIn.accessToken}` };
    await fetch(`${standIn.url}/api/v1/workspace`, { headers, signal: leaving.signal });
    leaving.abort();
    await expect.poll(() => ended).toBe(1);
  });

  it("html: not applied, with an HTML page as the answer", async () => {
    const { status, text, headers, carriedOut } = await createWith({ kind: "html" });
    expect([status, carriedOut, headers.get("content-type")]).toEqual([
      200,
      false,
      "text/html; charset=utf-8",
    ]);
    expect(text).toMatch(/^<!doctype html>/);
    expect((await createWith({ kind: "html", status: 502 })).status).toBe(502);
  });

  it("emptyBody: applied, without a body", async () => {
    const expected = { status: 200, text: "", carriedOut: true };
    expect(await createWith({ kind: "emptyBody" })).toMatchObject(expected);
    expect((await createWith({ kind: "emptyBody", status: 202 })).status).toBe(202);
  });

  it("withoutKey: applied, but create and migrate don't return the key", async () => {
    const { body, carriedOut } = await createWith({ kind: "withoutKey" });
    expect(body.apiKey.name).toBe("ci");
    expect(body.apiKey).not.toHaveProperty("key");
    expect(carriedOut).toBe(true);
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

function exchangeRaw(url: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = createConnection(Number(port), hostname, () => socket.write(request));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}
