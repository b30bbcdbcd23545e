/** One process of the campaign: it tries out the seeds that it is told, and reports each trial to its parent. */
import { startInProcess } from "./inProcess";
import { seedsFrom, tryOutMany } from "./many";
import { quickenPauses } from "./quickPauses";

/** So many at once keep a processor busy while the others wait. */
const atOnce = 32;

async function work([first, count, stride]: readonly number[]): Promise<void> {
  quickenPauses();
  const seeds = seedsFrom(first ?? 1, count ?? 0, stride);
  await tryOutMany(seeds, startInProcess, atOnce, (trial) => process.send?.({ trial }));
  process.send?.({ peakMegabytes: process.resourceUsage().maxRSS / 1024 });
}

work(process.argv.slice(2).map(Number)).then(
  () => process.disconnect(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
