import { describe, expect, it } from "vitest";
import { entry, heldKey, type Json, type LaterKnob, open } from "./standInCaller";

/** Longer than a few requests take, so a write that is delayed by this is applied only if the test waits for it. */
const laterMs = 300;
const workspacePath = "/workspace/ws_main";
const listPath = `${workspacePath}/api-key`;

// One test for each setting. A setting without one is a type error.
const knobs: Record<LaterKnob, () => Promise<void>> = {
  async writes() {
    for (const [writes, status] of [
      ["queued", 202],
      ["behind", 200],
    ] as const) {
      const { standIn, create, get, patch, del, keyPath } = await open({ writes, laterMs });
      const { id, ...before } = await create({ name: "old" });
      const patched = await patch(keyPath(id), { name: "new", scopes: [entry("users", "read")] });
      expect(patched.status).toBe(status);
      expect(patched.body.apiKey).toMatchObject({ id, name: "old", scopes: before.scopes });
      expect((await get(keyPath(id))).body).toEqual(patched.body);
      await standIn.settled();
      const { apiKey } = (await get(keyPath(id))).body;
      expect([apiKey.name, apiKey.scopes]).toEqual(["new", [expect.objectContaining({ read: true })]]);

      const edited = await patch(workspacePath, { defaultKeyPrefix: "p" });
      expect([edited.status, edited.text]).toEqual([status, (await get(workspacePath)).text]);
      expect(edited.text).not.toContain("defaultKeyPrefix");
      await standIn.settled();
      expect((await get(workspacePath)).body.workspace.defaultKeyPrefix).toBe("p");

      const deleted = await del(keyPath(id));
      expect([deleted.status, deleted.body.apiKey]).toMatchObject([status, { id, deleted: false }]);
      expect(standIn.requests.at(-1)?.carriedOut).toBe(true);
      expect((await get(keyPath(id))).status).toBe(200);
      expect((await get(listPath)).body.apiKeys).toHaveLength(1);
      await standIn.settled();
      expect((await get(keyPath(id))).status).toBe(404);
      expect((await get(listPath)).body.apiKeys).toEqual([]);
    }
  },
  async newKeys() {
    const { standIn, create, get, post, patch, del, keyPath } = await open({ newKeys: "later", laterMs });
    const migrated: Json = (await post("/api-key/migrate", heldKey)).body.apiKey;
    const made = await create();
    expect(made).toMatchObject({ name: "ci", key: expect.any(String) });
    for (const { id } of [migrated, made]) {
      const answers = [
        await get(keyPath(id)),
        await patch(keyPath(id), { name: "x" }),
        await del(keyPath(id)),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(standIn.key(id)?.name).toBe("ci");
    }
    expect((await get(listPath)).body.apiKeys).toEqual([]);
    await standIn.settled();
    const { apiKeys } = (await get(listPath)).body;
    expect(apiKeys.map(({ id }: Json) => id)).toEqual([migrated.id, made.id]);
    expect((await del(keyPath(made.id))).status).toBe(200);
    const theirs = await create();
    standIn.editKey(theirs.id, { name: "edited elsewhere" });
    expect((await get(keyPath(theirs.id))).body.apiKey.name).toBe("edited elsewhere");
  },
  async laterMs() {
    const { standIn, create, patch, keyPath } = await open({ writes: "queued" });
    const { id } = await create();
    const began = performance.now();
    expect((await patch(keyPath(id), { name: "new" })).status).toBe(202);
    await standIn.settled();
    expect(performance.now() - began).toBeGreaterThan(450);
    standIn.setVariant({ writes: "queued", laterMs: 5 });
    const beganAgain = performance.now();
    await patch(keyPath(id), { name: "newer" });
    await standIn.settled();
    expect(performance.now() - beganAgain).toBeLessThan(400);
  },
};

describe("writes that the stand-in applies after its answer", () => {
  it.each(Object.entries(knobs))("have a working setting %s", async (_, prove) => {
    await prove();
  });

  it("are applied in the order of their requests, each to the result of the one before", async () => {
    const { standIn, create, patch, del, get, keyPath } = await open({ writes: "queued", laterMs });
    const { id } = await create({ name: "old", enabled: true });
    await patch(keyPath(id), { name: "first", enabled: false });
    standIn.setVariant({ writes: "queued", laterMs: 1 });
    const second = await patch(keyPath(id), { name: "second" });
    expect(second.body.apiKey.name).toBe("old");
    await standIn.settled();
    expect(standIn.key(id)).toMatchObject({ name: "second", enabled: false });
    for (const how of ["marks", "removes"] as const) {
      const { id: doomed } = await create({ name: "old" });
      standIn.setVariant({ writes: "queued", laterMs, delete: how });
      expect((await del(keyPath(doomed))).status).toBe(202);
      expect((await del(keyPath(doomed))).status).toBe(202);
      expect((await patch(keyPath(doomed), { name: "too late" })).status).toBe(202);
      await standIn.settled();
      const { apiKey } = (await get(keyPath(doomed))).body;
      expect([apiKey?.name, apiKey?.deleted]).toEqual(
        how === "marks" ? ["old", true] : [undefined, undefined],
      );
    }
  });

  it("are refused at once if they are invalid", async () => {
    const { standIn, create, patch, del, keyPath } = await open({
      writes: "queued",
      laterMs,
      deleteAgain: 409,
    });
    const { id } = await create();
    expect((await patch(keyPath(id), { name: 1 })).status).toBe(400);
    expect((await del(keyPath("key_never"))).status).toBe(404);
    await del(keyPath(id));
    await standIn.settled();
    expect((await del(keyPath(id))).status).toBe(409);
    expect((await patch(keyPath(id), { name: "x" })).status).toBe(404);
  });
});
