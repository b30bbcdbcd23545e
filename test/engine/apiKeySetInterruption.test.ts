import { expect, it } from "vitest";
import { tryOutSet } from "../../tools/campaign/setTrial";

/** A short version of `npm run test:campaign -- --sets 25`, which replays any seed. */

it("the host killed amid a create of 300: the next up makes them all, and names each key that was left", async () => {
  const { findings, ...trial } = await tryOutSet(4, { adding: 300, ending: "hostKilled" });
  expect(findings).toEqual([]);
  // Nobody could delete them again.
  expect(trial.unheld).toBeGreaterThan(100);
  expect(trial).toMatchObject({ live: trial.unheld, orphans: trial.unheld, told: trial.unheld });
});

it("two Ctrl-C amid an update that adds 100 to 200: they are deleted again, and the next up adds them", async () => {
  const { findings, ...trial } = await tryOutSet(6, { before: 200, adding: 100, ending: "twoCtrlC" });
  expect(findings).toEqual([]);
  expect(trial).toMatchObject({ live: 200, unheld: 0, orphans: 0 });
});
