import { beforeEach, describe, expect, test } from "vitest";
import type { StoredKey } from "../../standin";
import type { HostedResource } from "./host";
import { failureOf, stored } from "./keyActs";
import { actsOn, existingKey, losses, openLossyScene } from "./lostActs";
import { openScene, type Scene } from "./scene";

describe("a key whose migration was not seen through", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeEach(async () => {
    scene = await openLossyScene();
    key = scene.key;
  });
  const { ids, inputs, others, posts, warned } = actsOn(() => scene);

  test.each(losses)("is found in the list and taken, with its value: %o", async (fault) => {
    await others("ci", "b");
    scene.standIn.inject({ endpoint: "migrateApiKey", fault });
    const held = await key.create(
      await inputs({ existingKey, scopes: [{ representation: "users", read: true }] }),
    );
    expect(stored(scene, held)).toMatchObject({ key: existingKey, deleted: false });
    expect(held.state).toMatchObject({
      key: existingKey,
      scopes: [{ representation: "users", read: true }],
    });
    expect(
      await key.diff(held, await inputs({ existingKey, scopes: [{ representation: "users", read: true }] })),
    ).toEqual({ changes: "none", replaces: [] });
    await warned(/is now in state as the migrated key/);
    expect(posts()).toBe(3);
  });

  /** Another stack makes one just before the request arrives. */
  const meanwhile = (...keys: Partial<StoredKey>[]) => ({
    endpoint: "migrateApiKey" as const,
    when: () => {
      for (const key of keys) {
        scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", ...key });
      }
      return true;
    },
  });

  test("is not taken where two may be it, and nothing is deleted", async () => {
    await others("first");
    scene.standIn.inject({ ...meanwhile({ maskedKey: "***" }), fault: { kind: "resetAfter" } });
    const { message, kept } = await failureOf(key.create(await inputs({ existingKey })));
    expect(kept).toBeUndefined();
    expect(message).toMatch(
      /New in the workspace's list: .*, .*import it .*\(don't delete it: its value may be in use\)/,
    );
    expect(scene.standIn.keys({ deleted: false })).toHaveLength(3);
  });

  test("is not taken where the one that is new is somebody else's", async () => {
    await others("first");
    scene.standIn.inject({ ...meanwhile({}), fault: { kind: "resetBefore" } });
    const { kept } = await failureOf(key.create(await inputs({ existingKey })));
    expect(kept).toBeUndefined();
  });

  test("is not taken where the one that is new was there before the request", async () => {
    await others("first");
    scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", maskedKey: "***" });
    scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "resetBefore" } });
    const { kept } = await failureOf(key.create(await inputs({ existingKey })));
    expect(kept).toBeUndefined();
  });

  test("is not taken without the list before", async () => {
    scene.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 } });
    scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "resetAfter" } });
    const { message } = await failureOf(key.create(await inputs({ existingKey })));
    expect(message).toMatch(/could not be listed .*don't delete it/);
  });

  test.each([
    { customerId: "c_internal_77" },
    { maskedKey: "sk_live_######Zz99" },
    { maskedKey: "redacted" },
  ])("that answers its value is taken, however it is shown: %o", async (shown) => {
    const body = { apiKey: { id: "key_made", ...(await inputs()), ...shown, key: existingKey } };
    scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "status", status: 201, body } });
    expect(await key.create(await inputs({ existingKey }))).toMatchObject({
      id: "key_made",
      state: { key: existingKey },
    });
  });

  test("that was refused as held is told with the keys that may hold it", async () => {
    const held = await key.create(await inputs({ existingKey }));
    const again = await openScene({ env: { APIKEYS_BASE_URL: scene.standIn.url } });
    const { message } = await failureOf(again.key.create(await inputs({ existingKey })));
    await again.close();
    expect(message).toContain(`If the service already has this key, as ${held.id} ("ci"`);
    expect(message).toContain("pulumi import --file");
  });

  test("answered with a record that was there before warns that another may manage it", async () => {
    scene.standIn.setDialect({ duplicateKey: "returned" });
    const theirs = scene.standIn.addKey({
      workspaceId: "ws_main",
      name: "x",
      customerId: "cus_1",
      key: existingKey,
    });
    const held = await key.create(await inputs({ existingKey }));
    expect(held.id).toBe(theirs.id);
    await warned(new RegExp(`answered with ${theirs.id}, which existed before`));
  });

  test("is deleted although the program looks at it by ApiKey.get as well", async () => {
    const held = await key.create(await inputs({ existingKey }));
    await key.get(held.id, { workspaceId: "ws_main", __reading: true });
    await key.delete(held);
    expect(ids()).not.toContain(held.id);
  });

  test("answered with a record that state has already is not deleted with what had it before", async () => {
    scene.standIn.setDialect({ duplicateKey: "returned" });
    const before = await key.create(await inputs({ existingKey }));
    const held = await key.create(await inputs({ existingKey, customerId: before.state["customerId"] }));
    expect(held.id).toBe(before.id);
    await key.delete(before);
    await warned(new RegExp(`${before.id}\\) stays in the service, because another resource of this stack`));
    expect(scene.standIn.key(held.id)?.deleted).toBe(false);
    await key.read(held);
    await key.delete(held);
    expect(ids()).not.toContain(held.id);
  });
});
