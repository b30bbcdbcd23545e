import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { seedsFrom } from "./many";
import { count, type Tally } from "./tally";
import type { TierName } from "./tiers";
import { type Trial, unplayed } from "./trial";

type Message = { readonly began: number } | { readonly trial: Trial } | { readonly peakMegabytes: number };

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
    const share = [first + n, schedules - n, workers] as const;
    const left = new Set(seedsFrom(...share));
    const underWay = new Set<number>();
    const worker = fork(join(__dirname, "worker.ts"), [tier, ...share].map(String));
    worker.on("message", (message: Message) => {
      if ("began" in message) underWay.add(message.began);
      else if ("peakMegabytes" in message) peak = Math.max(peak, message.peakMegabytes);
      else {
        underWay.delete(message.trial.seed);
        left.delete(message.trial.seed);
        count(tally, message.trial);
      }
    });
    // What it has told may arrive after its end.
    const [[code, signal]] = await Promise.all([once(worker, "exit"), once(worker, "disconnect")]);
    if (code === 0) return;
    const why = `its process ended with ${code ?? signal}, and ${left.size} schedules were not played to their end`;
    const told = underWay.size > 0 ? underWay : [...left].slice(0, 1);
    for (const seed of told) count(tally, unplayed(seed, why));
  };
  await Promise.all(Array.from({ length: workers }, (_, n) => runOne(n)));
  return peak;
}
