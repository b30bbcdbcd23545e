/**
 * `npm run bench`: this provider beside others and beside the floors, in one run, as tables and as JSON.
 *
 * --quick: few keys and rounds, within five minutes.
 * --write-docs: puts the figures of 200 and of 1,000 keys into docs/performance.md.
 * --beside FOLDER: ours beside an earlier version, whose package is unpacked in that folder.
 * --sizes 10,200; --rounds 5; --only ours,plugin; --steps up,destroy; --out FILE.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { checkout, packedPackage } from "../engine/project";
import { findPulumi } from "../engine/pulumiCli";
import { besides, type Contender, contenders } from "./contenders";
import { type Step, steps } from "./keys";
import { asJson, machineOf, type Report, type Round, tables, writeDocs } from "./report";
import { type Bench, compile, tryOut } from "./trial";

const latencyMs = 20;

async function run(): Promise<void> {
  const plan = planOf(process.argv.slice(2));
  const cli = await findPulumi();
  await packedPackage();
  const compiled = await compile();
  const bench = { compiled, root: cli.root, latencyMs, steps: plan.steps };
  const report: Report = {
    machine: machineOf(cli),
    latencyMs,
    contenders: plan.contenders,
    steps: plan.steps,
    rounds: await measureAll(plan.contenders, plan.sizes, bench, tell),
  };
  console.log(`\n${report.machine}`);
  console.log(tables(report));
  const out = plan.out ?? join(checkout, ".work", "bench.json");
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, asJson(report));
  if (plan.writeDocs) await writeDocs(report);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Keys, and how often everything is measured with that number. */
export interface Size {
  readonly count: number;
  readonly rounds: number;
}

export interface Plan {
  readonly sizes: readonly Size[];
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly writeDocs: boolean;
  /** The JSON file. */
  readonly out: string | undefined;
}

const whole: readonly Size[] = [
  { count: 10, rounds: 5 },
  { count: 200, rounds: 5 },
  { count: 1_000, rounds: 3 },
  { count: 5_000, rounds: 1 },
];
const quick: readonly Size[] = [
  { count: 10, rounds: 3 },
  { count: 50, rounds: 2 },
];

/** What the command line asks for. */
export function planOf(args: readonly string[]): Plan {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      "write-docs": { type: "boolean", default: false },
      ...{ sizes: text, rounds: text, only: text, steps: text, out: text, beside: text },
    },
  });
  const usual = values.quick ? quick : whole;
  const rounds = values.rounds === undefined ? undefined : positive("rounds", values.rounds);
  const sizes = listed(values.sizes)?.map((size) => {
    const count = positive("sizes", size);
    return { count, rounds: whole.find((one) => one.count === count)?.rounds ?? 1 };
  });
  const all = values.beside === undefined ? contenders : besides(values.beside);
  return {
    sizes: (sizes ?? usual).map((size) => ({ ...size, rounds: rounds ?? size.rounds })),
    contenders: among("only", all, values.only, ({ id }) => id),
    steps: among("steps", steps, values.steps, (step) => step),
    writeDocs: values["write-docs"],
    out: values.out,
  };
}

function listed(value: string | undefined): readonly string[] | undefined {
  return value?.split(",").map((each) => each.trim());
}

function positive(option: string, value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${option} takes whole numbers above 0, not ${value}`);
  return Number(value);
}

/** Those of the known that an option names. */
function among<One>(
  option: string,
  known: readonly One[],
  value: string | undefined,
  nameOf: (one: One) => string,
): readonly One[] {
  const named = listed(value);
  const strange = named?.find((name) => !known.some((one) => nameOf(one) === name));
  if (strange !== undefined)
    throw new Error(`--${option} takes some of ${known.map(nameOf).join(",")}, not ${strange}`);
  return known.filter((one) => named === undefined || named.includes(nameOf(one)));
}

/**
 * Who measures in one round, in which order: another one begins in each, so that what changes on the machine in the
 * meantime, and what one leaves to the next (files in memory, a warm disk), falls on all alike.
 */
function orderOf(
  contenders: readonly Contender[],
  { count, rounds }: Size,
  round: number,
): readonly Contender[] {
  const first = round % Math.max(1, contenders.length);
  const rotated = [...contenders.slice(first), ...contenders.slice(0, first)];
  return rotated.filter((contender) => round < contender.rounds(count, rounds));
}

export async function measureAll(
  contenders: readonly Contender[],
  sizes: readonly Size[],
  bench: Bench,
  report: (line: string) => void,
): Promise<readonly Round[]> {
  const all: Round[] = [];
  for (const size of sizes) {
    for (let round = 0; round < size.rounds; round += 1) {
      for (const contender of orderOf(contenders, size, round)) {
        const figures = await tryOut(contender, size.count, bench);
        all.push({ contender: contender.id, count: size.count, round, figures });
        const times = Object.entries(figures).map(([step, { seconds }]) => `${step} ${seconds.toFixed(2)}`);
        report(
          `N = ${size.count}, round ${round + 1} of ${size.rounds}, ${contender.id}: ${times.join(", ")} s`,
        );
      }
    }
  }
  return all;
}

run().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
