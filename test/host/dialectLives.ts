import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Case } from "./knobs";
import { keyLifecycle } from "./lifecycleSuite";
import { accessToken, openScene, type Scene } from "./scene";

/** A test for each dialect: the whole life of an ApiKey on it. */
export function describeLives(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene({ workspaces: cases.map(({ workspaceId }) => workspaceId) });
    });

    test.each(cases)("$name", async ({ dialect, workspaceId }) => {
      // Longer than the first look at what a write came to: the provider's pauses are what they are here.
      await keyLifecycle(scene, { ...dialect, laterMs: 200 }, workspaceId);
    });

    afterAll(async () => {
      const secrets = scene.standIn.keys().map(({ key }) => key);
      const printed = await scene.close();
      for (const secret of [accessToken, ...secrets]) expect(printed).not.toContain(secret);
      // Nothing was changed elsewhere that the provider can't mend.
      expect(printed).not.toContain("warning:");
    });
  });
}
