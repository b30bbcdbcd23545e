import { expect, test } from "vitest";
import { type LoggedRequest, startStandIn } from "../../../standin";
import { entry, type Json, migratedKey, newKey, open, send } from "./standInCaller";

test("the stand-in creates a key, and returns its secret only then", async () => {
  const { standIn, post, get, keyPath } = await open();
  const made = await post("/api-key", { ...newKey, prefix: "ci", expiresAt: 60, metadata: { a: 1 } });
  expect(made.status).toBe(201);
  const { key, id, maskedKey, ...rest } = made.body.apiKey;
  expect(key).toMatch(/^sk_ci_[A-Za-z0-9]{32}$/);
  expect(maskedKey).toBe(`sk_…${key.slice(-4)}`);
  expect(rest).toMatchObject({ name: "ci", prefix: "ci", expiresAt: 60, enabled: true, deleted: false });
  expect(rest.scopes).toEqual(newKey.scopes.map((scope) => ({ ...scope, id: expect.any(String) })));
  expect((await get(keyPath(id))).body).toEqual({ apiKey: { id, maskedKey, ...rest } });
  expect(standIn.key(id)).toMatchObject({ key, metadata: { a: 1 }, workspaceId: "ws_main" });
  standIn.editWorkspace("ws_main", { defaultKeyPrefix: "acme" });
  expect((await post("/api-key", newKey)).body.apiKey.key).toMatch(/^sk_acme_/);
});

test("the stand-in migrates an existing key, masks it, and lists keys without secrets", async () => {
  const { create, post, get } = await open();
  const { status, body } = await post("/api-key/migrate", migratedKey);
  expect([status, body.apiKey.key, body.apiKey.maskedKey]).toEqual([201, migratedKey.key, "sk_…cdef"]);
  await create({ name: "second" });
  await create({ name: "elsewhere", workspaceId: "ws_second" });
  const { apiKeys } = (await get("/workspace/ws_main/api-key")).body;
  expect(apiKeys.map(({ name }: Json) => name)).toEqual(["ci", "second"]);
  expect(apiKeys.some((key: object) => "key" in key)).toBe(false);
});

test("the stand-in edits only the fields of the request, and keeps the ids of scope entries", async () => {
  const { create, patch, keyPath } = await open();
  const { id, scopes } = await create();
  const renamed = (await patch(keyPath(id), { name: "new" })).body.apiKey;
  expect(renamed).toMatchObject({ name: "new", enabled: true, scopes });
  expect(renamed.key).toBeUndefined();
  const narrower = { enabled: false, scopes: [entry("bills", "del", scopes[1].id)] };
  expect((await patch(keyPath(id), narrower)).body.apiKey).toMatchObject(narrower);
  expect((await patch(keyPath(id), { scopes: [entry("orders", "read", "ks_none")] })).status).toBe(400);
});

test("the stand-in finds a key only in its own workspace, and not after its deletion", async () => {
  const { standIn, create, get, patch, del, keyPath } = await open();
  const { id } = await create();
  for (const call of [get, del, (path: string) => patch(path, { name: "x" })])
    expect((await call(`/workspace/ws_second/api-key/${id}`)).status).toBe(404);
  expect((await del(keyPath(id))).body.apiKey).toMatchObject({ id, deleted: true });
  expect([(await get(keyPath(id))).status, standIn.keys()]).toEqual([404, []]);
});

test.each<[string, string, unknown, number, Record<string, string>?]>([
  ["GET", "/workspaces", undefined, 404],
  ["GET", "/api-key", undefined, 405],
  ["PUT", "/workspace/ws_main", {}, 405],
  ["GET", "/workspace", undefined, 401, { authorization: "Bearer wrong" }],
  ["POST", "/api-key", newKey, 415, { "content-type": "text/plain" }],
  ["POST", "/api-key", newKey, 201, { "content-type": "application/json; charset=utf-8" }],
  ["POST", "/api-key", "{", 400],
  ["POST", "/api-key", { ...newKey, customerId: undefined }, 400],
  ["POST", "/api-key", { ...newKey, enabled: "true" }, 400],
  ["POST", "/api-key", { ...newKey, prefix: null }, 400],
  ["POST", "/api-key", { ...newKey, expiresAt: 0 }, 400],
  ["POST", "/api-key", { ...newKey, scopes: [entry("a", "read", "ks_1")] }, 400],
  ["POST", "/api-key", { ...newKey, workspaceId: "ws_none" }, 404],
  ["POST", "/api-key/migrate", { ...migratedKey, prefix: "x" }, 400],
  ["PATCH", "/workspace/ws_main/api-key/key_mine", { customerId: "x" }, 400],
  ["PATCH", "/workspace/ws_main/api-key/key_mine", {}, 200],
  ["PATCH", "/workspace/ws_main", { name: "x" }, 400],
  ["POST", "/customer-billing", { totalCredits: "ten", workspaceId: "ws_main" }, 400],
  ["DELETE", "/workspace/ws_main/api-key/key_mine", {}, 400],
])("the stand-in is strict: it answers %s %s with %j by %i", async (method, path, body, status, headers) => {
  const { standIn } = await open();
  standIn.addKey({ workspaceId: "ws_main", name: "mine", id: "key_mine" });
  expect((await send(standIn, method, path, body, headers)).status).toBe(status);
  expect(standIn.requests[0]).toMatchObject({ status, carriedOut: status < 300 });
});

test("the stand-in names the path of what it refuses", async () => {
  const { post } = await open();
  const scopes = [entry("a", ""), { ...entry("b", ""), del: 1 }];
  expect((await post("/api-key", { ...newKey, scopes })).body.message).toBe(
    "scopes[1].del must be a boolean",
  );
});

test("the stand-in's methods change keys as if outside Pulumi: no variant rewrites them", async () => {
  const { standIn, get, keyPath } = await open({ names: "lowerCased" });
  const made = standIn.addKey({ workspaceId: "ws_main", name: "Theirs", billingId: "b" });
  expect(made.key).toMatch(/^sk_/);
  const read = async () => (await get(keyPath(made.id))).body.apiKey;
  expect(await read()).toMatchObject({ name: "Theirs", enabled: true, scopes: [], billingId: "b" });
  standIn.editKey(made.id, { scopes: [{ representation: "orders", del: true }], billingId: undefined });
  const { scopes, ...edited } = await read();
  expect(scopes).toEqual([{ ...entry("orders", "del"), id: expect.any(String) }]);
  expect(edited).not.toHaveProperty("billingId");
  Object.assign(standIn.key(made.id)?.scopes[0] ?? {}, { del: false });
  expect(standIn.key(made.id)?.scopes).toEqual(scopes);
  standIn.setVariant({ delete: "marks" });
  standIn.deleteKey(made.id);
  expect([standIn.keys({ deleted: false }), standIn.key(made.id)?.deleted]).toEqual([[], true]);
});

test("tenants of the stand-in see only their own workspaces, and lose an old token when it is rotated", async () => {
  const tenants = [
    { accessToken: "token_a", workspaces: [{ id: "ws_a", teamId: "team_a" }] },
    { accessToken: "token_b", workspaces: [{ id: "ws_b", name: "B" }] },
  ];
  const { standIn, get } = await open({}, { tenants });
  const shown = [{ id: "ws_a", name: "ws_a", teamId: "team_a" }];
  expect((await get("/workspace")).body.workspaces).toMatchObject(shown);
  const foreign = { ...newKey, workspaceId: "ws_a" };
  const asB = { authorization: "Bearer token_b" };
  expect((await send(standIn, "POST", "/api-key", foreign, asB)).status).toBe(404);
  standIn.rotateToken("acme", "rotated");
  const authorization = "Bearer token_a";
  expect((await send(standIn, "GET", "/workspace", undefined, { authorization })).status).toBe(401);
  expect([standIn.accessToken, (await get("/workspace")).status]).toEqual(["rotated", 200]);
});

test("the stand-in logs every request, but no token, and passes it to onRequest with its status", async () => {
  const seen: LoggedRequest[] = [];
  const { standIn, post, get } = await open({}, { onRequest: (request) => seen.push(request) });
  await post("/api-key", newKey);
  await post("/api-key", "{");
  await get("/workspace/ws%20main?x=1");
  await get("/nothing");
  standIn.inject({ fault: { kind: "resetAfter" } });
  await get("/workspace").catch(() => {});
  const [made, invalid] = [
    { body: newKey, status: 201 },
    { body: "{", status: 400 },
  ];
  expect(standIn.requests).toMatchObject([
    { n: 1, method: "POST", endpoint: "createApiKey", tenant: "acme", carriedOut: true, ...made },
    { n: 2, endpoint: "createApiKey", carriedOut: false, ...invalid },
    { n: 3, path: "/api/v1/workspace/ws%20main?x=1", endpoint: "readWorkspace", status: 404 },
    { n: 4, endpoint: "unknown", status: 404, fault: undefined },
    { n: 5, endpoint: "listWorkspaces", status: 0, fault: "resetAfter" },
  ]);
  expect(seen).toEqual(standIn.requests);
  expect(JSON.stringify(standIn.requests)).not.toContain(standIn.accessToken);
  standIn.clearRequests();
  await get("/workspace");
  expect(standIn.requests).toMatchObject([{ n: 1 }]);
});

test("the stand-in refuses connections while stopped, and then has the same address and records", async () => {
  const { standIn, create, get, keyPath } = await open();
  const { id } = await create();
  const { url } = standIn;
  await expect(startStandIn({ port: Number(new URL(url).port) })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
  await standIn.stop();
  await expect(get("/workspace")).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  await standIn.start();
  expect([standIn.url, (await get(keyPath(id))).status]).toEqual([url, 200]);
  await standIn.close();
  await standIn.close();
});

test("the stand-in answers after the given latency", async () => {
  const { standIn, get } = await open({}, { latencyMs: 60 });
  const reply = get("/workspace");
  await expect.poll(() => standIn.requests.length, { interval: 1 }).toBe(1);
  expect(standIn.requests[0]?.status).toBe(0);
  const began = performance.now();
  await get("/workspace");
  expect(performance.now() - began).toBeGreaterThan(50);
  expect((await reply).status).toBe(200);
});
