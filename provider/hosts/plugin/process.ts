/** The process of the plugin: how it learns that the run is canceled, and that nobody waits for its results. */
import { fstatSync } from "node:fs";
import { type OpenRun, openRun } from "../../core/run";
import { deserted, interrupted, leaveIfIdle, stopAndTell } from "../ending";

/** Time for an answer to leave the process. */
const answerMs = 20;

/**
 * The run of this process. Cancel closes it: the engine still takes results. SIGINT, SIGTERM and the end of stdin end it,
 * and the process with it as soon as no operation is under way.
 */
export function serveRun(warn: (message: string) => void): OpenRun {
  let answeredAt = 0;
  const run = openRun({
    onIdle: () => {
      answeredAt = performance.now();
      leaveIfIdle(run, 0);
    },
  });
  const end = (why: string) => {
    if (run.over.aborted) return;
    stopAndTell(run, why, warn);
    // Soon, because the CLI waits for this process at the end of each command.
    leaveIfIdle(run, 0, Math.max(1, answeredAt + answerMs - performance.now()));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(interrupted));
  // The engine holds the other end of a pipe, and keeps it open as long as it lives.
  if (!fstatSync(0).isCharacterDevice()) {
    process.stdin.on("end", () => end(deserted)).resume();
  }
  // A line for an engine that has exited must not end the process during its work.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return run;
}
