import { beforeEach, describe, expect, test } from "vitest";
import type { StoredKey } from "../../standin";
import type { HostedResource } from "./host";
import { failureOf, stored } from "./keyActs";
import { actsOn, existingKey, losses, openLossyScene } from "./lostActs";
import { quickTimers } from "./quickTimers";
import { openScene, type Scene } from "./scene";

describe("the migration of an existing key", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeEach(async () => {
    scene = await openLossyScene();
    key = scene.key;
  });
  const { ids, inputs, others, posts, warned } = actsOn(() => scene);

  test.each(losses)(
    "finds the key in the list if the answer is lost, and keeps it with its value: %o",
    async (fault) => {
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
        await key.diff(
          held,
          await inputs({ existingKey, scopes: [{ representation: "users", read: true }] }),
        ),
      ).toEqual({ changes: "none", replaces: [] });
      await warned(/is now in state as the migrated key/);
      expect(posts()).toBe(3);
    },
  );

  /** Another stack creates these keys just before the request arrives. */
  const meanwhile = (...keys: Partial<StoredKey>[]) => ({
    endpoint: "migrateApiKey" as const,
    when: () => {
      for (const key of keys) {
        scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", ...key });
      }
      return true;
    },
  });

  test("fails if the answer is lost and two new keys may be the migrated one, and deletes neither", async () => {
    await others("first");
    scene.standIn.inject({ ...meanwhile({ maskedKey: "***" }), fault: { kind: "resetAfter" } });
    const { message, kept } = await failureOf(key.create(await inputs({ existingKey })));
    expect(kept).toBeUndefined();
    expect(message).toMatch(
      /New in the workspace's list: .*, .*import it .*\(don't delete it: its value may be in use\)/,
    );
    expect(scene.standIn.keys({ deleted: false })).toHaveLength(3);
  });

  test("fails if the answer is lost and the only new key is somebody else's", async () => {
    await others("first");
    scene.standIn.inject({ ...meanwhile({}), fault: { kind: "resetBefore" } });
    const { kept } = await failureOf(key.create(await inputs({ existingKey })));
    expect(kept).toBeUndefined();
  });

  test("fails if the answer is lost and the only new key existed before the request", async () => {
    await others("first");
    scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", maskedKey: "***" });
    scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "resetBefore" } });
    const { kept } = await failureOf(key.create(await inputs({ existingKey })));
    expect(kept).toBeUndefined();
  });

  test("fails if the answer is lost and the list before the request could not be read", async () => {
    scene.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 } });
    scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "resetAfter" } });
    const { message } = await failureOf(key.create(await inputs({ existingKey })));
    expect(message).toMatch(/Perhaps new in the workspace's list: .*don't delete it/);
  });

  test.each([
    { customerId: "c_internal_77" },
    { maskedKey: "sk_live_######Zz99" },
    { maskedKey: "redacted" },
  ])(
    "accepts an answer with the right value, even if the service rewrote other fields: %o",
    async (shown) => {
      const body = { apiKey: { id: "key_made", ...(await inputs()), ...shown, key: existingKey } };
      scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "status", status: 201, body } });
      expect(await key.create(await inputs({ existingKey }))).toMatchObject({
        id: "key_made",
        state: { key: existingKey },
      });
    },
  );

  test("names the keys that may have the value if the service refuses it as a duplicate", async () => {
    const held = await key.create(await inputs({ existingKey }));
    const again = await openScene({ env: { ...quickTimers(), APIKEYS_BASE_URL: scene.standIn.url } });
    const { message } = await failureOf(again.key.create(await inputs({ existingKey })));
    await again.close();
    expect(message).toContain(`If the service already has this key, as ${held.id} ("ci"`);
    expect(message).toContain("pulumi import --file");
  });

  test("warns that another stack may manage the key if the answer is a record that existed before", async () => {
    scene.standIn.setVariant({ duplicateKey: "returned" });
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

  test("creates a key that destroy deletes, even if the program also reads it by ApiKey.get", async () => {
    const held = await key.create(await inputs({ existingKey }));
    await key.get(held.id, { workspaceId: "ws_main", __external: true });
    await key.delete(held);
    expect(ids()).not.toContain(held.id);
  });

  test("keeps a key that two resources have when the first of them is deleted", async () => {
    scene.standIn.setVariant({ duplicateKey: "returned" });
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
