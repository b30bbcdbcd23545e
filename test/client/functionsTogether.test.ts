import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type ApiKeyFilter,
  getApiKey,
  getApiKeys,
  getScopes,
  getWorkspace,
  type Source,
  sourceOf,
} from "../../provider/functions";
import { type StandIn, startStandIn } from "../../standin";

let service: StandIn;
let source: Source;
beforeAll(async () => {
  service = await startStandIn({ latencyMs: 20 });
  const { url, accessToken } = service;
  const config: Record<string, string> = { "apikeys:baseUrl": url, "apikeys:accessToken": accessToken };
  source = sourceOf((key) => config[key]);
});
afterAll(() => service.close());

type By = Parameters<typeof getWorkspace>[1];
const workspace = (by: By) => getWorkspace(source, by);
const apiKey = (workspaceId: string, by: By) => getApiKey(source, { workspaceId, ...by });
const apiKeys = async (workspaceId: string, filter: ApiKeyFilter) =>
  (await getApiKeys(source, { workspaceId, ...filter })).apiKeys;
const scopes = async (workspaceId: string) => (await getScopes(source, { workspaceId })).scopes;

const askedFor = () => service.requests.map(({ endpoint }) => endpoint).toSorted();

test("functions that read the same at the same time share one request", async () => {
  const key = service.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1" });
  const found = await Promise.all([
    workspace({ id: "ws_main" }),
    workspace({ name: "Main" }),
    workspace({ name: "Second" }),
    workspace({ id: "ws_main" }),
    apiKeys("ws_main", {}),
    apiKeys("ws_main", { name: "ci" }),
    apiKeys("ws_main", { customerId: "another" }),
    scopes("ws_main"),
    scopes("ws_main"),
  ]);
  expect(found.map((one) => (Array.isArray(one) ? one.map(({ id }) => id) : one.id))).toEqual([
    ...["ws_main", "ws_main", "ws_second", "ws_main"],
    ...[[key.id], [key.id], []],
    ...[[], []],
  ]);
  expect(askedFor()).toEqual(["listApiKeys", "listScopes", "listWorkspaces", "readWorkspace"]);
});

test("a function sees what was created before its call, even while another one is in progress", async () => {
  service.clearRequests();
  const early = apiKeys("ws_main", {});
  await expect.poll(() => service.requests.length).toBe(1);
  const made = service.addKey({ workspaceId: "ws_main", name: "later", customerId: "cus_1" });
  expect((await apiKeys("ws_main", { name: "later" })).map(({ id }) => id)).toEqual([made.id]);
  await early;
  await apiKeys("ws_main", {});
  expect(askedFor()).toEqual(["listApiKeys", "listApiKeys", "listApiKeys"]);
});

test("each function returns an object of its own, even if it shares the request", async () => {
  const [one, another] = await Promise.all([workspace({ id: "ws_main" }), workspace({ id: "ws_main" })]);
  Object.assign(one, { name: "changed by the program" });
  expect(another.name).toBe("Main");
});

test("a function that reads by name copies only what it returns, not the whole list", async () => {
  service.addKey({ workspaceId: "ws_main", name: "wanted", customerId: "cus_1" });
  service.addKey({ workspaceId: "ws_main", name: "unasked", customerId: "cus_1" });
  const copy = vi.spyOn(globalThis, "structuredClone");
  await apiKey("ws_main", { name: "wanted" });
  await apiKeys("ws_main", { name: "wanted" });
  await workspace({ name: "Main" });
  const copied = JSON.stringify(copy.mock.calls);
  copy.mockRestore();
  expect(copied).toContain("Main");
  expect(copied).not.toMatch(/unasked|Second/);
});
