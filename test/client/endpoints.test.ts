import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { isNotFound } from "../../provider/client/send";
import * as api from "./api";
import { callTo, errorOf, keyAnswer, keyPath, newBilling, newKey, token, wireServer } from "./calls";
import { answer, type Received } from "./wireServer";

const scopeBody = { name: "Docs", representation: "docs", description: "" };
const migrated = { ...newKey, key: "sk_existing_value", metadata: { a: { b: [1] } } };
const billingAnswer = { billing: { id: "b" } };
const workspaceAnswer = { workspace: { id: "ws_main" } };
const edit = { name: "new", enabled: false, scopes: [{ id: "s1", ...newKey.scopes[0] }] };
const settings = { defaultKeyPrefix: "pk", defaultAllowedIPs: ["10.0.0.0/8"], defaultRateLimitPerSecond: 5 };

/** Each endpoint: its part of the interface, the call, the request that it must send, and an answer. */
const endpoints: [string, (call: api.Call) => Promise<unknown>, string, unknown, unknown][] = [
  [
    "4.1",
    (c) => api.editApiKey(c, keyPath, edit as never),
    "PATCH /api/v1/workspace/ws_main/api-key/k",
    edit,
    keyAnswer,
  ],
  ["4.2", (c) => api.readApiKey(c, keyPath), "GET /api/v1/workspace/ws_main/api-key/k", undefined, keyAnswer],
  [
    "4.3",
    (c) => api.listApiKeys(c, keyPath),
    "GET /api/v1/workspace/ws_main/api-key",
    undefined,
    { apiKeys: [] },
  ],
  ["4.4", (c) => api.createApiKey(c, newKey), "POST /api/v1/api-key", newKey, keyAnswer],
  ["4.5", (c) => api.migrateApiKey(c, migrated), "POST /api/v1/api-key/migrate", migrated, keyAnswer],
  ["4.6", (c) => api.listWorkspaces(c), "GET /api/v1/workspace", undefined, { workspaces: [] }],
  ["4.7", (c) => api.readWorkspace(c, keyPath), "GET /api/v1/workspace/ws_main", undefined, workspaceAnswer],
  [
    "4.8",
    (c) => api.editWorkspace(c, keyPath, settings),
    "PATCH /api/v1/workspace/ws_main",
    settings,
    workspaceAnswer,
  ],
  [
    "4.9",
    (c) => api.deleteApiKey(c, keyPath),
    "DELETE /api/v1/workspace/ws_main/api-key/k",
    undefined,
    keyAnswer,
  ],
  [
    "4.10",
    (c) => api.listScopes(c, keyPath),
    "GET /api/v1/workspace/ws_main/scopes",
    undefined,
    { scopes: [] },
  ],
  [
    "4.11",
    (c) => api.createScope(c, keyPath, scopeBody),
    "POST /api/v1/workspace/ws_main/scope",
    scopeBody,
    { scope: { id: "s", representation: "docs" } },
  ],
  [
    "4.12",
    (c) => api.createBilling(c, newBilling),
    "POST /api/v1/customer-billing",
    newBilling,
    billingAnswer,
  ],
];

describe("an endpoint of the client", () => {
  it.each(endpoints)(
    "(%s) sends its method, path, headers and body once",
    async (_part, run, line, body, reply) => {
      const server = await wireServer(() => answer(200, reply));
      const result = await run(callTo(server.url));
      expect(JSON.stringify(result)).not.toContain("problem");
      expect(server.requests).toHaveLength(1);
      const [request] = server.requests as [Received];
      expect(`${request.method} ${request.path}`).toBe(line);
      expect(request.headers["authorization"]).toBe(`Bearer ${token}`);
      expect(request.headers["user-agent"]).toBe(`pulumi-apikeys/${version}`);
      expect(request.headers["accept-encoding"]).toBe("identity");
      expect(request.headers["cache-control"]).toBe("no-cache");
      expect(request.headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
      expect(request.body === "" ? undefined : JSON.parse(request.body)).toEqual(body);
    },
  );

  it.each([
    ["", ""],
    ["/", ""],
    ["/tenant/a", "/tenant/a"],
    ["/tenant/a/", "/tenant/a"],
  ])("is appended to a base URL that ends with %j", async (ending, prefix) => {
    const server = await wireServer(() => answer(200, { workspaces: [] }));
    await api.listWorkspaces(callTo(server.url + ending));
    expect(server.requests[0]?.path).toBe(`${prefix}/api/v1/workspace`);
  });

  it.each(["", ".", "..", "a\nb", "\ud800"])("refuses the id %j before anything is sent", async (odd) => {
    const server = await wireServer(() => answer(200, keyAnswer));
    const call = callTo(server.url);
    const path = { workspaceId: "ws_main", keyId: odd };
    for (const run of [
      () => api.readApiKey(call, path),
      () => api.editApiKey(call, path, {}),
      () => api.deleteApiKey(call, path),
      () => api.listApiKeys(call, { workspaceId: odd }),
      () => api.readWorkspace(call, { workspaceId: odd }),
      () => api.editWorkspace(call, { workspaceId: odd }, {}),
      () => api.listScopes(call, { workspaceId: odd }),
      () => api.createScope(call, { workspaceId: odd }, scopeBody),
    ]) {
      expect((await errorOf(run())).verdict).toBe("notSent");
    }
    expect(server.requests).toHaveLength(0);
  });

  it("sends ids and strings that are not ASCII unchanged", async () => {
    const server = await wireServer(() => answer(200, { apiKey: { id: "ü/1" } }));
    await api.editApiKey(callTo(server.url), { workspaceId: "w ?", keyId: "ü/1" }, { name: "Schlüssel 🔑" });
    expect(server.requests[0]?.path).toBe("/api/v1/workspace/w%20%3F/api-key/%C3%BC%2F1");
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({ name: "Schlüssel 🔑" });
  });
});

describe("the answer to a successful write", () => {
  it("may have null instead of a record, as of a key that does not exist; but not beside an error", async () => {
    let body: object = { apiKey: null };
    const server = await wireServer(() => answer(200, body));
    const call = callTo(server.url);
    expect(isNotFound(await errorOf(api.readApiKey(call, keyPath)))).toBe(true);
    expect(server.requests).toHaveLength(1);
    body = { apiKey: null, error: "not now" };
    const error = await errorOf(api.readApiKey(call, keyPath));
    expect(error.message).toContain("not now");
    expect(isNotFound(error)).toBe(false);
  });

  it.each([
    ["", { success: false, error: { message: "no quota" } }, ': "no quota"'],
    ["\ufeff", { errors: [{ detail: "a" }, "b"], message: "made sk_1" }, ': "a; b"'],
    ["", { message: "made sk_1", data: { id: "k" } }, ""],
    ["", { success: false, message: "no quota" }, ': "no quota"'],
  ])("is quoted if it has the service's message instead of a record: %s%j", async (mark, body, said) => {
    const server = await wireServer(() => answer(200, mark + JSON.stringify(body)));
    const call = callTo(server.url);
    const { problem } = await api.createApiKey(call, newKey);
    expect(problem?.split("has another type")[1]).toBe(said);
    expect((await errorOf(api.readApiKey(call, keyPath))).message).toContain(problem);
  });

  it("counts as deferred if it is a 202", async () => {
    const server = await wireServer(() => answer(202, { apiKey: { id: "k", deleted: true } }));
    expect(await api.deleteApiKey(callTo(server.url), keyPath)).toMatchObject({
      record: { deleted: true },
      deferred: true,
    });
  });

  it("gives no record if the connection breaks in the middle of it, and the request is not repeated", async () => {
    const server = await wireServer((_request, socket) => {
      socket.write('HTTP/1.1 200 X\r\ncontent-length: 500\r\n\r\n{"apiKey":', () => socket.resetAndDestroy());
      return undefined;
    });
    const written = await api.createApiKey(callTo(server.url), newKey);
    expect(written).toEqual({ record: undefined, problem: "the answer was cut off, or took too long" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the answer to a GET", () => {
  it.each<[string, (n: number) => string]>([
    ["cut off", () => "HTTP/1.1 200 X\r\ncontent-length: 50\r\nconnection: close\r\n\r\n{"],
    ["not JSON", () => answer(200, "<html>")],
    ["empty", () => answer(204)],
    ["about another record", () => answer(200, { apiKey: { id: "other" } })],
    ["in another form", () => answer(200, { error: "none" })],
  ])("is requested again if it is %s, until it is usable", async (_name, spoilt) => {
    const server = await wireServer(({ n }, socket) => {
      if (n === 3) return answer(200, keyAnswer);
      socket.end(spoilt(n));
      return undefined;
    });
    expect((await api.readApiKey(callTo(server.url), keyPath)).id).toBe("k");
    expect(server.requests).toHaveLength(3);
  });

  it("is ambiguous after 4 unusable attempts", async () => {
    const server = await wireServer(() => answer(200, { apiKey: { id: "other" } }));
    const error = await errorOf(api.readApiKey(callTo(server.url), keyPath));
    expect(error.message).toBe(
      "the service answered 200, but the answer's apiKey.id is not the one asked for",
    );
    expect([error.verdict, error.status]).toEqual(["ambiguous", 200]);
    expect(server.requests).toHaveLength(4);
  });
});
