import { describe, expect, it, onTestFinished } from "vitest";
import { type LoggedRequest, startStandIn } from "../../../standin";
import { entry, newKey, open, send } from "./standInCaller";

describe("the stand-in's methods", () => {
  it("edit a key as given, with missing flags and ids of its scopes filled in", async () => {
    const { standIn, create, get, keyPath } = await open({ names: "lowerCased" });
    const { id, createdAt } = await create();
    standIn.editKey(id, { name: "By Hand", prefix: "p", scopes: [{ representation: "orders", del: true }] });
    const { apiKey } = (await get(keyPath(id))).body;
    expect(apiKey).toMatchObject({ name: "By Hand", prefix: "p", createdAt, enabled: true });
    expect(apiKey.scopes).toEqual([{ ...entry("orders", "del"), id: expect.any(String) }]);
    standIn.editKey(id, { prefix: undefined });
    expect((await get(keyPath(id))).body.apiKey).not.toHaveProperty("prefix");
  });

  it("delete a key in the variant's way", async () => {
    const { standIn, create } = await open();
    const [removed, marked] = [await create(), await create()];
    standIn.deleteKey(removed.id);
    standIn.setVariant({ delete: "marks" });
    standIn.deleteKey(marked.id);
    expect(standIn.key(removed.id)).toBeUndefined();
    expect(standIn.key(marked.id)?.deleted).toBe(true);
    expect(standIn.keys({ deleted: false })).toEqual([]);
  });

  it("add a key with generated values for missing fields", async () => {
    const { standIn, get, keyPath } = await open();
    const made = standIn.addKey({ workspaceId: "ws_main", name: "theirs", billingId: "b" });
    expect(made.key).toMatch(/^sk_/);
    const { apiKey } = (await get(keyPath(made.id))).body;
    expect(apiKey).toMatchObject({ name: "theirs", enabled: true, scopes: [], billingId: "b" });
    expect(standIn.addKey({ workspaceId: "ws_second", name: "x", id: "key_mine" }).id).toBe("key_mine");
    expect(standIn.keys({ workspaceId: "ws_second" }).map(({ id }) => id)).toEqual(["key_mine"]);
  });

  it("add, edit and delete scopes, and edit and delete workspaces", async () => {
    const { standIn, get, create, keyPath } = await open();
    const { id } = standIn.addScope({ workspaceId: "ws_main", representation: "orders" });
    standIn.editScope(id, { name: "Renamed" });
    expect((await get("/workspace/ws_main/scopes")).body.scopes).toMatchObject([{ id, name: "Renamed" }]);
    standIn.deleteScope(id);
    expect(standIn.scopes("ws_main")).toEqual([]);
    standIn.editWorkspace("ws_main", { name: "Mine", defaultAllowedIPs: ["::1"] });
    const { workspace } = (await get("/workspace/ws_main")).body;
    expect(workspace).toMatchObject({ name: "Mine", defaultAllowedIPs: ["::1"] });
    const key = await create();
    standIn.deleteWorkspace("ws_main");
    expect((await get("/workspace/ws_main")).status).toBe(404);
    expect((await get(keyPath(key.id))).status).toBe(404);
    expect(standIn.keys()).toEqual([]);
  });

  it("return copies of records", async () => {
    const { standIn, create } = await open();
    const { id } = await create();
    const copy = standIn.key(id);
    if (copy?.scopes[0] === undefined) throw new Error("the key has no scopes");
    copy.name = "changed";
    copy.scopes[0].read = false;
    Object.assign(standIn.workspaces()[0] ?? {}, { name: "changed" });
    expect(standIn.key(id)).toMatchObject({ name: "ci", scopes: [{ read: true }, {}] });
    expect(standIn.workspaces()[0]?.name).toBe("Main");
  });

  it("fail if a record does not exist or already exists", async () => {
    const { standIn } = await open();
    const key = { workspaceId: "ws_main", name: "k", id: "key_1" };
    standIn.addKey(key);
    expect(() => standIn.addKey(key)).toThrow(/there is a key "key_1" already/);
    expect(() => standIn.editKey("key_2", {})).toThrow(/there is no key "key_2"/);
    expect(() => standIn.deleteKey("key_2")).toThrow(/no key/);
    expect(() => standIn.addKey({ ...key, id: "key_3", workspaceId: "ws_none" })).toThrow(/no workspace/);
    expect(() => standIn.editScope("sc_1", {})).toThrow(/no scope/);
    expect(() => standIn.rotateToken("nobody", "x")).toThrow(/no tenant/);
    expect(() => standIn.addTenant({ name: "acme", accessToken: "x", workspaces: [] })).toThrow(/already/);
  });
});

describe("tenants of the stand-in", () => {
  it("are set up as given, and see only their own workspaces", async () => {
    const standing = {
      tenants: [
        { accessToken: "token_a", workspaces: [{ id: "ws_a", teamId: "team_a" }] },
        { accessToken: "token_b", workspaces: [{ id: "ws_b", name: "B" }] },
      ],
    };
    const { standIn, get } = await open({}, standing);
    expect(standIn.accessToken).toBe("token_a");
    expect(standIn.workspaces().map(({ id, tenant }) => [tenant, id])).toEqual([
      ["acme", "ws_a"],
      ["tenant2", "ws_b"],
    ]);
    expect((await get("/workspace")).body.workspaces).toMatchObject([
      { id: "ws_a", name: "ws_a", teamId: "team_a" },
    ]);
    expect((await get("/workspace/ws_b")).status).toBe(404);
    const asB = { authorization: "Bearer token_b" };
    expect((await send(standIn, "GET", "/workspace/ws_b", undefined, asB)).status).toBe(200);
    expect((await send(standIn, "POST", "/api-key", { ...newKey, workspaceId: "ws_a" }, asB)).status).toBe(
      404,
    );
  });

  it("lose their old token when it is rotated", async () => {
    const { standIn, get } = await open();
    const authorization = `Bearer ${standIn.accessToken}`;
    standIn.rotateToken("acme", "rotated");
    expect((await send(standIn, "GET", "/workspace", undefined, { authorization })).status).toBe(401);
    expect(standIn.accessToken).toBe("rotated");
    expect((await get("/workspace")).status).toBe(200);
  });
});

describe("the stand-in's request log", () => {
  it("has every request with its endpoint, tenant, body and status, but no token", async () => {
    const { standIn, post, get } = await open();
    await post("/api-key", newKey);
    await post("/api-key", "{");
    await get("/workspace/ws%20main?x=1");
    await get("/nothing");
    await send(standIn, "GET", "/workspace", undefined, { authorization: "Bearer wrong" });
    expect(standIn.requests).toMatchObject([
      {
        n: 1,
        method: "POST",
        endpoint: "createApiKey",
        tenant: "acme",
        body: newKey,
        status: 201,
        carriedOut: true,
      },
      { n: 2, endpoint: "createApiKey", body: "{", status: 400, carriedOut: false },
      {
        n: 3,
        path: "/api/v1/workspace/ws%20main?x=1",
        endpoint: "readWorkspace",
        body: undefined,
        status: 404,
      },
      { n: 4, endpoint: "unknown", status: 404, fault: undefined },
      { n: 5, endpoint: "listWorkspaces", tenant: undefined, status: 401 },
    ]);
    expect(JSON.stringify(standIn.requests)).not.toContain(standIn.accessToken);
    standIn.clearRequests();
    await get("/workspace");
    expect(standIn.requests).toMatchObject([{ n: 1 }]);
  });

  it("is passed to onRequest one request at a time, each with its status", async () => {
    const seen: LoggedRequest[] = [];
    const { standIn, get } = await open({}, { onRequest: (request) => seen.push(request) });
    standIn.inject({ fault: { kind: "resetAfter" } });
    await get("/workspace").catch(() => {});
    await get("/workspace");
    expect(seen.map(({ status }) => status)).toEqual([0, 200]);
  });

  it("reaches the test runner with what onRequest throws", async () => {
    const runners = process.rawListeners("uncaughtException") as NodeJS.UncaughtExceptionListener[];
    process.removeAllListeners("uncaughtException");
    onTestFinished(() => {
      process.removeAllListeners("uncaughtException");
      for (const runner of runners) process.on("uncaughtException", runner);
    });
    const told = new Promise((tell) => process.once("uncaughtException", tell));
    const problem = new Error("an assertion of the test");
    const onRequest = () => {
      throw problem;
    };
    const { get } = await open({}, { onRequest });
    expect((await get("/workspace")).status).toBe(200);
    expect(await told).toBe(problem);
  });
});

describe("the stand-in's server", () => {
  it("refuses connections while stopped, and keeps its records until it is started again", async () => {
    const { standIn, create, get, keyPath } = await open();
    const { id } = await create();
    const { url } = standIn;
    await standIn.stop();
    await expect(get("/workspace")).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await standIn.start();
    expect(standIn.url).toBe(url);
    expect((await get(keyPath(id))).status).toBe(200);
  });

  it("cuts off requests in progress when it closes, and can be closed twice", async () => {
    const standIn = await startStandIn();
    standIn.inject({ fault: { kind: "hang" } });
    const hanging = expect(send(standIn, "GET", "/workspace")).rejects.toThrow();
    await expect.poll(() => standIn.requests.length).toBe(1);
    await standIn.close();
    await hanging;
    await standIn.close();
  });

  it("uses the given port, and fails if that is in use", async () => {
    const { standIn } = await open();
    const port = Number(new URL(standIn.url).port);
    await expect(startStandIn({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await standIn.close();
    const second = await startStandIn({ port });
    expect(second.url).toBe(standIn.url);
    await second.close();
  });

  it("answers after the given latency, and after a new one from the next request on", async () => {
    const { standIn, get } = await open({}, { latencyMs: 500 });
    const reply = get("/workspace");
    await expect.poll(() => standIn.requests.length, { interval: 1 }).toBe(1);
    expect(standIn.requests[0]?.status).toBe(0);
    standIn.setLatency(60);
    const began = performance.now();
    await get("/workspace");
    expect(performance.now() - began).toBeGreaterThan(50);
    expect((await reply).status).toBe(200);
  });
});
