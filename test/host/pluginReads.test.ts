import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { StoredKey } from "../../standin";
import { inWords } from "../words";
import { type Fixture, failureOf, openPluginFixture, requestsOf } from "./fixture";
import type { Properties } from "./host";
import type { PluginHost } from "./plugin";
import { quickTimers } from "./quickTimers";

const orders = { representation: "orders", read: true };
const workspaceId = "ws_main";
const least = { workspaceId, customerId: "cus_1", name: "ci" };

let fixture: Fixture<PluginHost>;
beforeAll(async () => {
  fixture = await openPluginFixture({ env: quickTimers() });
});
beforeEach(() => {
  const { standIn } = fixture;
  standIn.clearFaults();
  for (const { id } of standIn.keys()) standIn.deleteKey(id);
  for (const { id } of standIn.scopes(workspaceId)) standIn.deleteScope(id);
  standIn.clearRequests();
});
afterAll(() => fixture.close());
const resource = (kind: string) => fixture.host.resource(kind);
/** A key that is not in state. */
const someKey = (more: Partial<StoredKey> = {}) =>
  fixture.standIn.addKey({ ...least, scopes: [orders], ...more });

test("functions called in the plugin return the service's values", async () => {
  const { id } = someKey();
  fixture.standIn.addScope({ workspaceId, representation: "orders" });
  const { invoke } = fixture.host;
  const result = await Promise.all([
    invoke("getWorkspaces", {}),
    invoke("getWorkspace", { id: workspaceId }),
    invoke("getWorkspace", { name: "ws_second" }),
    invoke("getApiKeys", { workspaceId, name: "ci" }),
    invoke("getApiKeys", { workspaceId, enabled: false }),
    invoke("getApiKey", { workspaceId, id, name: null }),
    invoke("getScopes", { workspaceId }),
  ]);
  const found = { id, scopes: [orders], deleted: false };
  expect(result).toMatchObject([
    { workspaces: [{ id: "ws_main" }, { id: "ws_second" }] },
    { id: "ws_main" },
    { id: "ws_second" },
    { apiKeys: [{ id }] },
    { apiKeys: [] },
    found,
    { scopes: [{ representation: "orders" }] },
  ]);
  expect(result[5]).not.toHaveProperty("key");
});

test.each([
  ["getKeys", {}, /^This version of pulumi-apikeys has no function apikeys:index:getKeys\.$/],
  ["constructor", {}, /has no function/],
  [
    "getApiKeys",
    { workspaceId: null },
    /an id is not a string, .* or has a control character\. Check the arguments, /,
  ],
  ["getApiKey", { workspaceId }, /^To find one of the keys of workspace ws_main, give either id or name\.$/],
  ["getWorkspace", { id: "a", name: "b" }, /^To find one of the workspaces, give either id or name\.$/],
  ["getApiKeys", { workspaceId: "ws_nobody" }, /answered 404 .* Check the arguments, and /],
  [
    "getApiKey",
    { workspaceId, id: ".." },
    /an id is not a string, .* or has a control character\. Check the arguments, /,
  ],
])("a function called in the plugin fails and says what is wrong: %s %o", async (name, args, message) => {
  expect((await failureOf(fixture.host.invoke(name, args))).message).toMatch(message);
});

test("a list of resources from the plugin has ids by which each one can be imported", async () => {
  someKey();
  someKey({ workspaceId: "ws_second", customerId: "cus_2", enabled: false });
  fixture.standIn.addScope({ workspaceId, representation: "orders" });
  for (const id of ["ws_main", "ws_second"]) fixture.standIn.editWorkspace(id, { defaultExpiration: 60 });
  const counts = { ApiKey: 2, Scope: 1, WorkspaceSettings: 2 };
  for (const [kind, count] of Object.entries(counts)) {
    const found = await fixture.host.list(kind);
    expect(found).toHaveLength(count);
    for (const { id } of found) expect((await resource(kind).import(id)).id).not.toBe("");
  }
});

test("a list of resources from the plugin has the objects of one workspace, and no more than the limit", async () => {
  const { id } = someKey();
  const ids = async (query: Properties, limit?: number) =>
    (await fixture.host.list("ApiKey", query, limit)).map((one) => one.id);
  expect(await ids({ workspaceId: "ws_second" })).toEqual([]);
  someKey({ workspaceId: "ws_second" });
  expect(await ids({ workspaceId })).toEqual([`ws_main/${id}`]);
  expect(await ids({}, 1)).toHaveLength(1);
});

test.each([
  ["CustomerBilling", {}, /^CustomerBilling can't be listed/],
  ["toString", {}, /^toString can't be listed/],
  ["ApiKey", { workspaceId: "ws_nobody" }, /^Listing the keys of workspace ws_nobody: .*404/],
])(
  "a list of resources from the plugin fails and says what is wrong: %s %o",
  async (kind, query, message) => {
    const failure: unknown = await fixture.host.list(kind, query).catch((error: unknown) => error);
    expect(inWords((failure as { readonly details: string }).details)).toMatch(message);
    // And the next calls work.
    expect(await fixture.host.list("WorkspaceSettings")).toHaveLength(2);
  },
);

test("R19 get in the plugin reads a key by either form of its id, and again in a refresh", async () => {
  const { id } = someKey();
  for (const [given, inputs] of [
    [id, { workspaceId }],
    [`ws_main/${id}`, {}],
  ] as const) {
    const found = await resource("ApiKey").get(given, inputs);
    expect(found).toMatchObject({ id, properties: { __external: true, name: "ci", scopes: [orders] } });
    fixture.standIn.editKey(id, { name: "theirs" });
    const { properties } = await resource("ApiKey").refresh({ id, state: found.properties }, inputs);
    expect(properties).toMatchObject({ __external: true, name: "theirs" });
    fixture.standIn.editKey(id, { name: "ci" });
  }
});

test("R19 get in the plugin fails for a key that does not exist", async () => {
  // The other process has seen keys that the list no longer has.
  const keys = (await fixture.laterHost()).resource("ApiKey");
  const { message } = await failureOf(keys.get("key_0", { workspaceId, __external: true }));
  expect(message).toBe("There is no ApiKey key_0 in workspace ws_main: check both ids.");
  // In other languages the engine itself reports that.
  const found = await keys.get("key_0", { workspaceId });
  expect(found).toMatchObject({ id: "", properties: {} });
});

test("R19 get in the plugin also reads a key that the program gives all inputs of; a state from a file is managed", async () => {
  const { id } = someKey();
  const found = await resource("ApiKey").get(id, least);
  expect(found).toMatchObject({ id, properties: { __external: true, name: "ci", scopes: [orders] } });
  const inFile = { ...least, __provider: "" };
  const { properties: managed } = await resource("ApiKey").refresh({ id, state: inFile }, inFile);
  expect(managed).toMatchObject({ name: "ci", scopes: [orders], enabled: true });
  expect(managed).not.toHaveProperty("__external");
});

test("R19 get in the plugin finds a scope, and a workspace with or without settings", async () => {
  const { standIn } = fixture;
  standIn.addScope({ workspaceId, representation: "orders" });
  const scope = await resource("Scope").get("orders", { workspaceId });
  expect(scope.properties).toMatchObject({ representation: "orders" });
  standIn.editWorkspace("ws_main", { defaultExpiration: 60 });
  const settings = await resource("WorkspaceSettings").get("ws_main", { workspaceId });
  expect(settings.properties).toMatchObject({ defaultExpiration: 60 });
  standIn.editWorkspace("ws_second", { defaultExpiration: undefined, defaultKeyPrefix: undefined });
  const { properties } = await resource("WorkspaceSettings").get("ws_second", {});
  const { name, teamId } = standIn.workspaces().find(({ id }) => id === "ws_second") ?? {};
  const read = {
    __external: true,
    __service: expect.any(String),
    __before: {},
    onDestroy: "retain",
  };
  expect(properties).toEqual({ workspaceId: "ws_second", name, teamId, ...read });
});

test("K8 R19 an import sends one GET, and gives a key that can be updated and deleted by either id", async () => {
  // An id of the service may look like one to import.
  for (const key of [someKey(), someKey({ id: "ws_main/key_1" })]) {
    const given = `ws_main/${key.id}`;
    const { result, endpoints } = await requestsOf(fixture, () => resource("ApiKey").import(given));
    const { id, properties: state, inputs } = result;
    expect([endpoints, id]).toEqual(["readApiKey", key.id]);
    expect(inputs).toEqual({ workspaceId, customerId: "cus_1", name: "ci", enabled: true, scopes: [orders] });
    expect(state).not.toHaveProperty("key");
    const held = await resource("ApiKey").update({ id, state }, { ...inputs, name: "second" });
    expect(fixture.standIn.key(key.id)?.name).toBe("second");
    await resource("ApiKey").update({ id: given, state: held.state }, { ...inputs, name: "third" });
    expect(fixture.standIn.key(key.id)?.name).toBe("third");
    await resource("ApiKey").delete({ id: given, state: held.state });
    expect(fixture.standIn.key(key.id)?.deleted ?? true).toBe(true);
  }
});

test("R19: an import finds each kind of resource that has an id, writes nothing, and its program shows no change", async () => {
  const one = someKey();
  const scope = fixture.standIn.addScope({ workspaceId, representation: "a/b", name: "AB" });
  fixture.standIn.editWorkspace("ws_main", { defaultKeyPrefix: "sk", defaultExpiration: 60 });
  for (const [kind, given] of [
    ["ApiKey", `ws_main/${one.id}`],
    ["Scope", "ws_main/a/b"],
    ["Scope", `ws_main/${scope.id}`],
    ["WorkspaceSettings", "ws_main"],
  ] as const) {
    const { id, properties, inputs: found = {} } = await resource(kind).import(given);
    const { inputs, failures } = await resource(kind).check(found, found);
    expect(failures).toEqual([]);
    const held = { id, state: properties };
    expect(await resource(kind).diff(held, inputs)).toEqual({ changes: "none", replaces: [] });
    expect(await resource(kind).refresh(held, inputs)).toEqual({ id, properties, inputs: undefined });
    expect(properties).not.toHaveProperty("__external");
  }
  expect(fixture.standIn.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test.each([
  ["ApiKey", "key_1", "workspaceId/keyId"],
  ["ApiKey", "/key_1", "workspaceId/keyId"],
  ["ApiKey", "ws_main/", "workspaceId/keyId"],
  ["Scope", "orders", "workspaceId/representation"],
])("R19 an import of %s by the id %s fails, and names the right form", async (kind, id, form) => {
  const { result, requests } = await requestsOf(fixture, () => failureOf(resource(kind).import(id)));
  expect(result.message).toBe(`${kind}: the id ${JSON.stringify(id)} does not have the form ${form}.`);
  expect(requests).toEqual([]);
});

test("R6 an import finds nothing only if the list confirms that", async () => {
  const nothing = { id: "", properties: {}, inputs: undefined };
  const later = await fixture.laterHost();
  expect(await later.resource("ApiKey").import("ws_main/key_0")).toEqual(nothing);
  expect(await resource("Scope").import("ws_main/none")).toEqual(nothing);
  fixture.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 }, times: 9 });
  const { message } = await failureOf(resource("ApiKey").import("ws_second/key_0"));
  expect(message).toContain("list of keys can't be read to confirm that it is gone");
  await failureOf(resource("WorkspaceSettings").import("ws_nobody"));
  await failureOf(resource("Scope").import("ws_nobody/a"));
});

test("W5 an import keeps the settings of that moment, which destroy restores", async () => {
  const then = { defaultKeyPrefix: "then", defaultExpiration: 60 };
  fixture.standIn.editWorkspace("ws_second", then);
  const found = await resource("WorkspaceSettings").import("ws_second");
  expect(found.properties).toMatchObject({ ...then, onDestroy: "retain" });
  const declared = { ...found.inputs, defaultKeyPrefix: "now", onDestroy: "restore" };
  const later = (await fixture.laterHost()).resource("WorkspaceSettings");
  const { inputs } = await later.check(declared, found.inputs);
  const held = await later.update({ id: found.id, state: found.properties }, inputs);
  expect(held.state).toMatchObject({ defaultKeyPrefix: "now" });
  await resource("WorkspaceSettings").delete(held);
  expect(fixture.standIn.workspaces().find(({ id }) => id === "ws_second")).toMatchObject(then);
});
