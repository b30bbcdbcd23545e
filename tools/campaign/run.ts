/**
 * `npm run test:campaign`: seeded schedules of faults over whole lives of resources, and their results.
 *
 * --schedules N, --plugin N: how many below the host, and in the plugin over gRPC (10,000 and 300).
 * --first N: the first seed (1).
 * --seed N: this one alone, below the host, or in the plugin with --plugin 1.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Column, columns } from "./findings";
import { idsIn } from "./heldKeys";
import type { Schedule } from "./schedule";
import { openForeigner } from "./stage";
import type { CommandRecord, Trace } from "./trace";
import {
  count,
  openTally,
  seedsFrom,
  type Tally,
  type TierName,
  type Trial,
  tiers,
  tryOut,
  unplayed,
  violationsIn,
} from "./trial";

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "10000" },
    plugin: { type: "string" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});

const titles: Readonly<Record<TierName, string>> = { process: "Below the host", plugin: "In the plugin" };

/** Whether nothing was found. */
async function campaign(tier: TierName, schedules: number): Promise<boolean> {
  if (schedules === 0) return true;
  const began = Date.now();
  const tally = await tryOutInWorkers(tier, Number(values.first), schedules);
  const how = tier === "process" ? "" : ` --${tier} 1`;
  for (const { seed, text } of tally.failures) {
    console.log(`seed ${seed}: ${text}\n  npm run test:campaign -- --seed ${seed}${how}`);
  }
  console.log(`\n${titles[tier]}, ${Math.round((Date.now() - began) / 1_000)} s`);
  console.log(table(tally));
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
  const { seed, schedules, plugin } = values;
  if (seed !== undefined) return replay(Number(seed), plugin === undefined ? "process" : "plugin");
  const ends = [
    await campaign("process", Number(schedules)),
    await campaign("plugin", Number(plugin ?? 300)),
  ];
  return ends.every((well) => well);
}

/** Seeds from the first on, shared out among two processes. */
async function tryOutInWorkers(tier: TierName, first: number, schedules: number): Promise<Tally> {
  const tally = openTally();
  const workers = Math.min(2, availableParallelism());
  const runOne = async (n: number) => {
    const share = [first + n, schedules - n, workers] as const;
    const left = new Set(seedsFrom(...share));
    const worker = fork(join(__dirname, "worker.ts"), [tier, ...share].map(String));
    worker.on("message", (trial: Trial) => {
      left.delete(trial.seed);
      count(tally, trial);
    });
    // What it has told may arrive after its end.
    const [[code, signal]] = await Promise.all([once(worker, "exit"), once(worker, "disconnect")]);
    const why = `its process ended with ${code ?? signal}, and ${left.size} schedules were not played to their end`;
    for (const seed of [...left].slice(0, tiers[tier].atOnce)) count(tally, unplayed(seed, why));
  };
  await Promise.all(Array.from({ length: workers }, (_, n) => runOne(n)));
  return tally;
}

/** The campaign's result as it is printed. */
function table(tally: Tally): string {
  const rows: [string, string][] = [
    ["schedules run", String(tally.schedules)],
    ...sorted(tally.injected).map(([kind, times]): [string, string] => [`injected: ${kind}`, String(times)]),
    ...Object.entries(columns).flatMap(([column, title]): [string, string][] => [
      [title, String(tally.violations[column as Column])],
      ...sorted(tally.apart)
        .filter(([name]) => name.startsWith(`${title}: `))
        .map(([name, times]): [string, string] => [
          `  apart: ${name.slice(title.length + 2)}`,
          String(times),
        ]),
    ]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A run in words, for whoever looks for the cause of what it showed. */
function story(trace: Trace): string {
  const { schedule, commands, requests } = trace;
  return [
    ...planned(schedule),
    ...commands.flatMap(told),
    ...requests.map(
      ({ n, method, path, status, fault, carriedOut }) =>
        `${n} ${method} ${path} ${status} ${fault ?? ""}${carriedOut ? " carried out" : ""}`,
    ),
  ].join("\n");
}

function planned({ variantName, parallel, steps, ending }: Schedule): readonly string[] {
  const title = `service: ${variantName}; operations ${parallel ? "at once" : "one after the other"}`;
  return [title, ...[...steps, ending].map((step, n) => `step ${n}: ${JSON.stringify(step)}`)];
}

function told(command: CommandRecord): readonly string[] {
  const { step, repetition, name, green, interruption, operations, after, live } = command;
  const entries = after.entries.map(
    (entry) =>
      `${entry.name} = ${idsIn(entry).join(" ")}${entry.halfDone ? " (half done)" : ""}${entry.doomed ? " (to be deleted)" : ""}`,
  );
  return [
    `${name} ${step}.${repetition}: ${green ? "green" : "red"} ${interruption ?? ""}`,
    ...operations.map(
      ({ name: operation, resource, from, until, ended, message }) =>
        `  ${operation} ${resource}, requests ${from + 1} to ${until}: ${ended} ${message}`,
    ),
    ...command.told.split("\n").map((line) => `  ${line}`),
    `  state: ${entries.join(", ")}; live keys: ${live.map(({ id }) => id).join(", ")}`,
  ];
}

run().then(
  (well) => process.exit(well ? 0 : 1),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
