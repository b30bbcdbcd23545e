/** One process of the campaign: it tries out the seeds that it is told, and reports each trial to its parent. */
import { seedsFrom, type TierName, tiers, tryOutMany } from "./trial";

async function work([tier, first, count, stride]: readonly string[]): Promise<void> {
  const seeds = seedsFrom(Number(first), Number(count), Number(stride));
  const sent: Promise<unknown>[] = [];
  await tryOutMany(seeds, tiers[tier as TierName], (trial) => {
    sent.push(new Promise((resolve) => process.send?.(trial, undefined, undefined, resolve)));
  });
  await Promise.all(sent);
}

work(process.argv.slice(2)).then(
  // Left to end by itself, a process was seen to close its handles for ever.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
