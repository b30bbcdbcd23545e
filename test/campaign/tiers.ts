import type { StartActor } from "./actor";
import { startInHost } from "./inHost";
import { startInProcess } from "./inProcess";

/** Where the schedules are played. */
export interface Tier {
  readonly start: StartActor;
  /** So many at once keep a processor busy while the others wait. */
  readonly atOnce: number;
  /** So many steps has a schedule at most. */
  readonly steps: number;
}
export type TierName = "process" | "host";

export const tiers: Readonly<Record<TierName, Tier>> = {
  /** Below the door and the engine, in the campaign's own process. */
  process: { start: startInProcess, atOnce: 32, steps: 6 },
  /** In the host that the engine runs, one for each command. */
  host: { start: startInHost, atOnce: 4, steps: 3 },
};
