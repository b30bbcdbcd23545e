import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Variant } from "../../standin";
import { adoptionLife } from "./adoptionLife";
import { billingLife } from "./billingLife";
import { keyLife } from "./keyLife";
import type { Case } from "./knobs";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene, type SceneOptions } from "./scene";
import { scopeLife } from "./scopeLife";
import { setLife } from "./setLife";
import { settingsLife } from "./settingsLife";

type Open = (options: SceneOptions) => Promise<Scene>;
type Life = (scene: Scene, variant: Variant, workspaceId: string) => Promise<void>;

/** The whole lifecycle of a resource, by its kind. */
export const lives: Readonly<Record<string, Life>> = {
  ApiKey: keyLife,
  ApiKeySet: setLife,
  Scope: scopeLife,
  CustomerBilling: billingLife,
  WorkspaceSettings: settingsLife,
  "adopted key": adoptionLife,
};

/** A test for each variant: the whole lifecycle of an ApiKey on it. */
export function describeLives(title: string, cases: readonly Case[], open: Open = openScene): void {
  describe(title, () => {
    let scene: Scene;
    beforeAll(async () => {
      // Longer than this test's `laterMs`, but shorter than the 8 seconds for which a missing key is waited for.
      const env = quickTimers({ 300: 300, 500: 500, 1500: 1500, 30000: 30000 });
      scene = await open({ workspaces: cases.map(({ workspaceId }) => workspaceId), env });
    });

    test.each(cases)(
      "$name",
      async ({ variant, workspaceId }) => {
        // The first GET after a write comes sooner than this, the next ones later.
        await keyLife(scene, { ...variant, laterMs: 200 }, workspaceId);
      },
      // If keys can't be listed, each wait for a missing key takes its whole time.
      90_000,
    );

    afterAll(async () => {
      const secrets = scene.standIn.keys().map(({ key }) => key);
      const printed = await scene.close();
      for (const secret of [accessToken, ...secrets]) expect(printed).not.toContain(secret);
      // Everything that was changed outside Pulumi can be reverted.
      expect(printed).not.toContain("warning:");
    });
  });
}

/** A test for each variant: the whole lifecycle of a resource of this kind on it, with shortened pauses. */
export function describeQuickLives(kind: string, cases: readonly Case[], open: Open = openScene): void {
  describe(`lifecycle (${kind})`, () => {
    let scene: Scene;
    beforeAll(async () => {
      const workspaces = cases.map(({ workspaceId }) => workspaceId);
      // One workspace stays, because an empty list doesn't prove that a workspace was deleted.
      scene = await open({ workspaces: [...workspaces, "ws_stays"], env: quickTimers() });
    });
    afterAll(async () => {
      expect(await scene.close()).not.toContain(accessToken);
    });

    test.each(cases)("$name", async ({ variant, workspaceId }) => {
      await lives[kind]?.(scene, variant, workspaceId);
    });
  });
}
