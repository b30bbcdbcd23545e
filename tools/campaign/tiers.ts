import type { Extent } from "./drawSchedule";
import type { OpenEngine } from "./engine";
import { type EngineHost, inEngine } from "./inEngine";
import { startInHost } from "./inHost";
import { startInPlugin } from "./inPlugin";
import { startInProcess } from "./inProcess";
import { modelled } from "./modelled";

/** Where the schedules are played. */
export interface Tier {
  readonly open: OpenEngine;
  /** So many at once keep a processor busy while the others wait. */
  readonly atOnce: number;
  readonly extent: Extent;
}
export type TierName = "process" | "host" | "plugin" | "engine" | "plugin-engine";

export const tierNames: readonly TierName[] = ["process", "host", "plugin", "engine", "plugin-engine"];

export const tiers: Readonly<Record<TierName, Tier>> = {
  /** Below the host and the engine, in the campaign's own process. */
  process: {
    open: modelled(startInProcess, { inProcess: true }),
    atOnce: 32,
    extent: { steps: 6, interrupted: 20 },
  },
  /** In the host that the engine runs. */
  host: { open: modelled(startInHost), atOnce: 4, extent: { steps: 3, interrupted: 20 } },
  /** In the plugin, over gRPC. */
  plugin: {
    open: modelled(startInPlugin, { closesOnCancel: true }),
    atOnce: 4,
    extent: { steps: 3, interrupted: 40 },
  },
  /** On the real engine, with either host. */
  engine: onEngine("dynamic"),
  "plugin-engine": onEngine("plugin"),
};

function onEngine(host: EngineHost): Tier {
  return {
    open: inEngine(host),
    // Programs run in this process, and find their credentials in its environment.
    atOnce: 1,
    // They are what differs most from the model.
    extent: { steps: 4, interrupted: 50 },
  };
}
