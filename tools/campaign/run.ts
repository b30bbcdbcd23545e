/**
 * `npm run test:campaign`: seeded schedules of faults over whole lives of resources, and their results.
 *
 * --schedules N, --plugin N: how many below the host, and in the plugin over gRPC (10,000 and 300).
 * --first N: the first seed (1).
 * --seed N: this one alone, below the host, or in the plugin with --plugin 1, with all that happens in it.
 */
import { parseArgs } from "node:util";
import { columns } from "./findings";
import { idsIn } from "./heldKeys";
import type { Trace } from "./play";
import { type Tally, type TierName, tryOut } from "./trial";

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "10000" },
    plugin: { type: "string" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});

/** Whether nothing was found. */
async function campaign(tier: TierName, first: number, schedules: number, isTold = false): Promise<boolean> {
  if (schedules === 0) return true;
  const began = Date.now();
  const tally = await tryOut(
    tier,
    first,
    schedules,
    isTold ? (trace) => console.log(story(trace)) : undefined,
  );
  const how = tier === "process" ? "" : " --plugin 1";
  for (const { seed, text } of tally.violations) {
    console.log(`seed ${seed}: ${text}\n  npm run test:campaign -- --seed ${seed}${how}`);
  }
  const title = tier === "process" ? "Below the host" : "In the plugin";
  console.log(`\n${title}, ${Math.round((Date.now() - began) / 1_000)} s\n${table(tally)}`);
  return tally.violations.length === 0;
}

async function run(): Promise<boolean> {
  const { seed, schedules, plugin, first } = values;
  if (seed !== undefined) {
    return campaign(plugin === undefined ? "process" : "plugin", Number(seed), 1, true);
  }
  const isBroken = !(await campaign("process", Number(first), Number(schedules)));
  return (await campaign("plugin", Number(first), Number(plugin ?? 300))) && !isBroken;
}

/** The campaign's result as it is printed. */
function table({ schedules, injected, apart, violations }: Tally): string {
  const rows: (readonly [string, number])[] = [
    ["schedules run", schedules],
    ...sorted(injected).map(([kind, times]) => [`injected: ${kind}`, times] as const),
    ...Object.entries(columns).flatMap(([column, title]) => [
      [title, violations.filter((one) => one.column === column).length] as const,
      ...sorted(apart)
        .filter(([name]) => name.startsWith(`${title}: `))
        .map(([name, times]) => [`  apart: ${name.slice(title.length + 2)}`, times] as const),
    ]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

function sorted(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** A run in words, for whoever looks for the cause of what it showed. */
function story({ schedule: { steps, ending, ...service }, commands, requests }: Trace): string {
  return [
    JSON.stringify(service),
    ...[...steps, ending].map((step, n) => `step ${n}: ${JSON.stringify(step)}`),
    ...commands.flatMap(({ name, step, repetition, green, interruption, operations, told, state, live }) => [
      `${name} ${step}.${repetition}: ${green ? "green" : "red"} ${interruption ?? ""}`,
      ...operations.map(
        ({ name: operation, resource, from, until, ended, message }) =>
          `  ${operation} ${resource}, requests ${from + 1} to ${until}: ${ended} ${message}`,
      ),
      told,
      ...state.map(
        (entry) =>
          `  ${entry.name} = ${idsIn(entry).join(" ")}${entry.halfDone ? " (half done)" : ""}${entry.doomed ? " (to be deleted)" : ""}`,
      ),
      `  live keys: ${live.map(({ id }) => id).join(", ")}`,
    ]),
    ...requests.map(
      ({ n, method, path, status, fault, carriedOut }) =>
        `${n} ${method} ${path} ${status} ${fault ?? ""}${carriedOut ? " carried out" : ""}`,
    ),
  ].join("\n");
}

run().then(
  (well) => process.exit(well ? 0 : 1),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
