import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { billingLife } from "./billingLife";
import { knobCases, presetCases } from "./knobs";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene } from "./scene";
import { scopeLife } from "./scopeLife";
import { setLife } from "./setLife";
import { settingsLife } from "./settingsLife";

const cases = [...presetCases, ...knobCases];

describe.each([
  { kind: "ApiKeySet", life: setLife },
  { kind: "Scope", life: scopeLife },
  { kind: "CustomerBilling", life: billingLife },
  { kind: "WorkspaceSettings", life: settingsLife },
])("the life of a $kind", ({ life }) => {
  let scene: Scene;
  beforeAll(async () => {
    const workspaces = cases.map(({ workspaceId }) => workspaceId);
    // One that stays: that a workspace is gone is not believed of an empty list.
    scene = await openScene({ workspaces: [...workspaces, "ws_stays"], env: quickTimers() });
  });
  afterAll(async () => {
    expect(await scene.close()).not.toContain(accessToken);
  });

  test.each(cases)("$name", async ({ dialect, workspaceId }) => {
    await life(scene, dialect, workspaceId);
  });
});
