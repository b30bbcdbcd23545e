/** `npm run test:campaign`: seeded schedules of faults over whole lives of resources, and what they came to. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureAmplification } from "./amplification";
import { startInProcess } from "./inProcess";
import { tryOutMany } from "./many";
import { quickenPauses } from "./quickPauses";
import { table } from "./table";
import { count, openTally, type Tally, violationsIn } from "./tally";
import type { Trial } from "./trial";

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "10000" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});

/** The peak memory of the largest process, in MB. */
async function inWorkers(tally: Tally): Promise<number> {
  const workers = Math.min(2, availableParallelism());
  let peak = 0;
  const runOne = async (n: number) => {
    const schedules = Number(values.schedules) - n;
    const args = [Number(values.first) + n, schedules, workers].map(String);
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

async function alone(tally: Tally, seed: number): Promise<number> {
  quickenPauses();
  await tryOutMany([seed], startInProcess, 1, (trial) => count(tally, trial));
  return process.resourceUsage().maxRSS / 1024;
}

async function run(): Promise<number> {
  const tally = openTally();
  const peak = values.seed === undefined ? await inWorkers(tally) : await alone(tally, Number(values.seed));
  const amplification = await measureAmplification();
  for (const { seed, text } of tally.failures) {
    console.log(`seed ${seed}: ${text}\n  npm run test:campaign -- --seed ${seed}`);
  }
  console.log(table(tally, amplification, peak));
  const bounded = amplification.oneCall <= 4 && amplification.manyCalls <= 1.1;
  return violationsIn(tally) === 0 && bounded ? 0 : 1;
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
