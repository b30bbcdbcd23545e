/** How the provider's process ends, in either host. */
import type { OpenRun } from "../core/run";

/** Why a run is over, as words to follow "because". */
export const interrupted = "the run was interrupted";
export const deserted = "the Pulumi engine exited";

/** The engine ends the process 5 s after its signal; open operations must be reported before. */
export const tellAfterMs = 4_000;
/** Time for the last answer and what was printed to leave the process. */
const partingMs = 500;

/** Stops the run, and reports in time what it would leave behind. */
export function stopAndTell(run: OpenRun, why: string, warn: (message: string) => void): void {
  run.stop(why);
  setTimeout(() => run.interruptLines().forEach(warn), tellAfterMs).unref();
}

/** Ends the process if its run is over and no operation is under way; one may still begin, such as a delete. */
export function leaveIfIdle(run: OpenRun, code: number, afterMs = partingMs): void {
  const isIdle = () => run.over.aborted && run.underWay === 0;
  if (isIdle()) setTimeout(() => isIdle() && process.exit(code), afterMs);
}
