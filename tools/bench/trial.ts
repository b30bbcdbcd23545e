import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Environment } from "../engine/command";
import { makeWorkFolder } from "../engine/folders";
import type { Contender } from "./contender";
import type { Figures } from "./figures";
import type { EngineOrder, NetworkOrder, Spent } from "./orders";
import { type Served, startService } from "./service";
import { openSite } from "./site";
import type { Step } from "./steps";
import { watchPeak } from "./watch";

const engine = /\/pulumi --non-interactive /;

/** What all trials of a run share. */
export interface Bench {
  readonly compiled: string;
  /** The folder in whose bin the CLI stands. */
  readonly root: string;
  readonly latencyMs: number;
  readonly steps: readonly Step[];
}

interface Ran extends Spent {
  readonly hostPeakMiB: number | undefined;
  readonly enginePeakMiB: number | undefined;
  readonly stateBytes: number | undefined;
}

/** One contender's round: its steps one after another, on a service and a stack of its own. */
export async function tryOut(
  contender: Contender,
  count: number,
  bench: Bench,
): Promise<Partial<Record<Step, Figures>>> {
  const service = await startService(bench.compiled, bench.latencyMs);
  const { run, close } = await prepare(contender, count, service.env, bench);
  const figures: Partial<Record<Step, Figures>> = {};
  try {
    for (const step of bench.steps.filter((one) => contender.steps.includes(one))) {
      await service.take();
      const ran = await run(step);
      const served = await service.take();
      if (contender.asks) expectDone(contender.id, step, count, served);
      const serviceBusy = served.cpuSeconds / ran.seconds;
      const stateBytesAKey =
        step === "destroy" || ran.stateBytes === undefined ? undefined : ran.stateBytes / count;
      figures[step] = { ...ran, stateBytesAKey, requests: served.requests, serviceBusy };
    }
  } finally {
    await close();
    await service.close();
  }
  return figures;
}

interface Prepared {
  run(step: Step): Promise<Ran>;
  close(): Promise<void>;
}

async function prepare(
  { work }: Contender,
  count: number,
  env: Environment,
  { compiled, root }: Bench,
): Promise<Prepared> {
  if (work.kind === "network") {
    const { path: dir, remove } = await makeWorkFolder("bench", "network");
    return {
      async run(step) {
        const order: NetworkOrder = { step, count, inFlight: work.inFlight, dir };
        const { spent } = await runChild(join(compiled, "networkProcess.js"), order, {
          ...process.env,
          ...env,
        });
        return {
          ...spent,
          ...{
            hostPeakMiB: undefined,
            enginePeakMiB: undefined,
            stateBytes: undefined,
            writtenBytes: undefined,
          },
        };
      },
      close: remove,
    };
  }
  const { program, plugin, package: other } = work;
  const site = await openSite({ root, compiled, program, plugin, package: other, env });
  return {
    async run(step) {
      const { dir, projectName, program, declares } = site;
      const order: EngineOrder = { step, count, root, dir, projectName, program, declares };
      const { spent, ...peaks } = await runChild(
        join(compiled, "engineProcess.js"),
        order,
        site.env,
        work.host,
      );
      return { ...spent, ...peaks, stateBytes: await site.stateBytes() };
    },
    close: site.remove,
  };
}

async function runChild(script: string, order: EngineOrder | NetworkOrder, env: Environment, host?: RegExp) {
  const child = fork(script, [JSON.stringify(order)], { env: { ...env }, execArgv: [], silent: true });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  let spent: Spent | undefined;
  child.once("message", (message: Spent) => {
    spent = message;
  });
  const watches = (host === undefined ? [] : [host, engine]).map((one) => watchPeak(child.pid ?? 0, one));
  const [code] = await once(child, "close");
  const [hostPeakMiB, enginePeakMiB] = watches.map((watch) => watch.stop());
  if (spent === undefined)
    throw new Error(`${order.step} of ${order.count} keys fails (${code}):\n${printed}`);
  return { spent, hostPeakMiB, enginePeakMiB };
}

/** A contender that did less than the others would win for it. */
function expectDone(id: string, step: Step, count: number, { keys, keysWithUpdate, failed }: Served): void {
  const wanted = step === "destroy" ? 0 : count;
  const changed = step === "update" ? count : step === "updateOne" ? count - 1 : 0;
  if (keys === wanted && keysWithUpdate === changed && failed === 0) return;
  throw new Error(
    `${id}: after ${step} the service has ${keys} keys, ${keysWithUpdate} of them changed, and refused ${failed} requests`,
  );
}
