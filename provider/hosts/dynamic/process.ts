/** The process in which Pulumi's dynamic-provider host runs: how it learns that nobody waits for its results. */
import { connect } from "node:net";
import { openRun, type Run } from "../../core/run";
import { deserted, interrupted, leaveIfIdle, stopAndTell } from "../ending";

const watchMs = 5_000;
const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * The run of this process. SIGINT and SIGTERM end it, and so does an engine whose address refuses connections. The
 * process then ends as soon as no operation is under way: at once if there is none, since the engine ends every run
 * with a SIGINT. In a process that is not the engine's host the run has no end.
 */
export function serveRun(warn: (message: string) => void): Run {
  const address = engineAddress(process.argv);
  if (address === undefined) return openRun();
  const leave = () => leaveIfIdle(run, 1);
  const run = openRun({
    ask: async () => ((await refuses(address)) ? deserted : undefined),
    onIdle: leave,
  });
  run.over.addEventListener("abort", leave);
  const onSignal = (signal: NodeJS.Signals) => {
    if (run.underWay === 0) {
      process.off(signal, onSignal);
      process.kill(process.pid, signal);
    } else if (!run.over.aborted) {
      stopAndTell(run, interrupted, warn);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  setInterval(() => void run.whyOver(), watchMs).unref();
  // A message for an engine that has exited must not end the process during its work.
  process.stderr.on("error", () => {});
  return run;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The host's one argument. Who else loads this has no engine. */
function engineAddress([, script = "", argument = ""]: readonly string[]): Address | undefined {
  const [, host, port] = /^(127\.0\.0\.1|localhost|\[::1\]):(\d+)$/.exec(argument) ?? [];
  if (host === undefined || !/[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(script)) return undefined;
  return { host: host.replace(/[[\]]/g, ""), port: Number(port) };
}

/** Only a refusal says that nobody is there. */
function refuses({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (refused: boolean) => {
      socket.destroy();
      resolve(refused);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.on("connect", () => settle(false));
    socket.on("error", (error: NodeJS.ErrnoException) => settle(error.code === "ECONNREFUSED"));
  });
}
