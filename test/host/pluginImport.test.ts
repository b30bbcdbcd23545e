import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failureOf, requestsOf } from "./keyActs";
import type { PluginHost } from "./plugin";
import { addKey, clear, end, orders } from "./pluginReadings";
import { quickTimers } from "./quickTimers";
import { openPluginScene, type Scene } from "./scene";

describe("an import by the plugin", () => {
  let scene: Scene<PluginHost>;
  beforeAll(async () => {
    scene = await openPluginScene({ env: quickTimers() });
  });
  beforeEach(() => clear(scene));
  afterAll(() => end(scene));
  const resource = (kind: string) => scene.host.resource(kind);
  const someKey = (more: Parameters<typeof addKey>[1] = {}) => addKey(scene, more);

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
    expect(Object.keys(found.properties)).not.toContain("__reading");
  }

  test("gives a key that can be updated and deleted by its own id and by the id to import", async () => {
    // An id of the service may look like one to import.
    for (const key of [someKey(), someKey({ id: "ws_main/key_1" })]) {
      const given = `ws_main/${key.id}`;
      const { id, properties, inputs = {} } = await resource("ApiKey").import(given);
      expect(id).toBe(key.id);
      const held = await resource("ApiKey").update({ id, state: properties }, { ...inputs, name: "second" });
      expect(scene.standIn.key(key.id)?.name).toBe("second");
      await resource("ApiKey").update({ id: given, state: held.state }, { ...inputs, name: "third" });
      expect(scene.standIn.key(key.id)?.name).toBe("third");
      await resource("ApiKey").delete({ id: given, state: held.state });
      expect(scene.standIn.key(key.id)?.deleted ?? true).toBe(true);
    }
  });

  test("finds each kind of resource with the service's values, and its program then shows no change", async () => {
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

  test("of a key sends one GET, and the key can then be edited and deleted", async () => {
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
    ["ApiKeySet", "ws_main", "workspaceId/alias=keyId,alias=keyId"],
    ["CustomerBilling", "bill_1", "workspaceId/billingId"],
  ];
  test.each(wrong)("of %s by the id %s fails, and names the right form", async (kind, id, form) => {
    const { result, requests } = await requestsOf(scene, () => failureOf(resource(kind).import(id)));
    expect(result.message).toBe(`${kind}: the id ${JSON.stringify(id)} does not have the form ${form}.`);
    expect(requests).toEqual([]);
  });

  test.each(["ws_main/a", "ws_main/a=1,a=2", "ws_main/=1", "ws_main/a="])(
    "of a set by the id %s fails, and says how to write each key",
    async (id) => {
      const { message } = await failureOf(resource("ApiKeySet").import(id));
      expect(message).toContain("as alias=keyId, after the id of the workspace");
    },
  );

  test("R6 finds nothing only if the list confirms that", async () => {
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
    const [ended] = await Promise.allSettled([resource("ApiKeySet").import("ws_main/a=key_0")]);
    expect(ended).toMatchObject({
      reason: {
        message: expect.stringMatching(/^Reading the keys of .*1 of 1 failed.*\n"a": .*can't be read/),
      },
    });
  });

  test("puts the defaults of inputs into state", async () => {
    const billing = await resource("CustomerBilling").import("ws_main/bill_1");
    expect(billing.properties).toMatchObject({ grant: "initial", allowOverages: false });
    scene.standIn.editWorkspace("ws_second", { defaultExpiration: 60 });
    const settings = await resource("WorkspaceSettings").import("ws_second");
    expect(settings.properties).toMatchObject({ defaultExpiration: 60, onDestroy: "retain" });
  });

  test("W5 keeps the settings of that moment, which destroy restores", async () => {
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
