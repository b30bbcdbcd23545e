import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { descendants, type Environment, execute, shellEnvironment } from "../engine/command";
import { checkout, createProject, makeWorkFolder } from "../engine/project";
import { type Contender, hosts } from "./contenders";
import type { Step } from "./keys";
import { type EngineOrder, peakMiBIn, type Spent } from "./measured";
import type { Figures } from "./report";

const engine = /\/pulumi --non-interactive /;

/** The setting of all trials of a run. */
export interface Bench {
  readonly compiled: string;
  /** The folder in whose bin the CLI stands. */
  readonly root: string;
  readonly latencyMs: number;
  readonly steps: readonly Step[];
}

/** One contender's round: its steps one after another, on a service and a stack of its own. */
export async function tryOut(
  contender: Contender,
  count: number,
  bench: Bench,
): Promise<Partial<Record<Step, Figures>>> {
  const { compiled, root, latencyMs, steps } = bench;
  const service = await startService(compiled, latencyMs);
  const { env, stateBytes, remove, ...site } = await openSite(contender, bench, service.env);
  const figures: Partial<Record<Step, Figures>> = {};
  try {
    for (const step of steps) {
      await service.take();
      const order: EngineOrder = { step, count, root, ...site };
      const ran = await runStep(join(compiled, "engineProcess.js"), order, env, hosts[contender.runsIn]);
      const served = await service.take();
      expectDone(contender.id, step, count, served);
      const stateBytesAKey = step === "destroy" ? undefined : (await stateBytes()) / count;
      figures[step] = { ...ran, stateBytesAKey, requests: served.requests };
    }
  } finally {
    await remove();
    await service.close();
  }
  return figures;
}

async function runStep(script: string, order: EngineOrder, env: Environment, host: RegExp) {
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
  const watches = [host, engine].map((one) => watchPeak(child.pid ?? 0, one));
  const [code] = await once(child, "close");
  const [hostPeakMiB, enginePeakMiB] = watches.map((watch) => watch.stop());
  if (spent === undefined)
    throw new Error(`${order.step} of ${order.count} keys fails (${code}):\n${printed}`);
  return { ...spent, hostPeakMiB, enginePeakMiB };
}

/** A contender that did less than the others would win for it. */
function expectDone(id: string, step: Step, count: number, { keys, keysWithUpdate, failed }: Served): void {
  const wanted = step === "destroy" ? 0 : count;
  const changed = step === "update" ? count : 0;
  if (keys === wanted && keysWithUpdate === changed && failed === 0) return;
  throw new Error(
    `${id}: after ${step} the service has ${keys} keys, ${keysWithUpdate} of them changed, and refused ${failed} requests`,
  );
}

// The same for all, since it stands in every URN.
const projectName = "bench";

/** A project with an empty stack, of one contender and round. */
async function openSite(contender: Contender, { root, compiled }: Bench, env: Environment) {
  const { package: other, program: name, runsIn } = contender;
  const { dir, setHost, remove } = await createProject(projectName, { withPackage: other === undefined });
  if (other !== undefined) await cp(other, join(dir, "node_modules", "pulumi-apikeys"), { recursive: true });
  await setHost(runsIn);
  const program = join(dir, "index.js");
  const [source, declares = ""] = name.split("/");
  await cp(join(compiled, "programs", `${source}.js`), program);

  const [home, state, temporary] = [join(dir, ".home"), join(dir, ".state"), join(dir, ".tmp")];
  await Promise.all([home, state, temporary].map((folder) => mkdir(folder)));
  const whole: Environment = {
    ...shellEnvironment(checkout, [join(root, "bin")]),
    TMPDIR: temporary,
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...env,
  };
  const args = ["stack", "init", "dev", "--non-interactive"];
  const made = await execute(join(root, "bin", "pulumi"), args, { cwd: dir, env: whole });
  if (made.code !== 0) throw new Error(`pulumi stack init fails:\n${made.output}`);
  return {
    ...{ dir, projectName, program, declares, env: whole, remove },
    /** The size of the stack's state as the backend wrote it. */
    stateBytes: async () => (await stat(join(state, ".pulumi", "stacks", projectName, "dev.json"))).size,
  };
}
/** The requests since the service was asked last, and its keys. */
export interface Served {
  readonly requests: number;
  /** Answered with anything but 2xx. */
  readonly failed: number;
  readonly keys: number;
  /** Keys that grant the permission which the update adds. */
  readonly keysWithUpdate: number;
}

interface Service {
  /** The variables that point a provider to it. */
  readonly env: Readonly<Record<string, string>>;
  take(): Promise<Served>;
  close(): Promise<void>;
}

/** Starts the service, whose CPU time is none of the contenders'. */
async function startService(compiled: string, latencyMs: number): Promise<Service> {
  const child = fork(join(compiled, "serviceProcess.js"), [String(latencyMs)], { execArgv: [] });
  const [{ url, accessToken }] = await once(child, "message");
  return {
    env: { APIKEYS_BASE_URL: url, APIKEYS_ACCESS_TOKEN: accessToken },
    async take() {
      const answer = once(child, "message");
      child.send("take");
      return (await answer)[0];
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

const everyMs = 10;

/**
 * The peak memory of a process below `root`, such as a provider host, which lives only as long as its command. The
 * kernel keeps the peak itself (VmHWM), so looking now and then misses no more than what it grows by in the last
 * hundredth of a second: a whole destroy may take no more than a tenth.
 */
function watchPeak(root: number, host: RegExp): { stop(): number | undefined } {
  if (!existsSync("/proc/self/status")) return { stop: () => undefined };
  const peaks = new Map<number, number>();
  const hosts = new Set<number>();
  let looks = 0;
  const look = () => {
    // Going through all processes costs more than looking at a known one.
    if (looks++ % (hosts.size === 0 ? 10 : 100) === 0) {
      for (const { pid, args } of descendants(root)) if (isHost(args, host)) hosts.add(pid);
    }
    for (const pid of hosts) {
      const peak = peakOf(pid);
      if (peak !== undefined) peaks.set(pid, peak);
    }
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peaks.size === 0 ? undefined : Math.max(...peaks.values());
    },
  };
}

/** The shim that starts the dynamic host looks for its script first, in a process that names it too. */
function isHost(args: string, host: RegExp): boolean {
  return host.test(args) && !/ -e /.test(args);
}

function peakOf(pid: number): number | undefined {
  try {
    return peakMiBIn(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return undefined;
  }
}

/** Compiles what the measured processes run, so that none of them needs a loader. Gives the folder of this folder. */
export async function compile(): Promise<string> {
  const { path } = await makeWorkFolder("bench", "compiled");
  const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", join(__dirname, "tsconfig.json"), "--outDir", path];
  const result = await execute(process.execPath, args, { cwd: checkout });
  if (result.code !== 0) throw new Error(`the measured programs can't be compiled:\n${result.output}`);
  return join(path, "tools", "bench");
}
