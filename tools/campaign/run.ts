/**
 * `npm run test:campaign`: seeded schedules of faults over whole lives of resources, and their results.
 *
 * --schedules N, --plugin N: how many below the host, and in the plugin over gRPC (10,000 and 300).
 * --first N: the first seed (1).
 * --seed N: this one alone, below the host, or in the plugin with --plugin 1, with all that happens in it.
 */
import { parseArgs } from "node:util";
import { columns, type TierName } from "./findings";
import { idsIn } from "./heldKeys";
import type { Trace } from "./play";
import { type Tally, tryOut } from "./trial";

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
  const onTrace = isTold ? (trace: Trace) => console.log(story(trace)) : undefined;
  const tally = await tryOut(tier, first, schedules, onTrace);
  const how = tier === "process" ? "" : " --plugin 1";
  const violations = tally.findings.filter(({ apart }) => apart === undefined);
  for (const { seed, variantName, column, what } of violations) {
    console.log(`seed ${seed}: ${columns[column]} (${variantName}): ${what}`);
    console.log(`  npm run test:campaign -- --seed ${seed}${how}`);
  }
  const title = tier === "process" ? "Below the host" : "In the plugin";
  const seconds = Math.round((Date.now() - began) / 1_000);
  console.log(`\n${title}, ${schedules} schedules, ${seconds} s\n${table(tally)}`);
  return violations.length === 0;
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
function table({ injected, findings }: Tally): string {
  const rows = [
    ...counted("injected", injected),
    ...Object.entries(columns).flatMap(([column, title]) => {
      const own = findings.filter((one) => one.column === column);
      const apart = own.flatMap((one) => one.apart ?? []);
      return [[title, own.length - apart.length] as const, ...counted("  apart", apart)];
    }),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

function counted(title: string, names: readonly string[]): readonly (readonly [string, number])[] {
  return [...new Set(names)]
    .toSorted()
    .map((name) => [`${title}: ${name}`, names.filter((one) => one === name).length]);
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
