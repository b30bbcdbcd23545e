import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "./keyActs";
import type { PluginHost } from "./plugin";
import { addKey, clear, end, least, orders } from "./pluginReadings";
import { quickTimers } from "./quickTimers";
import { openPluginScene, type Scene } from "./scene";

describe("`.get` in the plugin", () => {
  let scene: Scene<PluginHost>;
  beforeAll(async () => {
    scene = await openPluginScene({ env: quickTimers() });
  });
  beforeEach(() => clear(scene));
  afterAll(() => end(scene));
  const resource = (kind: string) => scene.host.resource(kind);
  const someKey = (more: Parameters<typeof addKey>[1] = {}) => addKey(scene, more);

  test("R19 reads a key by either form of its id, and again in a refresh", async () => {
    const { id } = someKey();
    for (const [given, inputs] of [
      [id, { workspaceId: "ws_main" }],
      [`ws_main/${id}`, {}],
    ] as const) {
      const found = await resource("ApiKey").get(given, inputs);
      expect(found).toMatchObject({ id, properties: { __reading: true, name: "ci", scopes: [orders] } });
      scene.standIn.editKey(id, { name: "theirs" });
      const held = { id, state: found.properties };
      const { properties } = await resource("ApiKey").refresh(held, inputs);
      expect(properties).toMatchObject({ __reading: true, name: "theirs" });
      scene.standIn.editKey(id, { name: "ci" });
    }
  });

  test("R19 fails for a key that does not exist", async () => {
    const asked = { workspaceId: "ws_main" };
    const { message } = await failureOf(resource("ApiKey").get("key_0", { ...asked, __reading: true }));
    expect(message).toBe("There is no ApiKey key_0 in workspace ws_main: check both ids.");
    // In other languages the engine itself reports that.
    expect(await resource("ApiKey").get("key_0", asked)).toMatchObject({ id: "", properties: {} });
  });

  test("reads a set the same each time, and doesn't keep its keys from being deleted", async () => {
    const [one, other] = [someKey(), someKey({ name: "other" })];
    const id = `a=${one.id},b=${other.id}`;
    const set = await resource("ApiKeySet").get(`ws_main/${id}`, {});
    expect(set).toMatchObject({ id, properties: { __reading: true, ids: { a: one.id, b: other.id } } });
    expect(await resource("ApiKeySet").get(id, { workspaceId: "ws_main" })).toEqual(set);
    const held = { id, state: set.properties };
    const refreshed = await resource("ApiKeySet").refresh(held, { workspaceId: "ws_main" });
    expect(refreshed).toMatchObject({ id, properties: { __reading: true } });

    const key = await resource("ApiKey").import(`ws_main/${one.id}`);
    await resource("ApiKey").delete({ id: key.id, state: key.properties });
    expect(scene.standIn.key(one.id)).toBeUndefined();
  });

  test("is recognized by its incomplete inputs; complete ones belong to a managed key, such as one imported by file", async () => {
    const { id } = someKey();
    const { properties: managed } = await resource("ApiKey").refresh({ id, state: least }, least);
    expect(managed).toMatchObject({ name: "ci", scopes: [orders], enabled: true });
    expect(managed).not.toHaveProperty("__reading");
    const imported = await resource("ApiKey").import(`ws_main/${id}`);
    expect(managed["__service"]).toBe(imported.properties["__service"]);
    const { properties } = await resource("ApiKey").get(id, { workspaceId: "ws_main" });
    expect(properties).toMatchObject({ __reading: true });
  });

  test("reads a rotating key with the id and the values of its key", async () => {
    const { id } = someKey();
    const rotating = resource("RotatingApiKey");
    const found = await rotating.get(id, { workspaceId: "ws_main" });
    expect(found).toMatchObject({ id, properties: { __reading: true, keyId: id, name: "ci" } });
    expect(found.properties).not.toHaveProperty("rotatedAt");
    const held = { id, state: found.properties };
    expect(await rotating.refresh(held, { workspaceId: "ws_main" })).toEqual({
      ...found,
      inputs: undefined,
    });
  });

  test("fails for a billing record, which can't be read", async () => {
    const { message } = await failureOf(resource("CustomerBilling").get("ws_main/bill_1", {}));
    expect(message).toMatch(/so bill_1 in workspace ws_main can't be read\./);
  });

  test("reads a workspace without settings with its name", async () => {
    scene.standIn.editWorkspace("ws_second", {
      defaultExpiration: undefined,
      defaultKeyPrefix: undefined,
    });
    const { properties } = await resource("WorkspaceSettings").get("ws_second", {});
    const { name, teamId } = scene.standIn.workspaces().find(({ id }) => id === "ws_second") ?? {};
    const read = { __reading: true, __service: expect.any(String), onDestroy: "retain" };
    expect(properties).toEqual({ workspaceId: "ws_second", name, teamId, ...read });
  });

  test("finds a scope and settings whose workspace is a separate argument", async () => {
    scene.standIn.addScope({ workspaceId: "ws_main", representation: "orders" });
    scene.standIn.editWorkspace("ws_main", { defaultExpiration: 60 });
    const workspaceId = "ws_main";
    const scope = await resource("Scope").get("orders", { workspaceId });
    expect(scope.properties).toMatchObject({ representation: "orders" });
    const settings = await resource("WorkspaceSettings").get("ws_main", { workspaceId });
    expect(settings.properties).toMatchObject({ defaultExpiration: 60 });
  });
});
