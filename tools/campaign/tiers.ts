import type { Extent } from "./drawSchedule";
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
  readonly extent: Extent;
}
export type TierName = "process" | "host" | "engine";

export const tiers: Readonly<Record<TierName, Tier>> = {
  /** Below the host and the engine, in the campaign's own process. */
  process: {
    open: modelled(startInProcess, { inProcess: true }),
    atOnce: 32,
    extent: { steps: 6, interrupted: 20 },
  },
  /** In the host that the engine runs. */
  host: { open: modelled(startInHost), atOnce: 4, extent: { steps: 3, interrupted: 20 } },
  /** On the real engine. */
  engine: {
    open: openInEngine,
    // Programs run in this process, and find their credentials in its environment.
    atOnce: 1,
    // They are what differs most from the model.
    extent: { steps: 4, interrupted: 50 },
  },
};
