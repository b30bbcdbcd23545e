import { setTimeout as pause } from "node:timers/promises";
import { type StandIn, type StandInOptions, startStandIn } from "../../standin";

/** Below the ports that systems give to whoever asks for any: nobody gets one while its service is down. */
const range = { from: 10_000, blocks: 40, size: 500 };
const block = range.from + (process.pid % range.blocks) * range.size;
let next = 0;

/** A stand-in that can stop and start again beside many others. */
export async function startOnOwnPort(options: StandInOptions): Promise<StandIn> {
  for (let tries = 0; tries < range.size; tries += 1) {
    next = (next + 1) % range.size;
    try {
      return await startStandIn({ ...options, port: block + next });
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error("no port is free");
}

/** Another process may have the port for a while all the same. */
export async function startAgain(standIn: StandIn): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await standIn.start();
    } catch (error) {
      if (!isTaken(error) || tries === 300) throw error;
      await pause(100);
    }
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
}
