import { type StandIn, type StandInOptions, startStandIn } from "../service";

/** Below the ports that systems give to whoever asks for any: nobody gets one while its service is down. */
const range = { from: 10_000, count: 20_000 };
let next = (process.pid * 617) % range.count;

/** A stand-in that can stop and start again beside many others. */
export async function startOnOwnPort(options: StandInOptions): Promise<StandIn> {
  for (let tries = 0; tries < 50; tries += 1) {
    next = (next + 1) % range.count;
    try {
      return await startStandIn({ ...options, port: range.from + next });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new Error("no port is free");
}
