import { beforeEach, describe, expect, test } from "vitest";
import type { HostedResource } from "./host";
import { failureOf } from "./keyActs";
import { actsOn, openLossyScene } from "./lostActs";
import { quickTimers } from "./quickTimers";
import { openScene, type Scene } from "./scene";

describe("the create of a key", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeEach(async () => {
    scene = await openLossyScene();
    key = scene.key;
  });
  const { ids, inputs, others } = actsOn(() => scene);

  test("fails if the answer is a key that existed before", async () => {
    const [other] = await others("other");
    scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "otherRecord" } });
    const { message, kept } = await failureOf(key.create(await inputs()));
    expect(kept).toBeUndefined();
    expect(message).toContain(`the service answered with a different key, ${other?.id}`);
    expect(message).toContain(`New in the workspace's list: ${ids()[1]} ("ci"`);
  });

  test.each([
    { variant: {}, status: 500 },
    { variant: {}, status: 404 },
    { variant: { createAnswer: "brief" }, status: 500 },
  ] as const)(
    "fails if the answer is a key that existed before, even if no list showed that: %o",
    async ({ variant, status }) => {
      const [other] = await others("other");
      scene.standIn.editKey(other?.id ?? "", { customerId: "cus_9" });
      const again = await openScene({
        env: { ...quickTimers(), APIKEYS_BASE_URL: scene.standIn.url },
      });
      scene.standIn.setVariant(variant);
      const times = status === 500 ? 4 : 1;
      scene.standIn.inject({ endpoint: "listApiKeys", times, fault: { kind: "status", status } });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "otherRecord" } });
      const { message, kept } = await failureOf(again.key.create(await inputs()));
      await again.close();
      expect(kept).toBeUndefined();
      expect(message).toContain(`the service answered with a different key, ${other?.id}`);
      expect(message).toContain(`Perhaps new in the workspace's list: ${ids()[1]} ("ci"`);
    },
  );

  test("fails if the answer is a key that somebody else has just created", async () => {
    await others("first");
    const theirs = scene.standIn.addKey({ workspaceId: "ws_main", name: "theirs", customerId: "cus_9" });
    const answer = { apiKey: { ...theirs, scopes: [] } };
    scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1" });
    scene.standIn.inject({
      endpoint: "createApiKey",
      fault: { kind: "status", status: 201, body: answer },
    });
    const { message, kept } = await failureOf(key.create(await inputs()));
    expect(kept).toBeUndefined();
    expect(message).toContain(`the service answered with a different key, ${theirs.id}`);
  });

  test("accepts an answer with the id of a deleted key", async () => {
    const [first] = await others("first");
    if (first === undefined) throw new Error("there is no first key");
    await key.delete(first);
    const body = { apiKey: { ...(await inputs()), id: first.id, key: "sk_of_the_second" } };
    scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 201, body } });
    expect(await key.create(await inputs())).toMatchObject({
      id: first.id,
      state: { key: "sk_of_the_second" },
    });
  });

  test("accepts an answer with a rewritten customer if keys can't be listed", async () => {
    scene.standIn.inject({
      endpoint: "listApiKeys",
      times: Infinity,
      fault: { kind: "status", status: 403 },
    });
    const body = { apiKey: { ...(await inputs()), id: "key_new", customerId: "c-17", key: "sk_new" } };
    scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 201, body } });
    const known = { apiKey: { ...body.apiKey, key: undefined } };
    scene.standIn.inject({ endpoint: "readApiKey", fault: { kind: "status", status: 200, body: known } });
    expect(await key.create(await inputs())).toMatchObject({ id: "key_new", state: { key: "sk_new" } });
    expect(scene.standIn.requests.length).toBeLessThan(5);
  });
});
