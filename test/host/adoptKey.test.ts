import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HostedResource } from "./host";
import { declared, failureOf, isWrite, least, none, requestsOf, scopes } from "./outcomes";
import { quickTimers } from "./quickTimers";
import { openScene, type Scene } from "./scene";

describe("an ApiKey for a key that already exists", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeAll(async () => {
    scene = await openScene({ env: quickTimers() });
    key = scene.key;
  });
  beforeEach(() => {
    scene.standIn.setVariant({});
    scene.standIn.clearFaults();
  });
  afterAll(() => scene.close());

  describe("with existingKey", () => {
    const existingKey = "sk_live_from_before";

    test("K5 sends all of migrate's fields, and the given value is the secret", async () => {
      const inputs = await declared(scene, { existingKey, scopes: scopes.slice(1) });
      const { result, requests } = await requestsOf(scene, () => key.create(inputs));
      const wire = [{ representation: "users", ...none, read: true }];
      const body = { ...least, key: existingKey, enabled: true, scopes: wire, metadata: {} };
      expect(requests.filter(isWrite)).toEqual([{ endpoint: "migrateApiKey", body }]);
      expect(result.state).toMatchObject({ key: existingKey, existingKey });
      scene.standIn.deleteKey(result.id);
    });

    test("K5 existingKey can be left out later without a change, and the secret survives updates", async () => {
      const inputs = await declared(scene, { existingKey });
      const held = await key.create(inputs);
      const dropped = await declared(scene, {}, inputs);
      expect(await key.diff(held, dropped)).toEqual({ changes: "none", replaces: [] });
      const updated = await key.update(held, { ...dropped, enabled: false });
      expect(updated.state["key"]).toBe(existingKey);
      expect(updated.state).not.toHaveProperty("existingKey");
      expect((await key.read(updated)).properties["key"]).toBe(existingKey);
      await key.delete(updated);
    });

    test("K5 the given value stays the secret if the service returns another one, which is an error", async () => {
      // A value of its own: this process never repeats a create that failed halfway.
      const given = "sk_live_given";
      const apiKey = { id: "key_made", ...least, key: "sk_live_other" };
      scene.standIn.inject({
        endpoint: "migrateApiKey",
        fault: { kind: "status", status: 201, body: { apiKey } },
      });
      const { kept, message } = await failureOf(key.create(await declared(scene, { existingKey: given })));
      expect(message).toContain("returned a secret that differs from existingKey");
      expect(message).not.toContain("sk_live");
      expect(kept?.properties).toMatchObject({ key: given });
      expect(kept?.properties).not.toHaveProperty("__keyLost");
    });

    test("K5 the given value is the secret if the service returns none", async () => {
      scene.standIn.setVariant({ createAnswer: "withoutKey" });
      const held = await key.create(await declared(scene, { existingKey: "sk_live_silent" }));
      expect(held.state["key"]).toBe("sk_live_silent");
    });

    test("K5 prefix and customerId can't change while existingKey stays", async () => {
      const inputs = await declared(scene, { existingKey });
      const { failures } = await key.check({ ...inputs, customerId: "cus_2", prefix: "p" }, inputs);
      expect(failures.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/^prefix: can't be combined with existingKey/),
        expect.stringMatching(/^customerId: can't change while existingKey stays/),
      ]);
    });
  });

  describe("ApiKey.get", () => {
    const asked = { workspaceId: "ws_main", __external: true };

    test("K8 reads a key without its secret, and a second read shows no change", async () => {
      const there = scene.standIn.addKey({ workspaceId: "ws_main", name: "theirs", prefix: "pre", scopes });
      const read = await key.get(there.id, asked);
      expect(read.id).toBe(there.id);
      expect(read.properties).toMatchObject({
        name: "theirs",
        enabled: true,
        scopes,
        customerId: "cust_elsewhere",
      });
      expect(read.properties).toMatchObject({ maskedKey: there.maskedKey, effectivePrefix: "pre" });
      expect(JSON.stringify(read)).not.toContain(there.key);
      expect(read.properties).not.toHaveProperty("key");
      const again = await key.read({ id: there.id, state: read.properties });
      expect(again).toEqual({ ...read, inputs: undefined });
    });

    test("K8 fails for a key that does not exist", async () => {
      const failure = await failureOf(key.get("key_nobody", asked));
      expect(failure.message).toMatch(/^There is no ApiKey key_nobody in workspace ws_main: check both ids/);
    });

    test("K8 shows later changes to the key, and fails once the key is deleted", async () => {
      const there = scene.standIn.addKey({ workspaceId: "ws_main", name: "theirs" });
      const { properties } = await key.get(there.id, asked);
      scene.standIn.editKey(there.id, { name: "renamed", enabled: false });
      const again = await key.read({ id: there.id, state: properties });
      expect(again.properties).toMatchObject({ name: "renamed", enabled: false });
      scene.standIn.deleteKey(there.id);
      await failureOf(key.read({ id: there.id, state: again.properties }));
    });
  });

  test("K8 a key imported with inputs only gets its outputs from the first refresh; the next one shows no change", async () => {
    const there = scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", scopes });
    const inputs = await declared(scene, { scopes });
    const { properties } = await key.read({ id: there.id, state: inputs });
    expect(properties).toMatchObject({ ...inputs, maskedKey: there.maskedKey, createdAt: there.createdAt });
    const held = { id: there.id, state: properties };
    expect(await key.read(held)).toEqual({ id: there.id, properties, inputs: undefined });
    expect(await key.diff(held, inputs)).toEqual({ changes: "none", replaces: [] });
    await key.delete(held);
  });
});
