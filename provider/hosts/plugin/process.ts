/** The process of the plugin: how it learns that the run is cancelled, and that nobody waits for its results. */
import { fstatSync } from "node:fs";
import { type OpenRun, openRun } from "../../core/run";

/** The engine ends the process 5 s after its signal; what is not known by then must have been told. */
const tellAfterMs = 4_000;
/** For the answer to the engine, and what was written, to leave the process. */
const partingMs = 500;
const lastAnswerMs = 20;

/**
 * The run of this process. Cancel closes it: the engine still takes results. SIGINT, SIGTERM and the end of stdin end it,
 * and the process with it as soon as no operation is under way.
 */
export function serveRun(tell: (line: string) => void): OpenRun {
  const isIdle = () => run.signal.aborted && run.underWay === 0;
  const leaveIfIdle = () => {
    // A delete may have begun meanwhile.
    if (isIdle()) setTimeout(() => isIdle() && process.exit(0), partingMs);
  };
  const run = openRun({ onIdle: leaveIfIdle });
  const end = (why: string) => {
    if (run.signal.aborted) return;
    run.stop(why);
    // An answer may have left just now.
    if (run.underWay === 0) setTimeout(() => process.exit(0), lastAnswerMs);
    setTimeout(() => run.leftovers().forEach(tell), tellAfterMs).unref();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => end("the run was interrupted"));
  // The engine holds the other end of a pipe, and keeps it open as long as it lives.
  if (!fstatSync(0).isCharacterDevice()) {
    process.stdin.on("end", () => end("the Pulumi engine exited")).resume();
  }
  // A line for an engine that is gone must not end the process amid its work.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return run;
}
