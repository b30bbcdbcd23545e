import { describe, expect, it } from "vitest";
import type { Fault, StandIn } from "../../standin";
import { entry, heldKey, type Json, newKey, open } from "./standInCaller";

type WithoutEffect = Omit<Extract<Fault, { kind: "withoutEffect" }>, "kind">;

const scope = { name: "s", representation: "s", description: "" };
const billing = { totalCredits: "1", workspaceId: "ws_main" };

/** All records of the service that requests can create and change. */
function held(standIn: StandIn) {
  return [standIn.keys(), standIn.workspaces(), standIn.scopes("ws_main"), standIn.billings()];
}

describe("a false answer of the stand-in", () => {
  it("markedDeleted: existing keys are returned as deleted", async () => {
    const { standIn, create, get, patch, keyPath } = await open();
    const { id } = await create();
    standIn.inject({ times: 4, fault: { kind: "markedDeleted" } });
    expect((await get(keyPath(id))).body.apiKey).toMatchObject({ id, name: "ci", deleted: true });
    expect((await get("/workspace/ws_main/api-key")).body.apiKeys).toMatchObject([{ id, deleted: true }]);
    expect((await patch(keyPath(id), { name: "x" })).body.apiKey).toMatchObject({ name: "x", deleted: true });
    expect((await get("/workspace")).body.workspaces).toHaveLength(2);
    expect(standIn.key(id)).toMatchObject({ name: "x", deleted: false });
  });

  it.each<[WithoutEffect, number, unknown]>([
    [{}, 200, "new"],
    [{ answer: "after" }, 200, "new"],
    [{ answer: "before" }, 200, "old"],
    [{ answer: "before", status: 202 }, 202, "old"],
    [{ answer: "nothing" }, 200, ""],
    [{ answer: "nothing", status: 204 }, 204, ""],
    [{ answer: "emptyObject" }, 200, "{}"],
  ])("withoutEffect %j: a PATCH is answered with %d and %j, but not applied", async (fault, ...expected) => {
    const { standIn, create, patch, keyPath } = await open();
    const { id } = await create({ name: "old" });
    standIn.editWorkspace("ws_main", { defaultKeyPrefix: "old" });
    const before = held(standIn);
    standIn.inject({ times: 2, fault: { kind: "withoutEffect", ...fault } });
    const key = await patch(keyPath(id), { name: "new" });
    expect([key.status, key.body?.apiKey?.name ?? key.text]).toEqual(expected);
    const { status, body, text } = await patch("/workspace/ws_main", { defaultKeyPrefix: "new" });
    expect([status, body?.workspace?.defaultKeyPrefix ?? text]).toEqual(expected);
    expect(standIn.requests.at(-1)).toMatchObject({ fault: "withoutEffect", carriedOut: false });
    expect(held(standIn)).toEqual(before);
  });

  it.each<[WithoutEffect, number, unknown]>([
    [{}, 200, true],
    [{ answer: "after" }, 200, true],
    [{ answer: "before" }, 200, false],
    [{ answer: "nothing", status: 204 }, 204, ""],
    [{ answer: "emptyObject" }, 200, "{}"],
  ])("withoutEffect %j: a DELETE is answered with %d and %j, but not applied", async (fault, ...expected) => {
    const { standIn, create, get, del, keyPath } = await open();
    const { id } = await create();
    const before = held(standIn);
    standIn.inject({ fault: { kind: "withoutEffect", ...fault } });
    const { status, body, text } = await del(keyPath(id));
    expect([status, body?.apiKey?.deleted ?? text]).toEqual(expected);
    expect(held(standIn)).toEqual(before);
    expect((await get("/workspace/ws_main/api-key")).body.apiKeys).toMatchObject([{ id, deleted: false }]);
  });

  it("withoutEffect: a POST is answered with a record that was never created", async () => {
    const { standIn, create, get, post, keyPath } = await open({ listLag: 1 });
    const before = held(standIn);
    standIn.inject({ times: 4, fault: { kind: "withoutEffect", answer: "before" } });
    const made: Json = await create();
    expect(made).toMatchObject({ name: "ci", key: expect.any(String) });
    expect(standIn.secrets()).toContain(made.key);
    expect((await post("/api-key/migrate", heldKey)).body.apiKey.key).toBe(heldKey.key);
    expect((await post("/workspace/ws_main/scope", scope)).body.scope.name).toBe("s");
    expect((await post("/customer-billing", billing)).body.billing.totalCredits).toBe("1");
    expect(held(standIn)).toEqual(before);
    expect((await get(keyPath(made.id))).status).toBe(404);
    expect((await post("/workspace/ws_main/scope", scope)).status).toBe(201);
    expect((await post("/api-key/migrate", heldKey)).status).toBe(201);
  });

  it("withoutEffect: answers and refusals have the dialect's form", async () => {
    const { standIn, create, patch, del, keyPath } = await open();
    const { id } = await create({ name: "old" });
    standIn.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "withoutEffect", status: 200 } });
    expect((await patch(keyPath("key_never"), { name: "x" })).status).toBe(404);
    expect((await patch(keyPath(id), { name: 1 })).status).toBe(400);
    standIn.clearFaults();
    standIn.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "withoutEffect" } });
    standIn.setDialect({ patchAnswer: "nothing", deleteAnswer: "emptyBody" });
    expect((await patch(keyPath(id), { name: "x" })).status).toBe(204);
    expect(await del(keyPath(id))).toMatchObject({ status: 200, text: "" });
    standIn.setDialect({ writes: "queued", laterMs: 1 });
    expect((await del(keyPath(id))).body.apiKey.deleted).toBe(true);
    await standIn.settled();
    expect(standIn.keys()).toMatchObject([{ id, name: "old" }]);
  });
});

describe("a successful POST to the stand-in", () => {
  const posts = [
    ["/api-key", newKey, newKey],
    ["/api-key/migrate", heldKey, { ...heldKey, key: "another" }],
    ["/workspace/ws_main/scope", scope, { ...scope, representation: "another" }],
    ["/customer-billing", billing, billing],
  ] as const;

  it.each(posts)(
    "%s can be answered with a 409, or with 2 MB that contain the record",
    async (path, first, second) => {
      const { standIn, post } = await open();
      const made = () => standIn.keys().length + standIn.scopes("ws_main").length + standIn.billings().length;
      standIn.inject({ fault: { kind: "errorAfter", status: 409 } });
      expect((await post(path, first)).status).toBe(409);
      expect(made()).toBe(1);
      standIn.inject({ fault: { kind: "hugeBody", bytes: 2_000_000 } });
      const huge = await post(path, second);
      expect([huge.status, Buffer.byteLength(huge.text), made()]).toEqual([201, 2_000_000, 2]);
      expect(Object.values<Json>(huge.body)[0].id).toEqual(expect.any(String));
    },
  );

  it("is answered with more than 1 MiB for a key of 10,000 scopes, without any fault", async () => {
    const { standIn, post } = await open();
    const scopes = Array.from({ length: 10_000 }, (_, n) => entry(`orders of customer ${n}`, "read"));
    const { status, text, body } = await post("/api-key", { ...newKey, scopes });
    expect(status).toBe(201);
    expect(text.length).toBeGreaterThan(1_048_576);
    expect(standIn.key(body.apiKey.id)?.scopes).toEqual(body.apiKey.scopes);
  });
});
