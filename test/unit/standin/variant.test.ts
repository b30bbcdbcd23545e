import { describe, expect, it } from "vitest";
import type { PresetName, Variant } from "../../../standin";
import { heldKey, type Json, type OtherKnob, open } from "./standInCaller";

const scope = { name: " Orders ", representation: "orders", description: "" };
const names = (records: Json[]) => records.map(({ name }) => name);

// One test for each setting. A setting without one is a type error.
const knobs: Record<OtherKnob, () => Promise<void>> = {
  async delete() {
    const see = async (how: Variant["delete"]) => {
      const { standIn, create, del, get, keyPath } = await open({ delete: how });
      const { id } = await create();
      expect((await del(keyPath(id))).body.apiKey.deleted).toBe(true);
      const read = await get(keyPath(id));
      const { apiKeys } = (await get("/workspace/ws_main/api-key")).body;
      expect(standIn.keys({ deleted: true })).toHaveLength(how === "removes" ? 0 : 1);
      return [read.body.apiKey?.deleted ?? read.status, apiKeys.map((key: Json) => key.deleted)];
    };
    expect(await see("removes")).toEqual([404, []]);
    expect(await see("marks")).toEqual([true, []]);
    expect(await see("marksAndLists")).toEqual([true, [true]]);
    expect(await see("marksAndOnlyLists")).toEqual([404, [true]]);
  },
  async deleteAnswer() {
    const { standIn, create, del, keyPath } = await open();
    for (const [deleteAnswer, expected] of [
      ["before", [200, false]],
      ["nothing", [204, undefined]],
      ["emptyBody", [200, undefined]],
    ] as const) {
      standIn.setVariant({ deleteAnswer });
      const { status, body } = await del(keyPath((await create()).id));
      expect([status, body?.apiKey.deleted]).toEqual(expected);
    }
  },
  async deleteAgain() {
    const { standIn, create, del, keyPath } = await open({ deleteAgain: 410 });
    const { id } = await create();
    await del(keyPath(id));
    expect((await del(keyPath(id))).status).toBe(410);
    expect((await del(keyPath("key_never"))).status).toBe(404);
    expect((await del(`/workspace/ws_second/api-key/${id}`)).status).toBe(404);
    for (const deleteAgain of [409, 400, 422] as const) {
      standIn.setVariant({ deleteAgain });
      expect((await del(keyPath(id))).status).toBe(deleteAgain);
      expect((await del(keyPath("key_never"))).status).toBe(404);
    }
    standIn.setVariant({ deleteAgain: 200 });
    expect((await del(keyPath(id))).body.apiKey).toMatchObject({ id, deleted: true });
    expect(standIn.requests.at(-1)?.carriedOut).toBe(false);
  },
  async readDeleted() {
    const { standIn, create, del, get, patch, keyPath } = await open({ readDeleted: 410 });
    const { id } = await create();
    await del(keyPath(id));
    expect((await get(keyPath(id))).status).toBe(410);
    expect((await patch(keyPath(id), {})).status).toBe(410);
    expect((await get(keyPath("key_never"))).status).toBe(404);
    standIn.setVariant({ readDeleted: "null" });
    for (const answer of [await get(keyPath(id)), await patch(keyPath(id), {})])
      expect(answer).toMatchObject({ status: 200, body: { apiKey: null } });
  },
  async editDeleted() {
    const { standIn, create, del, patch, keyPath } = await open({ delete: "marks" });
    const { id } = await create();
    await del(keyPath(id));
    expect((await patch(keyPath(id), { name: "x" })).status).toBe(404);
    standIn.setVariant({ delete: "marks", editDeleted: "edited" });
    expect((await patch(keyPath(id), { name: "x" })).body.apiKey).toMatchObject({ name: "x", deleted: true });
  },
  async errorBody() {
    const { standIn, get } = await open();
    const refusal = async (errorBody: Variant["errorBody"]) => {
      standIn.setVariant({ errorBody });
      const { text, headers } = await get("/workspace/ws_none");
      return [text, headers.get("content-type")];
    };
    const why = "there is no such workspace";
    const json = "application/json";
    expect(await refusal("message")).toEqual([JSON.stringify({ message: why }), json]);
    expect(await refusal("error")).toEqual([JSON.stringify({ error: why }), json]);
    expect(await refusal("nested")).toEqual([
      JSON.stringify({ error: { code: "E404", message: why } }),
      json,
    ]);
    expect(await refusal("list")).toEqual([JSON.stringify({ errors: [{ message: why }] }), json]);
    const problem = { type: "about:blank", title: "Refused", status: 404, detail: why };
    expect(await refusal("problem")).toEqual([JSON.stringify(problem), "application/problem+json"]);
    expect(await refusal("text")).toEqual([why, "text/plain"]);
    expect(await refusal("empty")).toEqual(["", null]);
  },
  async errorEchoes() {
    const { standIn, post } = await open({ errorEchoes: "request" });
    const { text } = await post("/api-key/migrate", { ...heldKey, enabled: 1 });
    expect(text).toContain(standIn.accessToken);
    expect(text).toContain(heldKey.key);
    standIn.setVariant({});
    expect((await post("/api-key/migrate", { ...heldKey, enabled: 1 })).text).not.toContain(heldKey.key);
  },
  async invalidStatus() {
    const { post } = await open({ invalidStatus: 422 });
    expect((await post("/api-key", {})).status).toBe(422);
    expect((await post("/api-key", "{")).status).toBe(400);
  },
  async otherTenant() {
    const { standIn, get } = await open();
    standIn.addTenant({ accessToken: "other", workspaces: [{ id: "ws_other" }] });
    const see = async (otherTenant: Variant["otherTenant"]) => {
      standIn.setVariant({ otherTenant });
      const read = await get("/workspace/ws_other");
      const lists = [await get("/workspace/ws_other/api-key"), await get("/workspace/ws_other/scopes")];
      return [read.status, ...lists.map(({ status, text }) => (status === 200 ? text : status))];
    };
    expect(await see(404)).toEqual([404, 404, 404]);
    expect(await see(403)).toEqual([403, 403, 403]);
    expect(await see("empty")).toEqual([404, '{"apiKeys":[]}', '{"scopes":[]}']);
    standIn.setVariant({ otherTenant: 403 });
    expect((await get("/workspace/ws_none")).status).toBe(404);
  },
  async rateLimitPerSecond() {
    const { standIn, get } = await open({ rateLimitPerSecond: 2 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => get("/workspace")));
    const statuses = new Set(replies.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 429]));
    standIn.setVariant({});
    expect((await get("/workspace")).status).toBe(200);
  },
  async retryAfter() {
    const { standIn, get } = await open();
    const header = async (retryAfter: Variant["retryAfter"]) => {
      standIn.setVariant({ rateLimitPerSecond: 1, retryAfter });
      const replies = await Promise.all(Array.from({ length: 20 }, () => get("/workspace")));
      return replies.find(({ status }) => status === 429)?.headers.get("retry-after");
    };
    expect(await header("seconds")).toBe("1");
    expect(Date.parse((await header("date")) ?? "")).toBeGreaterThan(Date.now() - 60_000);
    expect(await header("none")).toBeNull();
  },
  async keyLists() {
    const { standIn, create, get, keyPath } = await open();
    const { id } = await create();
    for (const keyLists of [403, 404, 405, 501] as const) {
      standIn.setVariant({ keyLists, otherTenant: "empty" });
      const paths = ["/workspace/ws_main/api-key", "/workspace/ws_none/api-key"];
      for (const path of paths) expect((await get(path)).status).toBe(keyLists);
      for (const path of [keyPath(id), "/workspace/ws_main", "/workspace", "/workspace/ws_main/scopes"]) {
        expect((await get(path)).status).toBe(200);
      }
    }
  },
  async listLimit() {
    const { create, get } = await open({ listLimit: 2 });
    for (const name of ["a", "b", "c"]) await create({ name });
    expect(names((await get("/workspace/ws_main/api-key")).body.apiKeys)).toEqual(["a", "b"]);
  },
  async listLag() {
    const { standIn, create, get, post } = await open({ listLag: 2 });
    const list = async () => names((await get("/workspace/ws_main/api-key")).body.apiKeys);
    await create({ name: "a" });
    expect([await list(), await list(), await list()]).toEqual([[], [], ["a"]]);
    await create({ name: "b" });
    expect(names((await get("/workspace/ws_second/api-key")).body.apiKeys)).toEqual([]);
    expect(await list()).toEqual(["a"]);
    await create({ name: "c" });
    expect([await list(), await list(), await list()]).toEqual([["a"], ["a"], ["a", "b", "c"]]);
    await create({ name: "d" });
    standIn.addKey({ workspaceId: "ws_main", name: "e" });
    expect(await list()).toEqual(["a", "b", "c", "d", "e"]);
    await post("/workspace/ws_main/scope", scope);
    expect((await get("/workspace/ws_main/scopes")).body.scopes).toEqual([]);
  },
  async listRecords() {
    const { standIn, create, patch, get, del, keyPath } = await open({ listRecords: "brief" });
    const list = async () => (await get("/workspace/ws_main/api-key")).body.apiKeys;
    const { id } = await create({ name: "old" });
    expect(await list()).toMatchObject([{ name: "old" }]);
    for (const field of ["scopes", "enabled"]) expect((await list())[0]).not.toHaveProperty(field);
    expect((await get(keyPath(id))).body.apiKey).toMatchObject({ enabled: true, scopes: [{}, {}] });
    standIn.setVariant({ listRecords: "stale" });
    await patch(keyPath(id), { name: "new" });
    await patch("/workspace/ws_main", { defaultKeyPrefix: "p" });
    expect(names(await list())).toEqual(["old"]);
    expect((await get("/workspace")).body.workspaces[0]).not.toHaveProperty("defaultKeyPrefix");
    expect((await get(keyPath(id))).body.apiKey.name).toBe("new");
    standIn.editKey(id, { enabled: false });
    expect(await list()).toMatchObject([{ name: "new", enabled: false }]);
    standIn.setVariant({ listRecords: "stale", delete: "marksAndLists" });
    await patch(keyPath(id), { name: "newer" });
    await del(keyPath(id));
    expect(await list()).toMatchObject([{ name: "new", deleted: true }]);
  },
  async listOrder() {
    const { create, get } = await open({ listOrder: "newestFirst" });
    for (const name of ["a", "b"]) await create({ name });
    expect(names((await get("/workspace/ws_main/api-key")).body.apiKeys)).toEqual(["b", "a"]);
  },
};

describe("the stand-in's variant", () => {
  it.each(Object.entries(knobs))("has a working setting %s", async (_, prove) => {
    await prove();
  });

  it("is set relative to the default each time", async () => {
    const { standIn, create } = await open({ createStatus: 200, names: "trimmed" });
    standIn.setVariant({ createStatus: 202 });
    expect((await create({ name: " a" })).name).toBe(" a");
  });

  it("fails for an unknown preset, with a list of presets", async () => {
    const { standIn } = await open();
    expect(() => standIn.setVariant("softdelete" as PresetName)).toThrow(/"softdelete".*softDelete/);
  });
});
