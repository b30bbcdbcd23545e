import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { StoredKey } from "../../standin";
import { accessToken, openPluginScene, type Scene } from "./fixture";
import type { Properties } from "./host";
import { failureOf, requestsOf } from "./outcomes";
import type { PluginHost } from "./plugin";
import { quickTimers } from "./quickTimers";

const orders = { representation: "orders", read: true };
const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };

describe("what the plugin reads without state", () => {
  let scene: Scene<PluginHost>;
  beforeAll(async () => {
    scene = await openPluginScene({ env: quickTimers() });
  });
  beforeEach(() => {
    const { standIn } = scene;
    standIn.clearFaults();
    for (const { id } of standIn.keys()) standIn.deleteKey(id);
    for (const { id } of standIn.scopes("ws_main")) standIn.deleteScope(id);
    standIn.clearRequests();
  });
  afterAll(async () => {
    const printed = await scene.close();
    for (const text of [accessToken, ...scene.standIn.secrets()]) expect(printed).not.toContain(text);
  });
  const resource = (kind: string) => scene.host.resource(kind);
  /** A key that is not in state. */
  const someKey = (more: Partial<StoredKey> = {}) =>
    scene.standIn.addKey({ ...least, scopes: [orders], ...more });

  describe("a function", () => {
    test("a function called in the plugin returns what the service has", async () => {
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
      [
        "getScopes",
        { workspaceID: "ws_main" },
        /getScopes: no such argument, workspaceID; it has workspaceId\.$/,
      ],
      ["getWorkspaces", { name: "Main" }, /getWorkspaces: no such argument, name; it has none\.$/],
      ["getApiKeys", { workspaceId: null }, /^The argument workspaceId is not a string: set it to an id /],
      ["getApiKey", { workspaceId: "ws_main" }, /^Finding a key: give either id or name\.$/],
      ["getWorkspace", { id: "a", name: "b" }, /^Finding a workspace: give either id or name\.$/],
      ["getWorkspace", { id: "ws_nobody" }, /^Reading workspace ws_nobody: the service answered 404/],
      ["getApiKeys", { workspaceId: "ws_nobody" }, /answered 404 .* Check workspaceId, and /],
      ["getWorkspace", { id: "" }, /^The argument id is empty: set it to an id of the service\.$/],
      ["getApiKey", { workspaceId: "ws_main", id: ".." }, /^The argument id is "\.\.": set it to an id/],
    ])("a function called in the plugin fails and says what is wrong: %s %o", async (name, args, message) => {
      expect((await failureOf(scene.host.invoke(name, args))).message).toMatch(message);
    });
  });

  describe("a list of resources", () => {
    test("a list of resources from the plugin has ids by which each one can be imported", async () => {
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

    test("a list of resources from the plugin has the objects of one workspace, and no more than the limit", async () => {
      const { id } = someKey();
      const ids = async (query: Properties, limit?: number) =>
        (await scene.host.list("ApiKey", query, limit)).map((one) => one.id);
      expect(await ids({ workspaceId: "ws_second" })).toEqual([]);
      someKey({ workspaceId: "ws_second" });
      expect(await ids({ workspaceId: "ws_main" })).toEqual([`ws_main/${id}`]);
      expect(await ids({}, 1)).toHaveLength(1);
    });

    test.each([
      ["CustomerBilling", {}, /^CustomerBilling can't be listed/],
      ["toString", {}, /^toString can't be listed/],
      ["ApiKey", { workspaceId: "ws_nobody" }, /^Listing the keys of workspace ws_nobody: .*404/],
    ])(
      "a list of resources from the plugin fails and says what is wrong: %s %o",
      async (kind, query, message) => {
        const failure: unknown = await scene.host.list(kind, query).catch((error: unknown) => error);
        expect((failure as { readonly details: string }).details).toMatch(message);
        // And the next calls work.
        expect(await scene.host.list("WorkspaceSettings")).toHaveLength(2);
      },
    );
  });

  describe("`.get` in the plugin", () => {
    test("R19 get in the plugin reads a key by either form of its id, and again in a refresh", async () => {
      const { id } = someKey();
      for (const [given, inputs] of [
        [id, { workspaceId: "ws_main" }],
        [`ws_main/${id}`, {}],
      ] as const) {
        const found = await resource("ApiKey").get(given, inputs);
        expect(found).toMatchObject({ id, properties: { __external: true, name: "ci", scopes: [orders] } });
        scene.standIn.editKey(id, { name: "theirs" });
        const held = { id, state: found.properties };
        const { properties } = await resource("ApiKey").refresh(held, inputs);
        expect(properties).toMatchObject({ __external: true, name: "theirs" });
        scene.standIn.editKey(id, { name: "ci" });
      }
    });

    test("R19 get in the plugin fails for a key that does not exist", async () => {
      const asked = { workspaceId: "ws_main" };
      const { message } = await failureOf(resource("ApiKey").get("key_0", { ...asked, __external: true }));
      expect(message).toBe("There is no ApiKey key_0 in workspace ws_main: check both ids.");
      // In other languages the engine itself reports that.
      expect(await resource("ApiKey").get("key_0", asked)).toMatchObject({ id: "", properties: {} });
    });

    test("R19 get in the plugin is recognized by its incomplete inputs; complete ones are of a managed key", async () => {
      const { id } = someKey();
      const { properties: managed } = await resource("ApiKey").refresh({ id, state: least }, least);
      expect(managed).toMatchObject({ name: "ci", scopes: [orders], enabled: true });
      expect(managed).not.toHaveProperty("__external");
      const imported = await resource("ApiKey").import(`ws_main/${id}`);
      expect(managed["__service"]).toBe(imported.properties["__service"]);
      const { properties } = await resource("ApiKey").get(id, { workspaceId: "ws_main" });
      expect(properties).toMatchObject({ __external: true });
    });

    test("R19 get in the plugin reads a workspace without settings with its name", async () => {
      scene.standIn.editWorkspace("ws_second", {
        defaultExpiration: undefined,
        defaultKeyPrefix: undefined,
      });
      const { properties } = await resource("WorkspaceSettings").get("ws_second", {});
      const { name, teamId } = scene.standIn.workspaces().find(({ id }) => id === "ws_second") ?? {};
      const read = { __external: true, __service: expect.any(String), onDestroy: "retain" };
      expect(properties).toEqual({ workspaceId: "ws_second", name, teamId, ...read });
    });

    test("R19 get in the plugin finds a scope and settings whose workspace is a separate argument", async () => {
      scene.standIn.addScope({ workspaceId: "ws_main", representation: "orders" });
      scene.standIn.editWorkspace("ws_main", { defaultExpiration: 60 });
      const workspaceId = "ws_main";
      const scope = await resource("Scope").get("orders", { workspaceId });
      expect(scope.properties).toMatchObject({ representation: "orders" });
      const settings = await resource("WorkspaceSettings").get("ws_main", { workspaceId });
      expect(settings.properties).toMatchObject({ defaultExpiration: 60 });
    });
  });

  describe("an import by the plugin", () => {
    /** A program with the imported inputs shows no change. */
    async function expectQuiet(kind: string, id: string): Promise<void> {
      const found = await resource(kind).import(id);
      expect(found.inputs).toBeDefined();
      const { inputs, failures } = await resource(kind).check(found.inputs ?? {}, found.inputs);
      expect(failures).toEqual([]);
      const held = { id: found.id, state: found.properties };
      expect(await resource(kind).diff(held, inputs)).toEqual({ changes: "none", replaces: [] });
      const refreshed = await resource(kind).refresh(held, inputs);
      expect(refreshed).toEqual({ id: found.id, properties: found.properties, inputs: undefined });
      expect(Object.keys(found.properties)).not.toContain("__external");
    }

    test("R19 an import gives a key that can be updated and deleted by its own id and by the id to import", async () => {
      // An id of the service may look like one to import.
      for (const key of [someKey(), someKey({ id: "ws_main/key_1" })]) {
        const given = `ws_main/${key.id}`;
        const { id, properties, inputs = {} } = await resource("ApiKey").import(given);
        expect(id).toBe(key.id);
        const held = await resource("ApiKey").update(
          { id, state: properties },
          { ...inputs, name: "second" },
        );
        expect(scene.standIn.key(key.id)?.name).toBe("second");
        await resource("ApiKey").update({ id: given, state: held.state }, { ...inputs, name: "third" });
        expect(scene.standIn.key(key.id)?.name).toBe("third");
        await resource("ApiKey").delete({ id: given, state: held.state });
        expect(scene.standIn.key(key.id)?.deleted ?? true).toBe(true);
      }
    });

    test("R19 an import finds each kind of resource with the service's values, and its program shows no change", async () => {
      const one = someKey();
      const scope = scene.standIn.addScope({ workspaceId: "ws_main", representation: "a/b", name: "AB" });
      scene.standIn.editWorkspace("ws_main", { defaultKeyPrefix: "sk", defaultExpiration: 60 });
      for (const [kind, id] of [
        ["ApiKey", `ws_main/${one.id}`],
        ["Scope", "ws_main/a/b"],
        ["Scope", `ws_main/${scope.id}`],
        ["WorkspaceSettings", "ws_main"],
      ] as const) {
        await expectQuiet(kind, id);
      }
      expect(scene.standIn.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    });

    test("R19 an import of a key sends one GET, and the key can then be edited and deleted", async () => {
      const { id } = someKey();
      const { result, endpoints } = await requestsOf(scene, () => resource("ApiKey").import(`ws_main/${id}`));
      expect(endpoints).toBe("readApiKey");
      expect(result.id).toBe(id);
      // Without values that are defaults, such as the resource's name.
      expect(result.inputs).toEqual({ workspaceId: "ws_main", customerId: "cus_1", scopes: [orders] });
      expect(result.properties).not.toHaveProperty("key");
      const held = { id, state: result.properties };
      const edited = { ...result.inputs, enabled: false };
      const { inputs } = await resource("ApiKey").check(edited, result.inputs);
      const after = await resource("ApiKey").update(held, inputs);
      expect(scene.standIn.key(id)?.enabled).toBe(false);
      await resource("ApiKey").delete(after);
      expect(scene.standIn.key(id)).toBeUndefined();
    });

    const wrong: readonly (readonly [string, string, string])[] = [
      ["ApiKey", "key_1", "workspaceId/keyId"],
      ["ApiKey", "/key_1", "workspaceId/keyId"],
      ["ApiKey", "ws_main/", "workspaceId/keyId"],
      ["Scope", "orders", "workspaceId/representation"],
    ];
    test.each(wrong)(
      "R19 an import of %s by the id %s fails, and names the right form",
      async (kind, id, form) => {
        const { result, requests } = await requestsOf(scene, () => failureOf(resource(kind).import(id)));
        expect(result.message).toBe(`${kind}: the id ${JSON.stringify(id)} does not have the form ${form}.`);
        expect(requests).toEqual([]);
      },
    );

    test("R6 an import finds nothing only if the list confirms that", async () => {
      const nothing = { id: "", properties: {}, inputs: undefined };
      expect(await resource("ApiKey").import("ws_main/key_0")).toEqual(nothing);
      expect(await resource("Scope").import("ws_main/none")).toEqual(nothing);
      scene.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 }, times: 9 });
      const { message } = await failureOf(resource("ApiKey").import("ws_second/key_0"));
      expect(message).toContain("list of keys can't be read to confirm that it is gone");
      for (const [kind, id] of [
        ["WorkspaceSettings", "ws_nobody"],
        ["Scope", "ws_nobody/a"],
      ] as const) {
        await failureOf(resource(kind).import(id));
      }
    });

    test("R19 an import puts the defaults of inputs into state", async () => {
      scene.standIn.editWorkspace("ws_second", { defaultExpiration: 60 });
      const settings = await resource("WorkspaceSettings").import("ws_second");
      expect(settings.properties).toMatchObject({ defaultExpiration: 60, onDestroy: "retain" });
    });

    test("W5 an import keeps the settings of that moment, which destroy restores", async () => {
      const then = { defaultKeyPrefix: "then", defaultExpiration: 60 };
      scene.standIn.editWorkspace("ws_second", then);
      const found = await resource("WorkspaceSettings").import("ws_second");
      const declared = { ...found.inputs, defaultKeyPrefix: "now", onDestroy: "restore" };
      const later = (await scene.laterHost()).resource("WorkspaceSettings");
      const { inputs } = await later.check(declared, found.inputs);
      const held = await later.update({ id: found.id, state: found.properties }, inputs);
      const { name } = scene.standIn.workspaces().find(({ id }) => id === "ws_second") ?? {};
      expect(held.state).toMatchObject({ name, defaultKeyPrefix: "now" });
      await resource("WorkspaceSettings").delete(held);
      expect(scene.standIn.workspaces().find(({ id }) => id === "ws_second")).toMatchObject(then);
    });
  });
});
