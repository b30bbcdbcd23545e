import { describe, expect, it } from "vitest";
import { entry, heldKey, type Json, newKey, open, send, type WriteKnob } from "./standInCaller";

const scope = { name: " Orders ", representation: "orders", description: "" };
const names = (records: Json[]) => records.map(({ name }) => name);

// One test for each setting. A setting without one is a type error.
const knobs: Record<WriteKnob, () => Promise<void>> = {
  async patchFields() {
    const { create, patch, keyPath } = await open({ patchFields: "replaces" });
    const { id } = await create();
    const { body } = await patch(keyPath(id), { enabled: true });
    expect(body.apiKey).toMatchObject({ name: "", enabled: true, scopes: [] });
    await patch("/workspace/ws_main", { defaultKeyPrefix: "a", defaultExpiration: 5 });
    const edited = await patch("/workspace/ws_main", { defaultKeyPrefix: "b" });
    expect(edited.body.workspace).toMatchObject({ name: "Main", defaultKeyPrefix: "b" });
    expect(edited.body.workspace.defaultExpiration).toBeUndefined();
  },
  async unknownScopeId() {
    const { standIn, create, patch, keyPath } = await open();
    const { id, scopes } = await create();
    const change = { scopes: [entry("orders", "del", "ks_other")] };
    expect((await patch(keyPath(id), change)).status).toBe(400);
    standIn.setVariant({ unknownScopeId: "ignored" });
    expect((await patch(keyPath(id), change)).body.apiKey.scopes[0].id).toBe(scopes[0].id);
  },
  async patchAnswer() {
    const { standIn, create, patch, keyPath } = await open({ patchAnswer: "before" });
    const { id } = await create({ name: "old" });
    expect((await patch(keyPath(id), { name: "new" })).body.apiKey.name).toBe("old");
    expect((await patch("/workspace/ws_main", { defaultExpiration: 9 })).text).not.toContain(
      "defaultExpiration",
    );
    for (const [patchAnswer, expected] of [
      ["nothing", [204, ""]],
      ["emptyBody", [200, ""]],
      ["emptyObject", [200, "{}"]],
    ] as const) {
      standIn.setVariant({ patchAnswer });
      const { status, text } = await patch(keyPath(id), { name: patchAnswer });
      expect([status, text]).toEqual(expected);
      expect(standIn.key(id)?.name).toBe(patchAnswer);
    }
  },
  async createStatus() {
    const { post } = await open({ createStatus: 202 });
    const made = [
      await post("/api-key", newKey),
      await post("/api-key/migrate", heldKey),
      await post("/workspace/ws_main/scope", scope),
      await post("/customer-billing", { totalCredits: "1", workspaceId: "ws_main" }),
    ];
    expect(made.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  },
  async createAnswer() {
    const { standIn, create, post } = await open({ createAnswer: "withoutKey" });
    const made = await create();
    expect(made.key).toBeUndefined();
    expect(made.name).toBe("ci");
    standIn.setVariant({ createAnswer: "brief" });
    expect(await create()).toEqual({ id: expect.any(String), key: expect.any(String) });
    const { body } = await post("/api-key/migrate", heldKey);
    expect(Object.keys(body.apiKey)).toEqual(["id", "key"]);
  },
  async enabledOnCreate() {
    const { create } = await open({ enabledOnCreate: "ignored" });
    expect((await create({ enabled: false })).enabled).toBe(true);
    expect((await (await open()).create({ enabled: false })).enabled).toBe(false);
  },
  async keyScopes() {
    const { post, patch, create, keyPath } = await open({ keyScopes: "mustBeDefined" });
    expect((await post("/api-key", newKey)).status).toBe(400);
    expect((await post("/api-key/migrate", heldKey)).status).toBe(400);
    await post("/workspace/ws_main/scope", scope);
    const { id } = await create({ scopes: [entry("orders", "read")] });
    expect((await patch(keyPath(id), { scopes: [entry("bills", "read")] })).status).toBe(400);
  },
  async duplicateScope() {
    const { standIn, post } = await open();
    const first = await post("/workspace/ws_main/scope", scope);
    const again = () => post("/workspace/ws_main/scope", { ...scope, name: "other" });
    expect((await again()).status).toBe(409);
    standIn.setVariant({ duplicateScope: "returned" });
    const returned = await again();
    expect([returned.status, returned.body]).toEqual([200, first.body]);
    standIn.setVariant({ duplicateScope: "created" });
    expect((await again()).body.scope.id).not.toBe(first.body.scope.id);
    expect(names(standIn.scopes("ws_main"))).toEqual([" Orders ", "other"]);
  },
  async duplicateKey() {
    const { standIn, post, del, keyPath } = await open();
    const first = await post("/api-key/migrate", heldKey);
    const again = () => post("/api-key/migrate", { ...heldKey, workspaceId: "ws_second" });
    expect((await again()).status).toBe(409);
    standIn.setVariant({ duplicateKey: "returned" });
    const returned = await again();
    expect([returned.status, returned.body]).toEqual([200, first.body]);
    standIn.setVariant({ duplicateKey: "created" });
    expect((await again()).status).toBe(201);
    standIn.setVariant({});
    for (const { id } of standIn.keys({ workspaceId: "ws_second" })) standIn.deleteKey(id);
    await del(keyPath(first.body.apiKey.id));
    expect((await again()).status).toBe(201);
    standIn.setVariant({ duplicateKey: "returned", delete: "marks" });
    standIn.addTenant({ accessToken: "other", workspaces: [{ id: "ws_other" }] });
    const foreign = { ...heldKey, workspaceId: "ws_other" };
    const asOther = { authorization: "Bearer other" };
    expect((await send(standIn, "POST", "/api-key/migrate", foreign, asOther)).status).toBe(409);
    standIn.setVariant({ duplicateKey: "created", delete: "marks" });
    const twin = await again();
    for (const { id } of standIn.keys()) if (id !== twin.body.apiKey.id) standIn.deleteKey(id);
    standIn.setVariant({ delete: "marks" });
    expect((await again()).status).toBe(409);
    standIn.deleteKey(twin.body.apiKey.id);
    expect((await again()).status).toBe(201);
  },
  async positiveNumber() {
    const { standIn, patch } = await open();
    const status = async (field: string) => (await patch("/workspace/ws_main", { [field]: 0 })).status;
    const both = async () => [await status("defaultRateLimitPerSecond"), await status("defaultExpiration")];
    expect(await both()).toEqual([400, 200]);
    standIn.setVariant({ positiveNumber: "defaultExpiration" });
    expect(await both()).toEqual([200, 400]);
    standIn.setVariant({ positiveNumber: "both" });
    expect(await both()).toEqual([400, 400]);
    standIn.setVariant({ positiveNumber: "neither" });
    expect(await both()).toEqual([200, 200]);
  },
  async names() {
    const { standIn, create, patch, post, keyPath } = await open({ names: "trimmed" });
    const { id, name } = await create({ name: " My Key " });
    expect(name).toBe("My Key");
    standIn.setVariant({ names: "lowerCased" });
    expect((await patch(keyPath(id), { name: " New Key" })).body.apiKey.name).toBe("new key");
    expect((await post("/workspace/ws_main/scope", scope)).body.scope.name).toBe("orders");
  },
  async prefix() {
    const { create, patch } = await open({ prefix: "underscored" });
    expect(await create({ prefix: "ci" })).toMatchObject({
      prefix: "ci_",
      key: expect.stringMatching(/^sk_ci_\w{32}$/),
    });
    expect((await create({ prefix: "ci_" })).prefix).toBe("ci_");
    const { body } = await patch("/workspace/ws_main", { defaultKeyPrefix: "team" });
    expect(body.workspace.defaultKeyPrefix).toBe("team_");
  },
  async decimals() {
    const { post } = await open({ decimals: "twoPlaces" });
    const asked = { totalCredits: "100", spendCap: "1.005", workspaceId: "ws_main" };
    const { billing } = (await post("/customer-billing", asked)).body;
    expect(billing).toMatchObject({ totalCredits: "100.00", spendCap: "1.005", usedCredits: "0.00" });
  },
  async addresses() {
    const { patch } = await open({ addresses: "cidr" });
    const defaultAllowedIPs = ["10.0.0.1", "::1", "10.1.0.0/16", "anything"];
    const { body } = await patch("/workspace/ws_main", { defaultAllowedIPs });
    expect(body.workspace.defaultAllowedIPs).toEqual(["10.0.0.1/32", "::1/128", "10.1.0.0/16", "anything"]);
  },
  async numbers() {
    const { patch } = await open({ numbers: "rounded" });
    const { body } = await patch("/workspace/ws_main", {
      defaultRateLimitPerSecond: 3,
      defaultExpiration: 29,
    });
    expect(body.workspace).toMatchObject({ defaultRateLimitPerSecond: 10, defaultExpiration: 20 });
  },
  async expiresAt() {
    const { standIn, create } = await open({ expiresAt: "rounded" });
    expect((await create({ expiresAt: 125 })).expiresAt).toBe(120);
    expect((await create({ expiresAt: 1 })).expiresAt).toBe(60);
    standIn.setVariant({ expiresAt: "defaulted" });
    expect((await create()).expiresAt).toBe(2_592_000);
    expect((await create({ expiresAt: 125 })).expiresAt).toBe(125);
  },
  async ids() {
    const numeric = await open({ ids: "numeric" });
    const key = await numeric.create();
    expect([typeof key.id, typeof key.scopes[0].id]).toEqual(["number", "number"]);
    expect((await numeric.get(numeric.keyPath(key.id))).body.apiKey.id).toBe(key.id);
    const scopes = [entry("orders", "read", String(key.scopes[0].id))];
    expect((await numeric.patch(numeric.keyPath(key.id), { scopes })).body.apiKey.scopes[0].id).toBe(
      key.scopes[0].id,
    );
    const odd = await open({ ids: "odd" });
    const { id } = await odd.create();
    expect(id).toMatch(/^key .*\/ü%2F\?#/);
    expect((await odd.get(odd.keyPath(id))).body.apiKey.id).toBe(id);
  },
};

describe("the stand-in's variant, for writes and stored values,", () => {
  it.each(Object.entries(knobs))("has a working setting %s", async (_, prove) => {
    await prove();
  });
});
