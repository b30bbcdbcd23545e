import { expect, test } from "vitest";
import { version } from "../../package.json";
import { isNotFound, usualLimits } from "../../provider/client/send";
import * as api from "./api";
import {
  answer,
  callTo,
  errorOf,
  keyAnswer,
  keyPath,
  newBilling,
  newKey,
  type Received,
  token,
  wireServer,
} from "./calls";

const scopeBody = { name: "Docs", representation: "docs", description: "" };
const migrated = { ...newKey, key: "sk_existing_value", metadata: { a: { b: [1] } } };
const edit = { name: "new", enabled: false, scopes: [{ id: "s1", ...newKey.scopes[0] }] };
const settings = { defaultKeyPrefix: "pk", defaultAllowedIPs: ["10.0.0.0/8"], defaultRateLimitPerSecond: 5 };

/** Each endpoint: the request that it must send, by its part of the interface; the call; an answer. */
const endpoints: readonly (readonly [
  request: string,
  run: (call: api.Call) => Promise<unknown>,
  reply: object,
  body?: object,
])[] = [
  ["PATCH workspace/ws_main/api-key/k", (c) => api.editApiKey(c, keyPath, edit as never), keyAnswer, edit],
  ["GET workspace/ws_main/api-key/k", (c) => api.readApiKey(c, keyPath), keyAnswer],
  ["GET workspace/ws_main/api-key", (c) => api.listApiKeys(c, keyPath), { apiKeys: [] }],
  ["POST api-key", (c) => api.createApiKey(c, newKey), keyAnswer, newKey],
  ["POST api-key/migrate", (c) => api.migrateApiKey(c, migrated), keyAnswer, migrated],
  ["GET workspace", (c) => api.listWorkspaces(c), { workspaces: [] }],
  ["GET workspace/ws_main", (c) => api.readWorkspace(c, keyPath), { workspace: { id: "ws_main" } }],
  [
    "PATCH workspace/ws_main",
    (c) => api.editWorkspace(c, keyPath, settings),
    { workspace: { id: "ws_main" } },
    settings,
  ],
  ["DELETE workspace/ws_main/api-key/k", (c) => api.deleteApiKey(c, keyPath), keyAnswer],
  ["GET workspace/ws_main/scopes", (c) => api.listScopes(c, keyPath), { scopes: [] }],
  [
    "POST workspace/ws_main/scope",
    (c) => api.createScope(c, keyPath, scopeBody),
    { scope: { id: "s", representation: "docs" } },
    scopeBody,
  ],
  ["POST customer-billing", (c) => api.createBilling(c, newBilling), { billing: { id: "b" } }, newBilling],
];

test.each(endpoints.map((endpoint) => [endpoint[0], endpoint] as const))(
  "%s is sent once with its headers and body",
  async (line, [, run, reply, body]) => {
    const server = await wireServer(() => answer(200, reply));
    const result = await run(callTo(server.url));
    expect(JSON.stringify(result)).not.toContain("problem");
    expect(server.requests).toHaveLength(1);
    const [{ method, path, headers, body: sent }] = server.requests as [Received];
    expect(`${method} ${path}`).toBe(line.replace(" ", " /api/v1/"));
    expect(headers).toMatchObject({
      authorization: `Bearer ${token}`,
      "user-agent": `pulumi-apikeys/${version}`,
      "accept-encoding": "identity",
      "cache-control": "no-cache",
    });
    expect(headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
    expect(sent === "" ? undefined : JSON.parse(sent)).toEqual(body);
  },
);

test.each([
  ["", ""],
  ["/tenant/a", "/tenant/a"],
  ["/tenant/a/", "/tenant/a"],
])("a base URL may end with %j", async (ending, prefix) => {
  const server = await wireServer(() => answer(200, { workspaces: [] }));
  await api.listWorkspaces(callTo(server.url + ending));
  expect(server.requests[0]?.path).toBe(`${prefix}/api/v1/workspace`);
});

test.each([".", "\ud800"])("the id %j is refused by each call before anything is sent", async (odd) => {
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
  ])
    expect((await errorOf(run())).verdict).toBe("refused");
  expect(server.requests).toHaveLength(0);
});

test("ids and strings that are not ASCII are sent unchanged", async () => {
  const server = await wireServer(() => answer(200, { apiKey: { id: "ü/1" } }));
  await api.editApiKey(callTo(server.url), { workspaceId: "w ?", keyId: "ü/1" }, { name: "Schlüssel 🔑" });
  expect(server.requests[0]?.path).toBe("/api/v1/workspace/w%20%3F/api-key/%C3%BC%2F1");
  expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({ name: "Schlüssel 🔑" });
});

test("an answer may have null for a record that doesn't exist, but not beside an error", async () => {
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

test.each([
  ["", { success: false, error: { message: "no quota" } }, ': "no quota"'],
  ["\ufeff", { errors: [{ detail: "a" }, "b"], message: "made sk_1" }, ': "a; b"'],
  ["", { message: "made sk_1", data: { id: "k" } }, ""],
  ["", { success: false, message: "no quota" }, ': "no quota"'],
])("a 200 with an error in place of a record is quoted: %s%j", async (mark, body, said) => {
  const server = await wireServer(() => answer(200, mark + JSON.stringify(body)));
  const call = callTo(server.url);
  const { problem } = await api.createApiKey(call, newKey);
  expect(problem?.split("has another type")[1]).toBe(said);
  expect((await errorOf(api.readApiKey(call, keyPath))).message).toContain(problem);
});

test("the answer to a write that breaks off gives no record, and the request is not repeated", async () => {
  const server = await wireServer((_request, socket) => {
    socket.write('HTTP/1.1 200 X\r\ncontent-length: 500\r\n\r\n{"apiKey":', () => socket.resetAndDestroy());
    return undefined;
  });
  const written = await api.createApiKey(callTo(server.url), newKey);
  expect(written).toEqual({ record: undefined, problem: "the answer was cut off, or took too long" });
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["cut off", "HTTP/1.1 200 X\r\ncontent-length: 50\r\nconnection: close\r\n\r\n{"],
  ["not JSON", answer(200, "<html>")],
  ["empty", answer(204)],
  ["in another form", answer(200, { error: "none" })],
])("the answer to a GET is requested again if it is %s, until it is usable", async (_name, spoilt) => {
  const server = await wireServer(({ n }, socket) =>
    n === 3 ? answer(200, keyAnswer) : void socket.end(spoilt),
  );
  expect((await api.readApiKey(callTo(server.url), keyPath)).id).toBe("k");
  expect(server.requests).toHaveLength(3);
});

test("a GET whose answers stay unusable is ambiguous", async () => {
  const server = await wireServer(() => answer(200, { apiKey: { id: "other" } }));
  const error = await errorOf(api.readApiKey(callTo(server.url), keyPath));
  expect(error.message).toBe("the service answered 200, but the answer's apiKey.id is not the one asked for");
  expect([error.verdict, error.status]).toEqual(["ambiguous", 200]);
  expect(server.requests).toHaveLength(usualLimits.maxAttempts);
});
