import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessToken, openScene, type Scene } from "./fixture";
import { failureOf } from "./outcomes";
import { quickTimers } from "./quickTimers";

const marker = "sk_marker_q7ZxW2";
const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };

describe("messages of the dynamic host", () => {
  let scene: Scene;
  let printed: string;
  beforeAll(async () => {
    scene = await openScene({ env: { ...quickTimers(), APIKEYS_DEBUG: "1" } });
  });

  test("K5 messages of the dynamic host don't contain an existingKey, even if the service echoes it", async () => {
    scene.standIn.setVariant({ errorEchoes: "request", duplicateKey: 409 });
    const { inputs } = await scene.key.check({ ...least, existingKey: marker });
    await scene.key.create(inputs);
    const failure = await failureOf(scene.key.create(inputs));
    expect(failure.message).toMatch(/the service answered 409 "a key with this value exists already/);
    expect(failure.message).not.toContain(marker);
    expect(failure.message).not.toContain(accessToken);
    scene.standIn.setVariant({});
  });

  test("K6 messages of the dynamic host don't contain a new secret, which is only in `key` of the state", async () => {
    const { inputs } = await scene.key.check(least);
    const held = await scene.key.create(inputs);
    const { key, ...rest } = held.state;
    expect(key).toMatch(/^sk_/);
    expect(JSON.stringify(rest)).not.toContain(key);
    scene.standIn.editKey(held.id, { name: "theirs" });
    const read = await scene.key.read(held);
    expect(read.inputs).toMatchObject({ name: "theirs" });
    expect(JSON.stringify(read.inputs)).not.toContain(key);
    scene.standIn.inject({
      endpoint: "editApiKey",
      fault: { kind: "status", status: 400, body: `no ${key}, {"key": "${key}"}` },
    });
    const failure = await failureOf(scene.key.update(held, { ...inputs, name: "new" }));
    expect(failure.message).toContain("the service answered 400");
    expect(failure.message).not.toContain(key);
  });

  test("messages of the dynamic host include a line for each request with APIKEYS_DEBUG=1", async () => {
    printed = await scene.host.stop();
    expect(printed).toMatch(/^apikeys: POST \/api\/v1\/api-key\/migrate 409 attempt 1 \d+ ms$/m);
    expect(printed).toMatch(
      /^apikeys: PATCH \/api\/v1\/workspace\/ws_main\/api-key\/\S+ 400 attempt 1 \d+ ms$/m,
    );
  });

  afterAll(async () => {
    printed = await scene.close();
    const secrets = [accessToken, marker, ...scene.standIn.keys().map(({ key }) => key)];
    for (const secret of secrets) expect(printed).not.toContain(secret);
  });
});
