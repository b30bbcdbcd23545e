/** The provider's process, in either host: how it learns that nobody takes its results any more, and how it ends then. */
import { fstatSync } from "node:fs";
import { pauseFor } from "../client/send";
import { type OpenRun, openRun } from "../core/run";

/** The engine kills the process 5 s after its signal; operations under way must be reported before. */
export const tellAfterMs = 4_000;
/** Time for an answer to leave the process. */
const answerMs = 20;
/** Time for the last answer, and for what was printed, to leave a process whose run is over. */
const partingMs = 500;

/** The run of this process. SIGINT, SIGTERM and the end of stdin end it, and the process once nothing is under way. */
export function serveRun(warn: (message: string) => void): OpenRun {
  let idleSince = 0;
  const run = openRun(() => {
    idleSince = performance.now();
    leaveIfIdle(partingMs);
  });
  const isIdle = () => run.over.aborted && run.underWay.size === 0;
  // Later, because another operation may still begin, such as a delete.
  const leaveIfIdle = async (afterMs: number) => {
    if (isIdle()) await Promise.race([run.lastWords, pauseFor(1_000)]);
    if (isIdle()) setTimeout(() => isIdle() && process.exit(0), afterMs);
  };
  const tell = () => {
    for (const line of [...run.underWay].map((lineOf) => lineOf())) if (line !== undefined) warn(line);
  };
  run.over.addEventListener("abort", () => {
    setTimeout(tell, tellAfterMs).unref();
    // Soon, because the CLI waits for this process at the end of each command.
    leaveIfIdle(Math.max(1, idleSince + answerMs - performance.now()));
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => run.stop("the run was interrupted"));
  // The engine holds the other end of a pipe, and keeps it open as long as it lives.
  if (!fstatSync(0).isCharacterDevice())
    process.stdin.on("end", () => run.stop("the Pulumi engine exited")).resume();
  // A line for an engine that has exited must not end the process during its work.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on("error", () => {});
  return run;
}
