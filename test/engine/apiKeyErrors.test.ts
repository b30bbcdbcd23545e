import { afterAll, beforeAll, expect, it } from "vitest";
import { errorsFor, expectSilentUp, onlyLine, stepsFor } from "./expectations";
import { programWithKeys } from "./programs";
import { hurried, type Scene, setScene } from "./scene";

let scene: Scene;
beforeAll(async () => {
  scene = await setScene("inputs", { env: hurried });
});
afterAll(() => scene?.close());

/** The engine's words before each check failure. */
const preamble = /^pulumi-nodejs:dynamic\/apikeys:ApiKey resource 'wrong' has a problem: /;

it("R8 R9 one preview reports every wrong input in a line of its own, with its path, and prints no value", async () => {
  await scene.declare(
    programWithKeys({
      wrong: `{
        workspaceId: "",
        custmerId: "customer",
        prefix: "prefix-in-the-dark",
        metadata: "metadata-in-the-dark",
        existingKey: "sk_value_in_the_dark",
      } as any`,
    }),
  );
  const preview = await scene.stack.preview();
  const lines = errorsFor(preview, "wrong").map((line) => line.replace(preamble, ""));
  expect(lines).toEqual([
    "workspaceId: must not be empty.",
    "customerId: is missing.",
    "metadata: must be a map.",
    expect.stringMatching(/^custmerId: no such property; the properties are workspaceId, customerId, /),
    expect.stringMatching(/^prefix: can't be combined with existingKey/),
  ]);
  expect(preview.output).not.toMatch(/in.the.dark/);
  expect(scene.service.requests).toEqual([]);
});

it("K6 a create without a secret in its answer fails, and the next update replaces the key", async () => {
  scene.service.inject({ endpoint: "createApiKey", fault: { kind: "withoutKey" } });
  await scene.declare(programWithKeys({ lost: "base" }));
  expect(onlyLine(await scene.stack.up(), "lost")).toContain("did not return the secret");
  expect(stepsFor(await scene.stack.preview(), "lost")).toMatchObject([
    { op: "create-replacement" },
    { op: "replace", replacedFor: ["key"] },
    { op: "delete-replaced" },
  ]);
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  const [made, ...others] = scene.service.keys({ deleted: false });
  expect(others).toEqual([]);
  expect(await scene.stack.outputs()).toMatchObject({
    lostId: { value: made?.id },
    lostSecret: { value: made?.key, secret: true },
  });
  await expectSilentUp(scene);
});

it("R6 R7 refresh and destroy fail if the service denies a key that it has, and state keeps the key and its secret", async () => {
  await scene.declare(programWithKeys({ held: "base" }));
  expect((await scene.stack.up()).ok).toBe(true);
  const outputs = await scene.stack.outputs();
  const [key] = scene.service.keys({ deleted: false });
  expect(outputs).toMatchObject({ heldSecret: { value: key?.key, secret: true } });
  for (const endpoint of ["readApiKey", "deleteApiKey"] as const) {
    scene.service.inject({
      endpoint,
      times: Number.POSITIVE_INFINITY,
      fault: { kind: "status", status: 410 },
    });
  }
  for (const command of ["refresh", "destroy"] as const) {
    expect(onlyLine(await scene.stack[command](), "held")).toMatch(/410.* but its workspace lists it\./);
    expect(await scene.stack.outputs()).toEqual(outputs);
  }
  scene.service.clearFaults();
  await expectSilentUp(scene);
});
