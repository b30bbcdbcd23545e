import { describe, expect, it } from "vitest";
import { entry, heldKey, newKey, open, send } from "./standInCaller";

describe("the stand-in, in the default variant,", () => {
  it("creates a key and returns its secret only once", async () => {
    const { standIn, post, get, keyPath } = await open();
    const made = await post("/api-key", { ...newKey, prefix: "ci", expiresAt: 60, metadata: { a: 1 } });
    expect(made.status).toBe(201);
    const { key, id, maskedKey, ...rest } = made.body.apiKey;
    expect(key).toMatch(/^sk_ci_[A-Za-z0-9]{32}$/);
    expect(maskedKey).toBe(`sk_…${key.slice(-4)}`);
    expect(rest).toMatchObject({ name: "ci", prefix: "ci", expiresAt: 60, enabled: true, deleted: false });
    expect(rest.scopes).toEqual(newKey.scopes.map((scope) => ({ ...scope, id: expect.any(String) })));
    const read = await get(keyPath(id));
    expect(read.status).toBe(200);
    expect(read.body).toEqual({ apiKey: { id, maskedKey, ...rest } });
    expect(standIn.key(id)).toMatchObject({ key, metadata: { a: 1 }, workspaceId: "ws_main" });
  });

  it("uses the workspace's default prefix for a key without one", async () => {
    const { standIn, create } = await open();
    standIn.editWorkspace("ws_main", { defaultKeyPrefix: "acme" });
    expect((await create()).key).toMatch(/^sk_acme_/);
    expect((await create({ prefix: "own" })).prefix).toBe("own");
  });

  it("migrates an existing key, and masks it", async () => {
    const { post, get } = await open();
    const { status, body } = await post("/api-key/migrate", heldKey);
    expect(status).toBe(201);
    expect(body.apiKey).toMatchObject({ key: heldKey.key, maskedKey: "sk_…cdef", name: "ci" });
    const listed = await get("/workspace/ws_main/api-key");
    expect(listed.text).not.toContain(heldKey.key);
    const short = await post("/api-key/migrate", { ...heldKey, key: "short" });
    expect(short.body.apiKey.maskedKey).toBe("…");
  });

  it("lists the keys of a workspace, oldest first and without secrets", async () => {
    const { create, get } = await open();
    for (const name of ["a", "b", "c"]) await create({ name });
    await create({ name: "d", workspaceId: "ws_second" });
    const { status, body } = await get("/workspace/ws_main/api-key");
    expect(status).toBe(200);
    expect(body.apiKeys.map((key: { name: string }) => key.name)).toEqual(["a", "b", "c"]);
    expect(body.apiKeys.some((key: object) => "key" in key)).toBe(false);
  });

  it("edits only the fields of the request, and keeps the ids of scope entries", async () => {
    const { create, patch, keyPath } = await open();
    const { id, scopes } = await create();
    const renamed = await patch(keyPath(id), { name: "new" });
    expect(renamed.body.apiKey).toMatchObject({ name: "new", enabled: true, scopes });
    expect(renamed.body.apiKey.key).toBeUndefined();
    const narrowed = await patch(keyPath(id), {
      enabled: false,
      scopes: [entry("bills", "del", scopes[1].id)],
    });
    expect(narrowed.body.apiKey.scopes).toEqual([{ ...entry("bills", "del"), id: scopes[1].id }]);
    expect(narrowed.body.apiKey.enabled).toBe(false);
  });

  it("deletes a key, returns its record, and then answers 404", async () => {
    const { standIn, create, del, get, keyPath } = await open();
    const { id } = await create();
    const first = await del(keyPath(id));
    expect(first.status).toBe(200);
    expect(first.body.apiKey).toMatchObject({ id, deleted: true });
    expect((await get(keyPath(id))).status).toBe(404);
    expect((await del(keyPath(id))).status).toBe(404);
    expect(standIn.keys()).toEqual([]);
  });

  it("lists, reads and edits workspaces", async () => {
    const { get, patch } = await open();
    expect((await get("/workspace")).body.workspaces).toMatchObject([{ id: "ws_main" }, { id: "ws_second" }]);
    const settings = {
      defaultKeyPrefix: "p",
      defaultAllowedIPs: ["10.0.0.1"],
      defaultRateLimitPerSecond: 5,
      defaultExpiration: 0,
    };
    expect((await patch("/workspace/ws_main", settings)).body.workspace).toMatchObject(settings);
    await patch("/workspace/ws_main", { defaultKeyPrefix: "q" });
    const { body } = await get("/workspace/ws_main");
    expect(body.workspace).toMatchObject({ ...settings, name: "Main", defaultKeyPrefix: "q" });
    expect(body.workspace.tenant).toBeUndefined();
  });

  it("creates and lists scopes of a workspace", async () => {
    const { get, post } = await open();
    const scope = { name: "Orders", representation: "orders", description: "all orders" };
    const made = await post("/workspace/ws_main/scope", scope);
    expect(made.status).toBe(201);
    expect(made.body.scope).toMatchObject(scope);
    expect((await get("/workspace/ws_main/scopes")).body).toEqual({ scopes: [made.body.scope] });
    expect((await get("/workspace/ws_second/scopes")).body).toEqual({ scopes: [] });
  });

  it("creates billing records", async () => {
    const { standIn, post } = await open();
    const asked = { totalCredits: "100", workspaceId: "ws_main", allowOverages: true, spendCap: "5" };
    const { status, body } = await post("/customer-billing", { ...asked, externalMeterId: "m" });
    expect(status).toBe(201);
    expect(body.billing).toMatchObject({
      totalCredits: "100",
      usedCredits: "0",
      allowOverages: true,
      spendCap: "5",
    });
    expect(standIn.billings()).toMatchObject([{ id: body.billing.id, externalMeterId: "m" }]);
  });

  it("finds a key only in its own workspace", async () => {
    const { create, get, patch, del } = await open();
    const { id } = await create();
    for (const call of [get, del, (path: string) => patch(path, { name: "x" })]) {
      expect((await call(`/workspace/ws_second/api-key/${id}`)).status).toBe(404);
    }
  });
});

describe("the stand-in is strict: it", () => {
  it("answers 404 for an unknown path, an extra slash, or an empty parameter", async () => {
    const { standIn, get } = await open();
    for (const path of ["/workspaces", "/workspace/", "/workspace//api-key", "/api-key/x/y", ""]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    expect((await fetch(`${standIn.url}/workspace`)).status).toBe(404);
    expect(new Set(standIn.requests.map(({ endpoint }) => endpoint))).toEqual(new Set(["unknown"]));
  });

  it("answers 405 to a wrong method, with the allowed ones", async () => {
    const { standIn, get } = await open();
    expect((await get("/api-key")).status).toBe(405);
    const { status, headers } = await send(standIn, "PUT", "/workspace/ws_main", {});
    expect([status, headers.get("allow")]).toEqual([405, "GET, PATCH"]);
  });

  it("answers 401 without a valid bearer token", async () => {
    const { standIn } = await open();
    const token = standIn.accessToken;
    for (const authorization of ["", "Bearer wrong", token, `Basic ${token}`, `bearer ${token}`]) {
      const { status } = await send(standIn, "GET", "/workspace", undefined, { authorization });
      expect([authorization, status]).toEqual([authorization, 401]);
    }
  });

  it("answers 415 to a body that is not declared as JSON", async () => {
    const { standIn } = await open();
    const post = (type: string) => send(standIn, "POST", "/api-key", newKey, { "content-type": type });
    expect((await post("text/plain")).status).toBe(415);
    expect((await post("application/json; charset=utf-8")).status).toBe(201);
  });

  it.each([
    ["no JSON", "{"],
    ["an array", []],
    ["null", "null"],
    ["a missing field", { ...newKey, customerId: undefined }],
    ["a wrong type", { ...newKey, enabled: "true" }],
    ["null for an optional field", { ...newKey, prefix: null }],
    ["an unknown field", { ...newKey, nmae: "x" }],
    ["a field of Object.prototype", { ...newKey, constructor: "x" }],
    ["an expiry of 0", { ...newKey, expiresAt: 0 }],
    ["an expiry with a fraction", { ...newKey, expiresAt: 1.5 }],
    ["metadata as a list", { ...newKey, metadata: [] }],
    ["a scope entry with an id", { ...newKey, scopes: [entry("a", "read", "ks_1")] }],
    ["a scope entry without a flag", { ...newKey, scopes: [{ representation: "a", create: true }] }],
    ["a scope entry that is a string", { ...newKey, scopes: ["a"] }],
  ])("refuses to create a key (%s)", async (_, body) => {
    const { standIn, post } = await open();
    const { status, body: answer } = await post("/api-key", body);
    expect(status).toBe(400);
    expect(answer.message).toEqual(expect.any(String));
    expect(standIn.keys()).toEqual([]);
    expect(standIn.requests[0]?.carriedOut).toBe(false);
  });

  it("names the path of what it refuses", async () => {
    const { post } = await open();
    const { body } = await post("/api-key", {
      ...newKey,
      scopes: [entry("a", ""), { ...entry("b", ""), del: 1 }],
    });
    expect(body.message).toBe("scopes[1].del must be a boolean");
  });

  it("accepts only name, enabled and scopes in a PATCH of a key", async () => {
    const { create, patch, keyPath } = await open();
    const { id } = await create();
    for (const field of ["prefix", "expiresAt", "customerId", "metadata"]) {
      expect((await patch(keyPath(id), { [field]: "x" })).status).toBe(400);
    }
    expect((await patch(keyPath(id), {})).status).toBe(200);
  });

  it("refuses other bodies that the interface does not allow", async () => {
    const { post, patch, standIn } = await open();
    const refused = [
      await post("/api-key/migrate", { ...heldKey, prefix: "x" }),
      await patch("/workspace/ws_main", { name: "x" }),
      await patch("/workspace/ws_main", { defaultAllowedIPs: "10.0.0.1" }),
      await patch("/workspace/ws_main", { defaultRateLimitPerSecond: 1.5 }),
      await post("/workspace/ws_main/scope", { name: "x", representation: 1, description: "" }),
      await post("/customer-billing", { totalCredits: "ten", workspaceId: "ws_main" }),
      await post("/customer-billing", { totalCredits: 10, workspaceId: "ws_main" }),
      await send(standIn, "DELETE", "/workspace/ws_main/api-key/x", {}),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
  });

  it("answers 404 if a body names an unknown workspace", async () => {
    const { post } = await open();
    const elsewhere = { workspaceId: "ws_none" };
    expect((await post("/api-key", { ...newKey, ...elsewhere })).status).toBe(404);
    expect((await post("/api-key/migrate", { ...heldKey, ...elsewhere })).status).toBe(404);
    expect((await post("/customer-billing", { totalCredits: "1", ...elsewhere })).status).toBe(404);
  });
});
