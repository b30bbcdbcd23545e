import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knobCases, mixedCases, presetCases } from "./knobs";
import { keyLifecycle } from "./lifecycleSuite";
import { accessToken, openScene, type Scene } from "./scene";

const cases = [...knobCases, ...presetCases, ...mixedCases];

describe("the whole life of an ApiKey, on a service that answers otherwise", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ workspaces: cases.map(({ workspaceId }) => workspaceId) });
  });

  test.each(cases)("$name", async ({ dialect, workspaceId }) => {
    await keyLifecycle(scene, dialect, workspaceId);
  });

  afterAll(async () => {
    const secrets = scene.standIn.keys().map(({ key }) => key);
    const printed = await scene.close();
    expect(printed).not.toContain(accessToken);
    for (const secret of secrets) expect(printed).not.toContain(secret);
    // Nothing was changed elsewhere that the provider can't mend.
    expect(printed).not.toContain("warning:");
  });
});
