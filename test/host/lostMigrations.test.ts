import { beforeEach, describe, expect, test } from "vitest";
import type { HostedResource } from "./host";
import { actsOn, existingKey, openLossyScene } from "./lostActs";
import type { Scene } from "./scene";

describe("the migration of an existing key", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeEach(async () => {
    scene = await openLossyScene();
    key = scene.key;
  });
  const { ids, inputs, warned } = actsOn(() => scene);

  test("creates a key that destroy deletes, even if the program also reads it by ApiKey.get", async () => {
    const held = await key.create(await inputs({ existingKey }));
    await key.get(held.id, { workspaceId: "ws_main", __external: true });
    await key.read(held);
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
