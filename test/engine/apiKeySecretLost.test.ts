import { afterAll, beforeAll, expect, it } from "vitest";
import { itInAll } from "../inAll";
import { programWithKeys } from "./apiKeyProgram";
import { expectSilentUp, onlyLine, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

let scene: Scene;
let resources: Record<string, string> = {};
/** Declares one more key, whose create is answered without the secret. */
const add = (name: string) => {
  resources = { ...resources, [name]: "base" };
  scene.service.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
  return scene.declare(programWithKeys(resources));
};
const expectReplaced = async (name: string) => {
  const live = scene.service.keys({ deleted: false }).filter((key) => key.name === name);
  expect(live).toHaveLength(1);
  expect(await scene.stack.outputs()).toMatchObject({
    [`${name}Id`]: { value: live[0]?.id },
    [`${name}Secret`]: { value: live[0]?.key, secret: true },
  });
};
const replacedForItsKey = [
  { op: "create-replacement" },
  { op: "replace", replacedFor: ["key"] },
  { op: "delete-replaced" },
];

beforeAll(async () => {
  scene = await setScene("secret-lost");
});
afterAll(() => scene?.close());

it("K6 a create without a secret in its answer fails, and the next update replaces the key", async () => {
  await add("lost");
  const failed = await scene.stack.up();
  expect(onlyLine(failed, "lost")).toContain("did not return the secret");
  const preview = await scene.stack.preview();
  expect(stepsFor(preview, "lost")).toMatchObject(replacedForItsKey);
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  await expectReplaced("lost");
  await expectSilentUp(scene);
});

itInAll("K6 the next update replaces the key also after a refresh", async () => {
  await add("refreshed");
  expect(await scene.stack.up()).toMatchObject({ ok: false });
  const refresh = await scene.stack.refresh();
  expect(refresh.ok, refresh.output).toBe(true);
  const preview = await scene.stack.preview();
  expect(stepsFor(preview, "refreshed")).toMatchObject(replacedForItsKey);
  const up = await scene.stack.up({ refresh: true });
  expect(up.ok, up.output).toBe(true);
  await expectReplaced("refreshed");
});

itInAll("K6 no update succeeds without a secret, however often the service leaves it out", async () => {
  await add("stubborn");
  scene.service.setDialect({ createAnswer: "withoutKey" });
  for (const refresh of [false, false, true]) {
    const up = await scene.stack.up({ refresh });
    expect(onlyLine(up, "stubborn")).toContain("did not return the secret");
  }
  scene.service.setDialect({});
  scene.service.clearFaults();
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  await expectReplaced("stubborn");
});

itInAll("K6 a key with very large metadata is in state too if its create fails halfway", async () => {
  resources = { large: '{ ...base, metadata: { blob: "v".repeat(200_000) } }' };
  scene.service.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
  await scene.declare(programWithKeys(resources));
  const failed = await scene.stack.up();
  expect(onlyLine(failed, "large")).toContain("The key is in state, and the next update replaces it");
  const { resources: held = [] } = await scene.stack.exportState();
  const made = scene.service.keys({ deleted: false }).find(({ name }) => name === "large");
  expect(held.find(({ urn }) => urn.endsWith("::large"))).toMatchObject({
    id: made?.id,
    outputs: { __keyLost: true, metadata: { blob: expect.stringMatching(/^v+$/) } },
  });
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  await expectReplaced("large");
});
