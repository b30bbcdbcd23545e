/**
 * `npm run bench`: this provider beside the one that Pulumi's documentation teaches, in one run, as tables and as JSON.
 *
 * --sizes 10,200: numbers of keys; --rounds 3: how often everything is measured with each number.
 * --beside FOLDER: ours beside an earlier version, whose package is unpacked in that folder.
 * --only ours,plugin; --steps up,destroy; --out FILE.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { checkout, packedPackage } from "../engine/project";
import { findPulumi } from "../engine/pulumiCli";
import { besides, contenders } from "./contenders";
import { steps } from "./keys";
import { asJson, machineOf, type Report, type Round, tables } from "./report";
import { type Bench, compile, tryOut } from "./trial";

const latencyMs = 20;

async function run(): Promise<void> {
  const plan = planOf(process.argv.slice(2));
  const cli = await findPulumi();
  await packedPackage();
  const bench = { compiled: await compile(), root: cli.root, latencyMs, steps: plan.steps };
  const rounds = await measureAll(plan, bench);
  const report: Report = { machine: machineOf(cli), latencyMs, ...plan, rounds };
  console.log(`\n${report.machine}`);
  console.log(tables(report));
  await mkdir(dirname(plan.out), { recursive: true });
  await writeFile(plan.out, asJson(report));
}

type Plan = ReturnType<typeof planOf>;

/** The options of the command line. */
function planOf(args: string[]) {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args,
    options: {
      sizes: { ...text, default: "10,200,1000" },
      rounds: { ...text, default: "3" },
      out: { ...text, default: join(checkout, ".work", "bench.json") },
      ...{ only: text, steps: text, beside: text },
    },
  });
  const known = values.beside === undefined ? contenders : besides(values.beside);
  const plan = {
    sizes: values.sizes.split(",").map(Number),
    times: Number(values.rounds),
    contenders: known.filter(({ id }) => values.only?.split(",").includes(id) ?? true),
    steps: steps.filter((step) => values.steps?.split(",").includes(step) ?? true),
    out: values.out,
  };
  const isRight = [...plan.sizes, plan.times, plan.contenders.length, plan.steps.length].every((n) => n > 0);
  if (isRight) return plan;
  const ids = known.map(({ id }) => id);
  throw new Error(`--sizes and --rounds take numbers, --only some of ${ids}, --steps some of ${steps}`);
}

/**
 * In each round another contender begins, and every other round goes backwards, so that what changes on the machine in the
 * meantime, and what one leaves to the next (files in memory, a warm disk), falls on all alike.
 */
async function measureAll({ sizes, times, contenders }: Plan, bench: Bench): Promise<readonly Round[]> {
  const all: Round[] = [];
  for (const count of sizes) {
    for (let round = 0; round < times; round += 1) {
      const first = round % contenders.length;
      const turns = [...contenders.slice(first), ...contenders.slice(0, first)];
      for (const contender of round % 2 === 0 ? turns : turns.toReversed()) {
        const figures = await tryOut(contender, count, bench);
        all.push({ contender: contender.id, count, round, figures });
        const seconds = Object.entries(figures).map(
          ([step, figure]) => `${step} ${figure.seconds.toFixed(2)}`,
        );
        const which = `N = ${count}, round ${round + 1} of ${times}`;
        process.stderr.write(`${which}, ${contender.id}: ${seconds.join(", ")} s\n`);
      }
    }
  }
  return all;
}

run().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
