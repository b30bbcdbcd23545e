/** One process of the campaign: it tries out the seeds that it is told, and reports each trial to its parent. */
import { seedsFrom, type TierName, tiers, tryOutMany } from "./trial";

async function work([tier, first, count, stride]: readonly string[]): Promise<void> {
  const seeds = seedsFrom(Number(first), Number(count), Number(stride));
  await tryOutMany(
    seeds,
    tiers[tier as TierName],
    (trial) => process.send?.({ trial }),
    (began) => process.send?.({ began }),
  );
  const last = { peakMegabytes: process.resourceUsage().maxRSS / 1024 };
  await new Promise((resolve) => process.send?.(last, undefined, undefined, resolve));
}

work(process.argv.slice(2)).then(
  // Left to end by itself, a process was seen to close its handles for ever.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
