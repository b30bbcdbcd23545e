import { expect, it } from "vitest";
import { tryOutSet } from "../../tools/campaign/setTrial";

/** A short version of `npm run test:campaign -- --sets 25`, which replays any seed. */

it("after the host is killed during the create of 300 keys, the next update creates all and names each key left behind", async () => {
  const { findings, ...trial } = await tryOutSet(4, { adding: 300, ending: "hostKilled" });
  expect(findings).toEqual([]);
  // The killed host could not delete them.
  expect(trial.unheld).toBeGreaterThan(100);
  expect(trial).toMatchObject({ live: trial.unheld, orphans: trial.unheld, told: trial.unheld });
});

it("after two Ctrl-C while an update adds 100 keys to 200, the next update adds them and names each key left behind", async () => {
  const { findings, ...trial } = await tryOutSet(6, { before: 200, adding: 100, ending: "twoCtrlC" });
  expect(findings).toEqual([]);
  expect(trial.unheld).toBeGreaterThan(0);
  expect(trial).toMatchObject({ live: 200 + trial.unheld, orphans: trial.unheld, told: trial.unheld });
});
