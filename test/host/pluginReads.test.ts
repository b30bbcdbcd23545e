import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Properties } from "./host";
import { failureOf, requestsOf } from "./keyActs";
import type { PluginHost, PluginResource } from "./plugin";
import { quickTimers } from "./quickTimers";
import { accessToken, openPluginScene, type Scene } from "./scene";

const orders = { representation: "orders", read: true };
const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };

describe("what the plugin reads", () => {
  let scene: Scene<PluginHost>;
  const resources = new Map<string, PluginResource>();
  const resource = (kind: string) => resources.get(kind) ?? scene.host.resource(kind);
  beforeAll(async () => {
    scene = await openPluginScene({ env: quickTimers() });
  });
  beforeEach(() => {
    scene.standIn.clearFaults();
    for (const { id } of scene.standIn.keys()) scene.standIn.deleteKey(id);
    for (const { id } of scene.standIn.scopes("ws_main")) scene.standIn.deleteScope(id);
    scene.standIn.clearRequests();
  });
  afterAll(async () => {
    const printed = await scene.close();
    for (const text of [accessToken, ...scene.standIn.secrets()]) expect(printed).not.toContain(text);
  });

  /** A key that no state knows. */
  const someKey = (declared: Partial<typeof least> & Properties = {}) =>
    scene.standIn.addKey({ ...least, scopes: [orders], ...declared });

  describe("by an id to import", () => {
    /** What is found can be declared just so, and then there is nothing to do. */
    async function expectQuiet(kind: string, id: string): Promise<void> {
      const found = await resource(kind).import(id);
      expect(found.inputs).toBeDefined();
      const { inputs, failures } = await resource(kind).check(found.inputs ?? {}, found.inputs);
      expect(failures).toEqual([]);
      const held = { id: found.id, state: found.properties };
      expect(await resource(kind).diff(held, inputs)).toEqual({ changes: "none", replaces: [] });
      const refreshed = await resource(kind).refresh(held, inputs);
      expect(refreshed).toEqual({ id: found.id, properties: found.properties, inputs: undefined });
      expect(Object.keys(found.properties)).not.toContain("__reading");
    }

    test("what was found is updated and deleted by its own id, and by the one that was given", async () => {
      // Such an id begins as one to import does.
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

    test("every kind is found as it is, and declared just so there is nothing to do", async () => {
      const [one, other] = [someKey(), someKey({ name: "other", enabled: false })];
      const scope = scene.standIn.addScope({ workspaceId: "ws_main", representation: "a/b", name: "AB" });
      scene.standIn.editWorkspace("ws_main", { defaultKeyPrefix: "sk", defaultExpiration: 60 });
      for (const [kind, id] of [
        ["ApiKey", `ws_main/${one.id}`],
        ["ApiKeySet", `ws_main/a=${one.id},b c=${other.id}`],
        ["RotatingApiKey", `ws_main/${one.id}`],
        ["Scope", "ws_main/a/b"],
        ["Scope", `ws_main/${scope.id}`],
        ["WorkspaceSettings", "ws_main"],
        ["CustomerBilling", "ws_main/bill_1"],
      ] as const) {
        await expectQuiet(kind, id);
      }
      expect(scene.standIn.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    });

    test("a key takes one GET; its id is the service's; it can be edited, and deleted", async () => {
      const { id } = someKey();
      const { result, endpoints } = await requestsOf(scene, () => resource("ApiKey").import(`ws_main/${id}`));
      expect(endpoints).toBe("readApiKey");
      expect(result.id).toBe(id);
      // As a program would declare it: nothing that a default stands for, as the resource's name does.
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
      ["ApiKeySet", "ws_main", "workspaceId/alias=keyId,alias=keyId"],
      ["CustomerBilling", "bill_1", "workspaceId/billingId"],
    ];
    test.each(wrong)("%s %s is refused, with the form to use", async (kind, id, form) => {
      const { result, requests } = await requestsOf(scene, () => failureOf(resource(kind).import(id)));
      expect(result.message).toBe(`${kind}: the id ${JSON.stringify(id)} does not have the form ${form}.`);
      expect(requests).toEqual([]);
    });

    test.each(["ws_main/a", "ws_main/a=1,a=2", "ws_main/=1", "ws_main/a="])(
      "a set %s is refused, with how to give each key",
      async (id) => {
        const { message } = await failureOf(resource("ApiKeySet").import(id));
        expect(message).toContain("as alias=keyId, after the id of the workspace");
      },
    );

    test("R6 nothing is found only where the list confirms it", async () => {
      const nothing = { id: "", properties: {}, inputs: undefined };
      expect(await resource("ApiKey").import("ws_main/key_0")).toEqual(nothing);
      expect(await resource("Scope").import("ws_main/none")).toEqual(nothing);
      scene.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 }, times: 9 });
      const { message } = await failureOf(resource("ApiKey").import("ws_second/key_0"));
      expect(message).toContain("list of keys can't be read to confirm that it is gone");
      for (const [kind, id] of [
        ["WorkspaceSettings", "ws_nobody"],
        ["Scope", "ws_nobody/a"],
        ["ApiKeySet", "ws_main/a=key_0"],
      ] as const) {
        await failureOf(resource(kind).import(id));
      }
    });

    test("what a program has by default is in state as well", async () => {
      const billing = await resource("CustomerBilling").import("ws_main/bill_1");
      expect(billing.properties).toMatchObject({ grant: "initial", allowOverages: false });
      scene.standIn.editWorkspace("ws_second", { defaultExpiration: 60 });
      const settings = await resource("WorkspaceSettings").import("ws_second");
      expect(settings.properties).toMatchObject({ defaultExpiration: 60, onDestroy: "retain" });
    });

    test("W5 settings that were imported go back to what they were then", async () => {
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

  describe("by `.get`", () => {
    test("R19 a key is only read, with either form of its id, and read anew by a refresh", async () => {
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

    test("R19 a key that does not exist is an error", async () => {
      const asked = { workspaceId: "ws_main" };
      const { message } = await failureOf(resource("ApiKey").get("key_0", { ...asked, __reading: true }));
      expect(message).toBe("There is no ApiKey key_0 in workspace ws_main: check both ids.");
      // In other languages the engine says that there is none.
      expect(await resource("ApiKey").get("key_0", asked)).toMatchObject({ id: "", properties: {} });
    });

    test("a set claims no key, and is the same each time", async () => {
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

    test("a refresh is told by inputs with which a program could declare the key, as those of an import by file", async () => {
      const { id } = someKey();
      const { properties: managed } = await resource("ApiKey").refresh({ id, state: least }, least);
      expect(managed).toMatchObject({ name: "ci", scopes: [orders], enabled: true });
      expect(managed).not.toHaveProperty("__reading");
      const imported = await resource("ApiKey").import(`ws_main/${id}`);
      expect(managed["__service"]).toBe(imported.properties["__service"]);
      const { properties } = await resource("ApiKey").get(id, { workspaceId: "ws_main" });
      expect(properties).toMatchObject({ __reading: true });
    });

    test("a rotating key has the id and the values of its key", async () => {
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

    test("a billing record can't be read, which is said instead of giving what was asked with", async () => {
      const { message } = await failureOf(resource("CustomerBilling").get("ws_main/bill_1", {}));
      expect(message).toMatch(/so bill_1 in workspace ws_main can't be read\./);
    });

    test("a workspace without settings has its name", async () => {
      scene.standIn.editWorkspace("ws_second", {
        defaultExpiration: undefined,
        defaultKeyPrefix: undefined,
      });
      const { properties } = await resource("WorkspaceSettings").get("ws_second", {});
      const { name, teamId } = scene.standIn.workspaces().find(({ id }) => id === "ws_second") ?? {};
      const read = { __reading: true, __service: expect.any(String), onDestroy: "retain" };
      expect(properties).toEqual({ workspaceId: "ws_second", name, teamId, ...read });
    });

    test("a scope and settings are found where their workspace is given apart", async () => {
      scene.standIn.addScope({ workspaceId: "ws_main", representation: "orders" });
      scene.standIn.editWorkspace("ws_main", { defaultExpiration: 60 });
      const workspaceId = "ws_main";
      const scope = await resource("Scope").get("orders", { workspaceId });
      expect(scope.properties).toMatchObject({ representation: "orders" });
      const settings = await resource("WorkspaceSettings").get("ws_main", { workspaceId });
      expect(settings.properties).toMatchObject({ defaultExpiration: 60 });
    });
  });

  describe("by a function", () => {
    test("each finds what there is", async () => {
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
    ])("%s %o says what is wrong", async (name, args, message) => {
      expect((await failureOf(scene.host.invoke(name, args))).message).toMatch(message);
    });
  });

  describe("as a list", () => {
    test("each that is listed can be imported by its id", async () => {
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
        for (const { id } of found) expect((await resource(kind).import(id)).id).not.toBe("");
      }
    });

    test("holds what the query asks for, and no more than the limit", async () => {
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
    ])("of %s by %o fails with what is wrong", async (kind, query, message) => {
      const failure: unknown = await scene.host.list(kind, query).catch((error: unknown) => error);
      expect((failure as { readonly details: string }).details).toMatch(message);
      // And the plugin serves on.
      expect(await scene.host.list("WorkspaceSettings")).toHaveLength(2);
    });
  });
});
