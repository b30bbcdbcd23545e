import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Variant } from "../../standin";
import type { HostedResource } from "./host";
import { declared, failureOf, isWrite, least, none, requestsOf, scopes, stored } from "./outcomes";
import { openScene, type Scene } from "./scene";

describe("creating an ApiKey", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeAll(async () => {
    scene = await openScene();
    key = scene.key;
  });
  beforeEach(() => {
    scene.standIn.setVariant({});
    scene.standIn.clearFaults();
  });
  afterAll(() => scene.close());

  test("K1 sends one POST with only the declared fields, and all four flags but no id of each scope", async () => {
    const inputs = await declared(scene, { scopes, enabled: false, keepers: { rotated: "2026" } });
    const { requests } = await requestsOf(scene, () => key.create(inputs));
    expect(requests.filter(isWrite)).toEqual([
      {
        endpoint: "createApiKey",
        body: {
          ...least,
          enabled: false,
          scopes: [
            { representation: "orders", ...none, read: true, update: true },
            { representation: "users", ...none, read: true },
          ],
        },
      },
    ]);
  });

  test("R1 state has the declared inputs and the computed outputs, nothing else", async () => {
    const inputs = await declared(scene, { scopes, prefix: "acme", expiresAt: 100 });
    const held = await key.create(inputs);
    const { id: _, maskedKey, key: secret, createdAt, updatedAt } = stored(scene, held);
    const chosen = { maskedKey, key: secret, createdAt, updatedAt };
    expect(held.state).toStrictEqual({
      ...inputs,
      ...chosen,
      __service: expect.stringMatching(/^[\w-]{8}$/),
      effectivePrefix: "acme",
      effectiveExpiresAt: 100,
    });
  });

  test("state has prefix and expiresAt as declared, and the service's values as effectivePrefix and effectiveExpiresAt", async () => {
    scene.standIn.setVariant({ prefix: "underscored", expiresAt: "rounded" });
    const held = await key.create(await declared(scene, { prefix: "acme", expiresAt: 100 }));
    expect(held.state).toMatchObject({
      prefix: "acme",
      effectivePrefix: "acme_",
      expiresAt: 100,
      effectiveExpiresAt: 60,
    });
  });

  test("R4 a key that the service enabled although the program disables it gets one PATCH", async () => {
    scene.standIn.setVariant({ enabledOnCreate: "ignored" });
    const inputs = await declared(scene, { enabled: false });
    const { result, endpoints } = await requestsOf(scene, () => key.create(inputs));
    expect(endpoints).toBe("createApiKey readApiKey editApiKey readApiKey");
    expect(stored(scene, result).enabled).toBe(false);
  });

  test("K6 an answer without the secret fails partially, and the next update replaces the key, also after a read", async () => {
    scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
    const inputs = await declared(scene);
    const { kept, message } = await failureOf(key.create(inputs));
    expect(message).toMatch(
      /did not return the secret. The key is in state, and the next update replaces it\.$/,
    );
    expect(kept?.reasons).toEqual([message]);
    expect(kept?.properties).toMatchObject({ ...inputs, __keyLost: true });
    const state = kept?.properties ?? {};
    const held = { id: kept?.id ?? "", state };
    expect(await key.diff(held, inputs)).toEqual({ changes: "some", replaces: ["key"] });
    const read = await key.read(held);
    const { __failed, ...lasting } = state;
    expect(__failed).toBe(true);
    expect(read).toEqual({ id: held.id, properties: lasting, inputs });
    expect(await key.diff({ ...held, state: read.properties }, inputs)).toEqual({
      changes: "some",
      replaces: ["key"],
    });
    const updated = await key.update(held, { ...inputs, name: "new" });
    expect(await key.diff(updated, { ...inputs, name: "new" })).toEqual({
      changes: "some",
      replaces: ["key"],
    });
    await key.delete(held);
  });

  test("R4 a key that can't be read after its POST is kept in state with its secret", async () => {
    scene.standIn.setVariant({ createAnswer: "brief" });
    scene.standIn.inject({ endpoint: "readApiKey", fault: { kind: "status", status: 403 } });
    const { kept, message } = await failureOf(key.create(await declared(scene)));
    expect(message).toMatch(
      /was created with id \S+, but could not be confirmed to match the program: the service answered 403/,
    );
    expect(kept?.properties["key"]).toBe(scene.standIn.key(kept?.id ?? "")?.key);
  });

  const spoiled: readonly Partial<Variant>[] = [
    { ids: "numeric", timestamps: "epochMillis" },
    { absent: "null" },
  ];
  test.each(spoiled)(
    "R1 answers with numeric ids, numeric times or null strings are accepted: %o",
    async (variant) => {
      scene.standIn.setVariant(variant);
      const inputs = await declared(scene);
      const held = await key.create(inputs);
      expect(stored(scene, held).id).toBe(held.id);
      expect(held.state["createdAt"]).toEqual(expect.any(String));
      const read = await key.read(held);
      expect(read).toEqual({ id: held.id, properties: held.state, inputs: undefined });
      scene.standIn.setVariant({ ...variant, patchScopes: "neverNarrows", createAnswer: "withoutKey" });
      const { kept } = await failureOf(key.create(inputs));
      expect(kept?.id).toMatch(/^\S+$/);
      expect(scene.standIn.key(kept?.id ?? "")).toBeDefined();
    },
  );
});
