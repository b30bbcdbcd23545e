import { describe, expect, it } from "vitest";
import type { Variant } from "../../../standin";
import { entry, type Json, newKey, open, type ShownKnob } from "./standInCaller";

// One test for each setting. A setting without one is a type error.
const knobs: Record<ShownKnob, () => Promise<void>> = {
  async timestamps() {
    const { standIn, create, get, keyPath } = await open();
    const { id, createdAt } = await create();
    const shown = async (timestamps: Variant["timestamps"]) => {
      standIn.setVariant({ timestamps });
      return (await get(keyPath(id))).body.apiKey.createdAt;
    };
    expect(new Date(createdAt).toISOString()).toBe(createdAt);
    expect(await shown("epochMillis")).toBe(Date.parse(createdAt));
    expect(await shown("epochSeconds")).toBe(Math.floor(Date.parse(createdAt) / 1000));
    expect(await shown("null")).toBeNull();
  },
  async absent() {
    const { standIn, create, get } = await open({ absent: "null" });
    const nothing = { prefix: null, expiresAt: null, lastUsedAt: null, billingId: null };
    expect(await create()).toMatchObject(nothing);
    standIn.setVariant({ absent: "empty" });
    expect(await create()).toMatchObject({ prefix: "", expiresAt: 0, lastUsedAt: "", billingId: "" });
    const { workspace } = (await get("/workspace/ws_main")).body;
    expect(workspace).toMatchObject({ defaultKeyPrefix: "", defaultAllowedIPs: [], defaultExpiration: 0 });
    standIn.setVariant({});
    for (const field of Object.keys(nothing)) expect(await create()).not.toHaveProperty(field);
  },
  async zeroValues() {
    const { create, get, patch } = await open({ zeroValues: "omitted" });
    expect((await get("/workspace/ws_main/scopes")).body).toEqual({});
    const key = await create({ enabled: false, customerId: "", scopes: [] });
    for (const field of ["enabled", "customerId", "scopes", "deleted"]) expect(key).not.toHaveProperty(field);
    const [shown] = (await create()).scopes;
    expect(Object.keys(shown).sort()).toEqual(["create", "id", "read", "representation"]);
    expect((await patch("/workspace/ws_main", { defaultExpiration: 0 })).text).not.toContain(
      "defaultExpiration",
    );
  },
  async emptyLists() {
    const { create, get } = await open({ emptyLists: "null" });
    expect((await create({ scopes: [] })).scopes).toBeNull();
    expect((await get("/workspace/ws_second/api-key")).body).toEqual({ apiKeys: null });
    expect((await get("/workspace/ws_main/scopes")).body).toEqual({ scopes: null });
  },
  async extraFields() {
    const { post, get } = await open({ extraFields: true });
    const { body } = await post("/api-key", newKey);
    expect(body).toHaveProperty("requestId");
    expect(body.apiKey).toHaveProperty("_links");
    expect(body.apiKey.scopes[0]).toHaveProperty("_links");
    expect((await get("/workspace")).body.workspaces[0]).toHaveProperty("_links");
  },
  async scopeOrder() {
    const { standIn, create, get, keyPath } = await open();
    const given = ["c", "a", "b", "e", "d", "g", "f"];
    const { id } = await create({ scopes: given.map((name) => entry(name, "read")) });
    const shown = async (scopeOrder: Variant["scopeOrder"]): Promise<string[]> => {
      standIn.setVariant({ scopeOrder });
      const { scopes } = (await get(keyPath(id))).body.apiKey;
      return scopes.map(({ representation }: Json) => representation);
    };
    expect(await shown("asSent")).toEqual(given);
    expect(await shown("reversed")).toEqual([...given].reverse());
    expect(await shown("sorted")).toEqual([...given].sort());
    const orders = new Set<string>();
    for (let n = 0; n < 10; n += 1) orders.add((await shown("shuffled")).join());
    expect(orders.size).toBeGreaterThan(1);
    expect([...orders][0]?.split(",").sort()).toEqual([...given].sort());
  },
  async scopeIds() {
    const { standIn, create, get, patch, keyPath } = await open({ scopeIds: "newEachWrite" });
    const ids = (key: Json): string[] => key.scopes.map((shown: Json) => shown.id);
    const key = await create();
    expect(ids((await get(keyPath(key.id))).body.apiKey)).toEqual(ids(key));
    const scopes = key.scopes.map((shown: Json) => ({ ...shown, del: true }));
    const edited = (await patch(keyPath(key.id), { scopes })).body.apiKey;
    expect(ids(edited).filter((id) => ids(key).includes(id))).toEqual([]);
    standIn.setVariant({ scopeIds: "newEachTime" });
    expect(ids((await get(keyPath(key.id))).body.apiKey)).not.toEqual(ids(edited));
    expect((await patch(keyPath(key.id), { scopes })).status).toBe(200);
    standIn.setVariant({ scopeIds: "none" });
    expect((await get(keyPath(key.id))).body.apiKey.scopes[0]).not.toHaveProperty("id");
  },
  async scopeFlags() {
    const { create } = await open({ scopeFlags: "onlyTrue" });
    expect((await create()).scopes).toEqual([
      { id: expect.any(String), representation: "orders", read: true, create: true },
      { id: expect.any(String), representation: "bills", read: true },
    ]);
  },
  async extraEmptyScope() {
    const { create, patch, keyPath } = await open({ extraEmptyScope: true });
    const { id, scopes } = await create();
    expect(scopes).toHaveLength(3);
    expect(scopes[2]).toEqual({ ...entry("workspace", ""), id: expect.any(String) });
    const named = [entry("workspace", "read", scopes[2].id)];
    expect((await patch(keyPath(id), { scopes: named })).body.apiKey.scopes).toMatchObject([{ read: true }]);
  },
  async contentType() {
    const { standIn, get } = await open({ contentType: "application/vnd.api+json" });
    expect((await get("/workspace")).headers.get("content-type")).toBe("application/vnd.api+json");
    standIn.setVariant({ contentType: "none" });
    expect((await get("/workspace")).headers.get("content-type")).toBeNull();
  },
};

describe("the stand-in's variant, for records in answers,", () => {
  it.each(Object.entries(knobs))("has a working setting %s", async (_, prove) => {
    await prove();
  });
});
