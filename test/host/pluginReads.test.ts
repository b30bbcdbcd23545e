import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Properties } from "./host";
import { failureOf } from "./keyActs";
import type { PluginHost } from "./plugin";
import { addKey, clear, end, orders } from "./pluginReadings";
import { quickTimers } from "./quickTimers";
import { openPluginScene, type Scene } from "./scene";

describe("reads by the plugin", () => {
  let scene: Scene<PluginHost>;
  beforeAll(async () => {
    scene = await openPluginScene({ env: quickTimers() });
  });
  beforeEach(() => clear(scene));
  afterAll(() => end(scene));
  const someKey = (more: Parameters<typeof addKey>[1] = {}) => addKey(scene, more);

  describe("a function", () => {
    test("returns what the service has", async () => {
      const { id } = someKey();
      scene.standIn.addScope({ workspaceId: "ws_main", representation: "orders" });
      const { host } = scene;
      const workspaceId = "ws_main";
      expect(await host.invoke("getWorkspaces", {})).toMatchObject({
        workspaces: [{ id: "ws_main" }, { id: "ws_second" }],
      });
      expect(await host.invoke("getWorkspace", { id: "ws_main" })).toMatchObject({ id: "ws_main" });
      expect(await host.invoke("getApiKeys", { workspaceId, name: "ci" })).toMatchObject({
        apiKeys: [{ id }],
      });
      expect(await host.invoke("getApiKeys", { workspaceId, enabled: false })).toEqual({ apiKeys: [] });
      const found = await host.invoke("getApiKey", { workspaceId, id, name: null });
      expect(found).toMatchObject({ id, scopes: [orders], deleted: false });
      expect(found).not.toHaveProperty("key");
      expect(await host.invoke("getScopes", { workspaceId })).toMatchObject({
        scopes: [{ representation: "orders" }],
      });
    });

    test.each([
      ["getKeys", {}, /^This version of pulumi-apikeys has no function apikeys:index:getKeys\.$/],
      ["constructor", {}, /has no function/],
      ["getApiKeys", {}, /^getApiKeys: workspaceId is missing\.$/],
      ["getApiKeys", { workspaceId: null }, /^getApiKeys: workspaceId is missing\.$/],
      ["getScopes", { workspaceId: 5 }, /^getScopes: workspaceId must be a string\.$/],
      ["getApiKeys", { workspaceId: "ws_main", enabled: "yes" }, /^getApiKeys: enabled must be a boolean\.$/],
      [
        "getScopes",
        { workspace: "ws_main" },
        /^getScopes: no such argument workspace; the arguments are workspaceId\. workspaceId is missing\.$/,
      ],
      ["getApiKey", { workspaceId: "ws_main" }, /^Finding a key: give either id or name\.$/],
      ["getWorkspace", { id: "a", name: "b" }, /^Finding a workspace: give either id or name\.$/],
      ["getWorkspace", { id: "ws_nobody" }, /^Reading workspace ws_nobody: the service answered 404/],
      ["getApiKeys", { workspaceId: "ws_nobody" }, /answered 404 .* Check workspaceId, and /],
      ["getScopes", { workspaceId: "ws_nobody" }, /answered 404 .* Check workspaceId, and /],
      ["getWorkspace", { id: "" }, /^The argument id is empty: set it to an id of the service\.$/],
      ["getApiKey", { workspaceId: "ws_main", id: ".." }, /^The argument id is "\.\.": set it to an id/],
      ["getApiKey", { workspaceId: "", name: "ci" }, /^The argument workspaceId is empty: /],
      ["getScopes", { workspaceId: "" }, /^The argument workspaceId is empty: /],
    ])("fails and says what is wrong: %s %o", async (name, args, message) => {
      expect((await failureOf(scene.host.invoke(name, args))).message).toMatch(message);
    });
  });

  describe("a list of resources", () => {
    test("has ids by which each one can be imported", async () => {
      someKey();
      someKey({ workspaceId: "ws_second", customerId: "cus_2", enabled: false });
      scene.standIn.addScope({ workspaceId: "ws_main", representation: "orders" });
      for (const { id } of ["ws_main", "ws_second"].map((one) => ({ id: one })))
        scene.standIn.editWorkspace(id, { defaultExpiration: 60 });
      for (const [kind, count] of [
        ["ApiKey", 2],
        ["Scope", 1],
        ["WorkspaceSettings", 2],
      ] as const) {
        const found = await scene.host.list(kind);
        expect(found).toHaveLength(count);
        for (const { id } of found) expect((await scene.host.resource(kind).import(id)).id).not.toBe("");
      }
    });

    test("has what the query asks for, and no more than the limit", async () => {
      const [one, two] = [someKey(), someKey({ customerId: "cus_2", enabled: false })];
      const ids = async (query: Properties, limit?: number) =>
        (await scene.host.list("ApiKey", query, limit)).map(({ id }) => id);
      expect(await ids({ workspaceId: "ws_second" })).toEqual([]);
      expect(await ids({ customerId: "cus_2" })).toEqual([`ws_main/${two.id}`]);
      expect(await ids({ workspaceId: "ws_main", enabled: true })).toEqual([`ws_main/${one.id}`]);
      expect(await ids({}, 1)).toHaveLength(1);
      const settings = await scene.host.list("WorkspaceSettings", { workspaceId: "ws_second" });
      expect(settings.map(({ id }) => id)).toEqual(["ws_second"]);
    });

    test.each([
      ["CustomerBilling", {}, /^apikeys:index:CustomerBilling can't be listed/],
      ["toString", {}, /^apikeys:index:toString can't be listed/],
      ["Scope", { enabled: true }, /^Scope: no such argument enabled; the arguments are workspaceId\.$/],
      [
        "ApiKey",
        { name: "ci" },
        /^ApiKey: no such argument name; the arguments are workspaceId, customerId, enabled\.$/,
      ],
      ["ApiKey", { enabled: "yes" }, /^ApiKey: enabled must be a boolean\.$/],
      ["ApiKey", { workspaceId: "ws_nobody" }, /^Listing the keys of workspace ws_nobody: .*404/],
    ])("fails and says what is wrong: %s %o", async (kind, query, message) => {
      const failure: unknown = await scene.host.list(kind, query).catch((error: unknown) => error);
      expect((failure as { readonly details: string }).details).toMatch(message);
      // And the next calls work.
      expect(await scene.host.list("WorkspaceSettings")).toHaveLength(2);
    });
  });
});
