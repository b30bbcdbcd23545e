import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "../../tools/engine/outcome";
import { descendants, isRunning } from "../../tools/engine/processes";
import type { EngineStack } from "../../tools/engine/stack";

const hostScript = /cmd\/dynamic-provider|pulumi-resource-apikeys/;
/** A host whose engine is gone takes its leave within seconds. */
const leaveMs = 60_000;
/** Within such a time any other host has done its work too. */
const idleMs = 10_000;

/** The command under way that is to be ended before its time. */
interface Target {
  readonly pid: number;
  /** What it has printed so far. */
  printed(): string;
  hasEnded(): boolean;
}

/** How a command is ended. */
export type Ending = "ctrlC" | "sigterm" | "twoCtrlC" | "engineKilled" | "hostKilled";

/**
 * Runs an up and ends it in this way at a moment. After a killed engine or a second Ctrl-C, the provider's hosts have ended
 * too. `secondsToEnd`: how long the command went on after its first signal.
 */
export async function upCutShort(
  stack: EngineStack,
  ending: Ending,
  moment: Promise<unknown>,
): Promise<Outcome & { readonly secondsToEnd: number }> {
  let [pid, printed, ended, cutAt] = [0, "", false, 0];
  const hear = (text: string) => {
    printed += text;
  };
  const cutting = moment.then(() => {
    cutAt = performance.now();
    return cutShort(ending, { pid, printed: () => printed, hasEnded: () => ended });
  });
  // It may fail before the command ends, which is when it is waited for.
  cutting.catch(() => {});
  const onStart = (started: number) => {
    pid = started;
  };
  const outcome = await stack.up({ onStart, onOutput: hear, onError: hear });
  ended = true;
  const secondsToEnd = (performance.now() - cutAt) / 1_000;
  if (cutAt === 0) throw new Error(`it was not ended:\n${outcome.output}`);
  await cutting;
  return { ...outcome, secondsToEnd };
}

/** Settles when the signals are sent and the provider's hosts have ended. */
async function cutShort(kind: Ending, target: Target): Promise<void> {
  const hosts = descendants(target.pid)
    .filter(({ args }) => hostScript.test(args))
    .map(({ pid }) => pid);
  switch (kind) {
    case "ctrlC":
      return send(target.pid, "SIGINT");
    case "sigterm":
      return send(target.pid, "SIGTERM");
    case "twoCtrlC":
      send(target.pid, "SIGINT");
      await until(() => target.hasEnded() || target.printed().includes("press ^C again"));
      if (!target.hasEnded()) send(target.pid, "SIGINT");
      break;
    case "engineKilled":
      send(target.pid, "SIGKILL");
      break;
    case "hostKilled":
      for (const host of hosts) send(host, "SIGKILL");
      break;
  }
  await endOf(hosts);
}

/**
 * An up that refreshes may have a second host that was asked for nothing yet: it has not loaded the provider, so that
 * nothing in it notices that its engine is gone.
 */
async function endOf(hosts: readonly number[]): Promise<void> {
  const left = () => hosts.filter((host) => isRunning(host, hostScript));
  await until(() => left().length < Math.max(1, hosts.length));
  for (const end = Date.now() + idleMs; left().length > 0 && Date.now() < end; ) await pause(20);
  for (const host of left()) send(host, "SIGKILL");
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + leaveMs; !isSo(); await pause(20)) {
    if (Date.now() > end) throw new Error("a process that was interrupted goes on");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
