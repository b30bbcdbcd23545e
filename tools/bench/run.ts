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
import { checkout } from "../engine/folders";
import { packedPackage } from "../engine/project";
import { findPulumi } from "../engine/pulumiCli";
import { compile } from "./build";
import { writeDocs } from "./docs";
import { machine, machineLine } from "./machine";
import { planOf } from "./plan";
import { asJson, type Report, tables } from "./report";
import { measureAll } from "./rounds";

const latencyMs = 20;

async function run(): Promise<void> {
  const plan = planOf(process.argv.slice(2));
  const cli = await findPulumi();
  await packedPackage();
  const compiled = await compile();
  const bench = { compiled, root: cli.root, latencyMs, steps: plan.steps };
  const report: Report = {
    machine: machine(cli),
    latencyMs,
    contenders: plan.contenders,
    steps: plan.steps,
    rounds: await measureAll(plan.contenders, plan.sizes, bench, tell),
  };
  console.log(`\n${machineLine(report.machine)}`);
  console.log(tables(report));
  const out = plan.out ?? join(checkout, ".work", "bench.json");
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, asJson(report));
  if (plan.writeDocs) await writeDocs(report);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

run().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
