/** `npm run demo`: everything that the provider does for a key, on the real engine and a stand-in of the service. */
import { runDemo } from "./demo/run";

const interruption = new AbortController();
let interruptedAt = 0;

/** The command that runs may end first. Once more, and the demo ends at once. */
function interrupt(signal: NodeJS.Signals) {
  interruptedAt ||= Date.now();
  // npm passes on what the terminal has sent us already: twice in the same moment is once.
  if (Date.now() - interruptedAt > 1_000) process.exit(130);
  interruption.abort(new Error(`interrupted by ${signal}`));
}

process.on("SIGINT", interrupt);
process.on("SIGTERM", interrupt);

const color = process.stdout.isTTY === true && !process.env["NO_COLOR"];

runDemo({ color, signal: interruption.signal }).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  (error) => {
    if (!interruption.signal.aborted) console.error(error);
    else console.log("\nInterrupted. The stand-in has ended, and the folder of this run is removed.");
    process.exit(interruption.signal.aborted ? 130 : 1);
  },
);
