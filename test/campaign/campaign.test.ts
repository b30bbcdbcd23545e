/** A short version of `npm run test:campaign`. A failure names the seed, which can be run alone. */
import { expect, test } from "vitest";
import type { TierName } from "../../tools/campaign/findings";
import { tryOut } from "../../tools/campaign/trial";
import { runs } from "../all";

async function campaign(tier: TierName, schedules: number): Promise<readonly string[]> {
  const { injected, findings } = await tryOut(tier, 1, schedules);
  expect(findings.filter(({ apart }) => apart === undefined)).toEqual([]);
  return [...new Set(injected)].toSorted();
}

test("a campaign on the lifecycle breaks no guarantee, and every run that can converge does", async () => {
  // A kind of fault that never occurred would prove nothing.
  expect(await campaign("process", runs(300))).toEqual([
    "ctrlC",
    "drip",
    "emptyBody",
    "engineKilled",
    "errorAfter",
    "garbled",
    "hang",
    "hostKilled",
    "hugeBody",
    "otherRecord",
    "outage",
    "resetAfter",
    "resetBefore",
    "status",
    "truncated",
    "twice",
    "twoCtrlC",
    "withoutEffect",
    "withoutKey",
  ]);
});

test("a campaign through the plugin breaks no guarantee", async () => {
  await campaign("plugin", runs(6));
});
