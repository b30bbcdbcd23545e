import { expect, test } from "vitest";
import { measureAmplification } from "../../tools/campaign/amplification";
import { seedsFrom, tryOutMany } from "../../tools/campaign/many";
import { count, openTally, type Tally } from "../../tools/campaign/tally";
import { type TierName, tiers } from "../../tools/campaign/tiers";
import { isAll, runs } from "../all";

/** A short version of `npm run test:campaign`; a failure names the seed, which replays alone. */

async function campaign(tier: TierName, schedules: number): Promise<Tally> {
  const tally = openTally();
  await tryOutMany(seedsFrom(1, schedules), tiers[tier], (trial) => count(tally, trial));
  expect(tally.schedules).toBe(schedules);
  return tally;
}

test("no fault loses a key, grants twice, widens or leaks, and what can converge does", async () => {
  const { failures, injected } = await campaign("process", runs(300));
  expect(failures).toEqual([]);
  // A kind that never occurred would show nothing.
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
    "rateLimited",
    "redirect",
    "resetAfter",
    "resetBefore",
    "status",
    "truncated",
    "twoCtrlC",
    "withoutEffect",
    "withoutKey",
  ]);
});

test("nor does it in the engine's host", async () => {
  expect((await campaign("host", isAll ? 6 : 1)).failures).toEqual([]);
});

test("nor does it in the plugin", async () => {
  expect((await campaign("plugin", runs(6))).failures).toEqual([]);
});

test("a service that is down gets at most four requests for one call, and 1.1 for each of a thousand", async () => {
  const { oneCall, manyCalls } = await measureAmplification();
  expect(oneCall).toBe(4);
  expect(manyCalls).toBeLessThanOrEqual(1.1);
});
