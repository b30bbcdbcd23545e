import type { OpenEngine } from "./engine";
import { openInEngine } from "./inEngine";
import { startInHost } from "./inHost";
import { startInProcess } from "./inProcess";
import { modelled } from "./modelled";

/** Where the schedules are played. */
export interface Tier {
  readonly open: OpenEngine;
  /** So many at once keep a processor busy while the others wait. */
  readonly atOnce: number;
  /** So many steps has a schedule at most. */
  readonly steps: number;
}
export type TierName = "process" | "host" | "engine";

export const tiers: Readonly<Record<TierName, Tier>> = {
  /** Below the door and the engine, in the campaign's own process. */
  process: { open: modelled(startInProcess), atOnce: 32, steps: 6 },
  /** In the host that the engine runs, one for each command. */
  host: { open: modelled(startInHost), atOnce: 4, steps: 3 },
  /** On the real engine. */
  engine: {
    open: openInEngine,
    // Programs run in this process, and find their credentials in its environment.
    atOnce: 1,
    steps: 2,
  },
};
