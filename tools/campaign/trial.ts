import { inspect } from "node:util";
import { type Column, columns, type Finding } from "./findings";
import { startInPlugin } from "./inPlugin";
import { startInProcess } from "./inProcess";
import { judge } from "./judge";
import { type Players, play, type Trace } from "./play";
import { drawSchedule, type Extent } from "./schedule";

export type TierName = "process" | "plugin";

/** Where the schedules are played. */
interface Tier extends Players {
  /** This number at once keeps a processor busy while the others wait. */
  readonly atOnce: number;
  readonly extent: Extent;
}

const tiers: Readonly<Record<TierName, Tier>> = {
  /** Below the host and the engine, in the campaign's own process. */
  process: {
    ...{ start: startInProcess, interruptsAtOnce: true, closesOnCancel: false },
    ...{ atOnce: 32, extent: { steps: 6, interrupted: 20 } },
  },
  /** In the plugin, over gRPC. */
  plugin: {
    ...{ start: startInPlugin, interruptsAtOnce: false, closesOnCancel: true },
    ...{ atOnce: 4, extent: { steps: 3, interrupted: 40 } },
  },
};

/** The results of many schedules. */
export interface Tally {
  schedules: number;
  /** Faults that requests met, and interruptions and outages, each by its kind. */
  readonly injected: Record<string, number>;
  /** Events that were counted apart, by column and reason. */
  readonly apart: Record<string, number>;
  readonly violations: { readonly seed: number; readonly column: Column; readonly text: string }[];
}

/** Tries out seeds from the first on, several at a time: they mostly wait. One that can't be played stops no other. */
export async function tryOut(
  tierName: TierName,
  first: number,
  count: number,
  onTrace: (trace: Trace) => void = () => {},
): Promise<Tally> {
  const tally: Tally = { schedules: 0, injected: {}, apart: {}, violations: [] };
  const tier = tiers[tierName];
  let next = first;
  const work = async () => {
    while (next < first + count) {
      const seed = next++;
      const schedule = drawSchedule(seed, tier.extent);
      let findings: readonly Finding[];
      try {
        const trace = await play(schedule, tier);
        onTrace(trace);
        for (const kind of injectedInto(trace)) add(tally.injected, kind);
        findings = judge(trace);
      } catch (error) {
        findings = [{ column: "unplayed", what: inspect(error) }];
      }
      tally.schedules += 1;
      for (const { column, what, apart } of findings) {
        if (apart !== undefined) add(tally.apart, `${columns[column]}: ${apart}`);
        else {
          const text = `${columns[column]} (${schedule.variantName}): ${what}`;
          tally.violations.push({ seed, column, text });
        }
      }
    }
  };
  await Promise.all(Array.from({ length: tier.atOnce }, work));
  return tally;
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function injectedInto({ requests, commands, schedule }: Trace): readonly string[] {
  return [
    ...requests.flatMap(({ fault }) => fault ?? []),
    ...commands.flatMap(({ interruption }) => interruption ?? []),
    ...[...schedule.steps, schedule.ending].flatMap(({ outage }) => (outage === undefined ? [] : "outage")),
  ];
}
