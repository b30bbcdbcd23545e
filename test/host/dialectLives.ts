import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Dialect } from "../../standin";
import { adoptionLife } from "./adoptionLife";
import { billingLife } from "./billingLife";
import type { Case } from "./knobs";
import { keyLifecycle } from "./lifecycleSuite";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene, type SceneOptions } from "./scene";
import { scopeLife } from "./scopeLife";
import { setLife } from "./setLife";
import { settingsLife } from "./settingsLife";

type Open = (options: SceneOptions) => Promise<Scene>;
type Life = (scene: Scene, dialect: Dialect, workspaceId: string) => Promise<void>;

/** The whole life of a resource, by its kind. */
export const lives: Readonly<Record<string, Life>> = {
  ApiKey: keyLifecycle,
  ApiKeySet: setLife,
  Scope: scopeLife,
  CustomerBilling: billingLife,
  WorkspaceSettings: settingsLife,
  "key that is adopted": adoptionLife,
};

/** A test for each dialect: the whole life of an ApiKey on it. */
export function describeLives(title: string, cases: readonly Case[], open: Open = openScene): void {
  describe(title, () => {
    let scene: Scene;
    beforeAll(async () => {
      // Enough for `laterMs` of the test, but not the eight seconds for which a key that is gone is waited for.
      const env = quickTimers({ 300: 300, 500: 500, 1500: 1500, 30000: 30000 });
      scene = await open({ workspaces: cases.map(({ workspaceId }) => workspaceId), env });
    });

    test.each(cases)(
      "$name",
      async ({ dialect, workspaceId }) => {
        // Longer than the first look at what a write came to.
        await keyLifecycle(scene, { ...dialect, laterMs: 200 }, workspaceId);
      },
      // Where no list says what there is, each look takes its whole time.
      90_000,
    );

    afterAll(async () => {
      const secrets = scene.standIn.keys().map(({ key }) => key);
      const printed = await scene.close();
      for (const secret of [accessToken, ...secrets]) expect(printed).not.toContain(secret);
      // Nothing was changed elsewhere that the provider can't mend.
      expect(printed).not.toContain("warning:");
    });
  });
}

/** A test for each dialect: the whole life of a resource of the kind on it, with pauses cut short. */
export function describeQuickLives(kind: string, cases: readonly Case[], open: Open = openScene): void {
  describe(`the life of a ${kind}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      const workspaces = cases.map(({ workspaceId }) => workspaceId);
      // One that stays: that a workspace is gone is not believed of an empty list.
      scene = await open({ workspaces: [...workspaces, "ws_stays"], env: quickTimers() });
    });
    afterAll(async () => {
      expect(await scene.close()).not.toContain(accessToken);
    });

    test.each(cases)("$name", async ({ dialect, workspaceId }) => {
      await lives[kind]?.(scene, dialect, workspaceId);
    });
  });
}
