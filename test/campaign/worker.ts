/** One process of the campaign: it tries out the seeds that it is told, and reports each trial to its parent. */
import { seedsFrom, tryOutMany } from "./many";
import { quickenPauses } from "./quickPauses";
import { type TierName, tiers } from "./tiers";

async function work([tier, first, count, stride]: readonly string[]): Promise<void> {
  quickenPauses();
  const seeds = seedsFrom(Number(first), Number(count), Number(stride));
  await tryOutMany(seeds, tiers[tier as TierName], (trial) => process.send?.({ trial }));
  process.send?.({ peakMegabytes: process.resourceUsage().maxRSS / 1024 });
}

work(process.argv.slice(2)).then(
  () => process.disconnect(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
