import { expect, test } from "vitest";
import {
  count,
  openTally,
  seedsFrom,
  type Tally,
  type TierName,
  tiers,
  tryOutMany,
} from "../../tools/campaign/trial";
import { runs } from "../all";

/** A short version of `npm run test:campaign`. A failure names the seed, which can be run alone. */

async function campaign(tier: TierName, schedules: number): Promise<Tally> {
  const tally = openTally();
  await tryOutMany(seedsFrom(1, schedules), tiers[tier], (trial) => count(tally, trial));
  expect(tally.schedules).toBe(schedules);
  return tally;
}

test("a campaign on the lifecycle breaks no guarantee, and every run that can converge does", async () => {
  const { failures, injected } = await campaign("process", runs(300));
  expect(failures).toEqual([]);
  // A kind of fault that never occurred would prove nothing.
  expect(Object.keys(injected).sort()).toEqual([
    "ctrlC",
    "drip",
    "emptyBody",
    "engineKilled",
    "errorAfter",
    "garbled",
    "hang",
    "hostKilled",
    "html",
    "hugeBody",
    "markedDeleted",
    "otherRecord",
    "outage",
    "resetAfter",
    "resetBefore",
    "status",
    "truncated",
    "twoCtrlC",
    "withoutEffect",
    "withoutKey",
  ]);
});

test("a campaign through the plugin breaks no guarantee", async () => {
  expect((await campaign("plugin", runs(6))).failures).toEqual([]);
});
