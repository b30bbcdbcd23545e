import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Held, HostedResource, Properties } from "./host";
import { declared, failureOf, granted, none, requestsOf, scopes, stored } from "./outcomes";
import { quickTimers } from "./quickTimers";
import { openScene, type Scene } from "./scene";

describe("updating an ApiKey", () => {
  let scene: Scene;
  let key: HostedResource;
  let held: Held;
  let inputs: Properties;
  beforeAll(async () => {
    scene = await openScene({ env: quickTimers() });
    key = scene.key;
  });
  afterAll(() => scene.close());

  beforeEach(async () => {
    scene.standIn.setVariant({});
    inputs = await declared(scene, { scopes });
    held = await key.create(inputs);
  });

  test("K1 reads the key, then sends one PATCH with all three fields, all flags and the current scope ids", async () => {
    const [orders] = stored(scene, held).scopes;
    const changed = [
      { representation: "bills", create: true },
      { representation: "orders", read: true },
    ];
    const { requests } = await requestsOf(scene, () => key.update(held, { ...inputs, scopes: changed }));
    expect(requests).toEqual([
      { endpoint: "readApiKey", body: undefined },
      {
        endpoint: "editApiKey",
        body: {
          name: "ci",
          enabled: true,
          scopes: [
            { representation: "bills", ...none, create: true },
            { id: orders?.id, representation: "orders", ...none, read: true },
          ],
        },
      },
      // It loses a permission.
      { endpoint: "readApiKey", body: undefined },
    ]);
  });

  test.each([
    ["replaces", 1],
    ["upserts", 2],
    ["merges", 2],
  ] as const)(
    "K4 removes a scope that is no longer declared, on a server whose PATCH %s scopes",
    async (patchScopes, patches) => {
      scene.standIn.setVariant({ patchScopes });
      const { requests } = await requestsOf(scene, () =>
        key.update(held, { ...inputs, scopes: scopes.slice(0, 1) }),
      );
      expect(requests.filter(({ endpoint }) => endpoint === "editApiKey")).toHaveLength(patches);
      expect(granted(stored(scene, held))).toEqual(scopes.slice(0, 1));
    },
  );

  test.each(["replaces", "upserts", "merges"] as const)(
    "K4 removes a permission of a scope that stays, on a server whose PATCH %s scopes",
    async (patchScopes) => {
      scene.standIn.setVariant({ patchScopes });
      const fewer = [{ representation: "orders", read: true }, scopes[1]];
      const updated = await key.update(held, { ...inputs, scopes: fewer });
      expect(granted(stored(scene, held))).toEqual(fewer);
      expect(updated.state["scopes"]).toEqual(fewer);
    },
  );

  test("K4 fails if scopes can't be removed; state has the service's values, and the next preview shows the change", async () => {
    scene.standIn.setVariant({ patchScopes: "neverNarrows" });
    const next = { ...inputs, name: "new", scopes: [] };
    const { kept, message } = await failureOf(key.update(held, next));
    expect(message).toMatch(
      /scopes: the program has no scopes, the service still has orders \(read, update\), users \(read\)/,
    );
    expect(kept).toMatchObject({
      id: held.id,
      properties: { name: "new", scopes, key: held.state["key"] },
    });
    expect(await key.diff({ id: held.id, state: kept?.properties ?? {} }, next)).toEqual({
      changes: "unknown",
      replaces: [],
    });
  });

  test.each(["before", "nothing", "emptyBody", "emptyObject"] as const)(
    "R4 sends one GET if the answer doesn't show the new values (%s)",
    async (patchAnswer) => {
      scene.standIn.setVariant({ patchAnswer });
      const { endpoints, result } = await requestsOf(scene, () =>
        key.update(held, { ...inputs, name: "new" }),
      );
      expect(endpoints).toBe("readApiKey editApiKey readApiKey");
      expect(result.state).toMatchObject({ name: "new" });
    },
  );

  test.each(["trimmed", "lowerCased"] as const)(
    "R3 doesn't show a name that the service rewrote as drift (%s)",
    async (names) => {
      scene.standIn.setVariant({ names });
      const next = { ...inputs, name: " New Name " };
      const updated = await key.update(held, next);
      expect(updated.state).toMatchObject({
        name: " New Name ",
        __observed: { name: stored(scene, held).name },
      });
      expect(await key.read(updated)).toEqual({ id: held.id, properties: updated.state, inputs: undefined });
      scene.standIn.editKey(held.id, { name: "theirs" });
      expect((await key.read(updated)).inputs).toEqual({ ...next, name: "theirs" });
      // Somebody wrote the declared spelling over the service's.
      scene.standIn.editKey(held.id, { name: " New Name " });
      const { properties } = await key.read(updated);
      expect(properties).not.toHaveProperty("__observed");
      expect(await key.diff({ id: held.id, state: properties }, next)).toEqual({
        changes: "none",
        replaces: [],
      });
    },
  );

  test("R5 reads a prefix and an expiry that were changed outside Pulumi into outputs, and shows no change of inputs", async () => {
    const made = await key.create(await declared(scene, { prefix: "ours", expiresAt: 100 }));
    scene.standIn.editKey(made.id, { customerId: "cus_theirs", prefix: "theirs", expiresAt: 5 });
    const { inputs, properties } = await key.read(made);
    expect(inputs).toEqual(await declared(scene, { prefix: "ours", expiresAt: 100 }));
    expect(properties).toEqual({ ...made.state, effectivePrefix: "theirs", effectiveExpiresAt: 5 });
  });

  test("R11 shows no change after the key is used or its updatedAt changes", async () => {
    scene.standIn.editKey(held.id, {
      lastUsedAt: "2027-01-01T00:00:00Z",
      updatedAt: "2027-01-01T00:00:00Z",
    });
    expect(await key.read(held)).toEqual({ id: held.id, properties: held.state, inputs: undefined });
  });
});
