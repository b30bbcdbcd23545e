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
import { steps } from "./keys";
import { asJson, machineOf, type Report, type Round, tables, writeDocs } from "./report";
import { type Bench, compile, tryOut } from "./trial";

const latencyMs = 20;

async function run(): Promise<void> {
  const { sizes, contenders, steps, writeDocs: isForDocs, out } = planOf(process.argv.slice(2));
  const cli = await findPulumi();
  await packedPackage();
  const bench = { compiled: await compile(), root: cli.root, latencyMs, steps };
  const rounds = await measureAll(contenders, sizes, bench);
  const report: Report = { machine: machineOf(cli), latencyMs, contenders, steps, rounds };
  console.log(`\n${report.machine}`);
  console.log(tables(report));
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, asJson(report));
  if (isForDocs) await writeDocs(report);
}

/** Keys, and how often everything is measured with that number. */
interface Size {
  readonly count: number;
  readonly rounds: number;
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

/** The options of the command line. */
function planOf(args: string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: flag, "write-docs": flag },
      ...{ sizes: text, rounds: text, only: text, steps: text, out: text, beside: text },
    },
  });
  const sizes = values.sizes?.split(",").map((size) => {
    return { count: Number(size), rounds: whole.find(({ count }) => count === Number(size))?.rounds ?? 1 };
  });
  const usual = values.quick ? quick : whole;
  const known = values.beside === undefined ? contenders : besides(values.beside);
  const plan = {
    sizes: (sizes ?? usual).map(({ count, rounds }) => ({ count, rounds: Number(values.rounds ?? rounds) })),
    contenders: known.filter(({ id }) => values.only?.split(",").includes(id) ?? true),
    steps: steps.filter((step) => values.steps?.split(",").includes(step) ?? true),
    writeDocs: values["write-docs"],
    out: values.out ?? join(checkout, ".work", "bench.json"),
  };
  const isRight = plan.sizes.every(({ count, rounds }) => count > 0 && rounds > 0);
  if (isRight && plan.contenders.length > 0 && plan.steps.length > 0) return plan;
  const ids = known.map(({ id }) => id);
  throw new Error(`--sizes and --rounds take numbers, --only some of ${ids}, --steps some of ${steps}`);
}

/**
 * In each round another contender begins, so that what changes on the machine in the meantime, and what one leaves to the
 * next (files in memory, a warm disk), falls on all alike.
 */
async function measureAll(
  contenders: readonly Contender[],
  sizes: readonly Size[],
  bench: Bench,
): Promise<readonly Round[]> {
  const all: Round[] = [];
  for (const { count, rounds } of sizes) {
    for (let round = 0; round < rounds; round += 1) {
      const first = round % contenders.length;
      for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
        const { id, mostKeys, onceFrom } = contender;
        if (count > mostKeys || (count >= onceFrom && round > 0)) continue;
        const figures = await tryOut(contender, count, bench);
        all.push({ contender: id, count, round, figures });
        const times = Object.entries(figures).map(([step, { seconds }]) => `${step} ${seconds.toFixed(2)}`);
        const which = `N = ${count}, round ${round + 1} of ${rounds}`;
        process.stderr.write(`${which}, ${id}: ${times.join(", ")} s\n`);
      }
    }
  }
  return all;
}

run().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
