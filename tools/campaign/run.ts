/**
 * `npm run test:campaign`: seeded schedules of faults over whole lives of resources, and what they came to.
 *
 * --schedules N, --host N, --plugin N: how many below the host, in the engine's host, and in the plugin over gRPC
 * (10,000, 300 and 300).
 * --engine N, --plugin-engine N: how many on the engine itself, with either host (20 and 20).
 * --sets N, --plugin-sets N: how many ups of a set of hundreds of keys are ended at some moment, on the engine itself,
 * with either host (25 and 10).
 * --first N: the first seed (1).
 * --seed N: this one alone, below the host; with --host 1, --plugin 1, --engine 1 or --plugin-engine 1 there.
 */
import { parseArgs } from "node:util";
import { packedPackage } from "../engine/packedPackage";
import { tryOutInWorkers } from "./crowd";
import { openForeigner } from "./foreigner";
import { outliveKilledEngines } from "./killedEngine";
import { tryOutSets } from "./sets";
import { story } from "./story";
import { table } from "./table";
import { count, openTally, violationsIn } from "./tally";
import { type TierName, tierNames, tiers } from "./tiers";
import { tryOut } from "./trial";

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "10000" },
    host: { type: "string" },
    plugin: { type: "string" },
    engine: { type: "string" },
    "plugin-engine": { type: "string" },
    sets: { type: "string", default: "25" },
    "plugin-sets": { type: "string", default: "10" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});

const titles: Readonly<Record<TierName, string>> = {
  process: "Below the host",
  host: "In the engine's host",
  plugin: "In the plugin",
  engine: "On the engine",
  "plugin-engine": "On the engine, with the plugin",
};

/** Whether nothing was found. */
async function campaign(tier: TierName, schedules: number): Promise<boolean> {
  if (schedules === 0) return true;
  // Packed once, for all processes.
  if (tier === "engine" || tier === "plugin-engine") await packedPackage();
  const began = Date.now();
  const tally = openTally();
  const peak = await tryOutInWorkers(tally, tier, Number(values.first), schedules);
  const how = tier === "process" ? "" : ` --${tier} 1`;
  for (const { seed, text } of tally.failures) {
    console.log(`seed ${seed}: ${text}\n  npm run test:campaign -- --seed ${seed}${how}`);
  }
  console.log(`\n${titles[tier]}, ${Math.round((Date.now() - began) / 1_000)} s`);
  console.log(table(tally, peak));
  return violationsIn(tally) === 0;
}

/** One schedule, with all that happened in it. */
async function replay(seed: number, tier: TierName): Promise<boolean> {
  const tally = openTally();
  const foreigner = await openForeigner();
  count(tally, await tryOut(seed, tiers[tier], foreigner, (trace) => console.log(story(trace))));
  for (const { text } of tally.failures) console.log(text);
  return violationsIn(tally) === 0;
}

async function run(): Promise<boolean> {
  outliveKilledEngines();
  if (values.seed !== undefined) {
    const tier = tierNames.find((name) => name !== "process" && values[name] !== undefined) ?? "process";
    return replay(Number(values.seed), tier);
  }
  const ends = [
    await campaign("process", Number(values.schedules)),
    await campaign("host", Number(values.host ?? 300)),
    await campaign("plugin", Number(values.plugin ?? 300)),
    await campaign("engine", Number(values.engine ?? 20)),
    await campaign("plugin-engine", Number(values["plugin-engine"] ?? 20)),
    await tryOutSets("dynamic", Number(values.first), Number(values.sets)),
    await tryOutSets("plugin", Number(values.first), Number(values["plugin-sets"])),
  ];
  return ends.every((well) => well);
}

run().then(
  (well) => process.exit(well ? 0 : 1),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
