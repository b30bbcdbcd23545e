import { describe, expect, it } from "vitest";
import type { Fault, StandIn } from "../../../standin";
import { heldKey, type Json, open } from "./standInCaller";

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
});
