import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { count, type Tally } from "./tally";
import type { TierName } from "./tiers";
import type { Trial } from "./trial";

/** Seeds from the first on, shared out among two processes. Gives the peak memory of the larger one, in MB. */
export async function tryOutInWorkers(
  tally: Tally,
  tier: TierName,
  first: number,
  schedules: number,
): Promise<number> {
  const workers = Math.min(2, availableParallelism());
  let peak = 0;
  const runOne = async (n: number) => {
    const args = [tier, first + n, schedules - n, workers].map(String);
    const worker = fork(join(__dirname, "worker.ts"), args);
    worker.on("message", (message: { trial: Trial } | { peakMegabytes: number }) => {
      if ("trial" in message) count(tally, message.trial);
      else peak = Math.max(peak, message.peakMegabytes);
    });
    const [code] = await once(worker, "exit");
    if (code !== 0) throw new Error(`a process of the campaign ended with ${code}`);
  };
  await Promise.all(Array.from({ length: workers }, (_, n) => runOne(n)));
  return peak;
}
