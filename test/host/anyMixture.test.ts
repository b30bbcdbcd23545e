import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultVariant } from "../../standin";
import { mixtures } from "./knobs";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene } from "./scene";
import { lives } from "./variantLives";

const runs = 200;
/** Further runs, in which fast-check finds the fewest knobs that cause a failure. */
const shrinking = 200;
const workspaceOf = { text: (n: number) => `ws_${n}`, numeric: String, odd: (n: number) => `ws ${n}/ü%2F?#` };

describe.each(Object.entries(lives))("lifecycle (%s)", (_kind, life) => {
  let scene: Scene;
  beforeAll(async () => {
    const numbers = Array.from({ length: runs + shrinking }, (_, place) => place + 1);
    const workspaces = numbers.flatMap((n) => Object.values(workspaceOf).map((id) => id(n)));
    scene = await openScene({ workspaces, env: quickTimers() });
  });
  afterAll(async () => {
    expect(await scene.close()).not.toContain(accessToken);
  });

  test("is the same on servers with random combinations of settings", { timeout: 240_000 }, async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(mixtures, async (knobs) => {
        run += 1;
        if (run > runs + shrinking) return;
        const variant = { ...defaultVariant, ...knobs };
        scene.standIn.clearFaults();
        await life(scene, variant, workspaceOf[variant.ids](run));
      }),
      { seed: 20_261_121, numRuns: runs },
    );
  });
});
