/** `npm run demo`: the whole life of a key, on the real engine and the stand-in, an in-memory fake of the service. */
import { runDemo } from "./demo/run";

const interruption = new AbortController();
let interruptedAt = 0;

/** The first interrupt lets the running command end. The second one ends the demo at once. */
function interrupt(signal: NodeJS.Signals) {
  interruptedAt ||= Date.now();
  // npm passes on the signal that the terminal has sent us already, so two signals at the same moment count as one.
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
    else console.log("\nInterrupted. The stand-in has stopped, and the folder of this run is removed.");
    process.exit(interruption.signal.aborted ? 130 : 1);
  },
);
