import { inspect } from "node:util";
import type { StartActor } from "./actor";
import type { Finding, TierName } from "./findings";
import { startInPlugin } from "./inPlugin";
import { startInProcess } from "./inProcess";
import { judge } from "./judge";
import { play, type Trace } from "./play";
import { drawSchedule } from "./schedule";

/** `atOnce` schedules keep a processor busy while the others wait. */
const tiers: Readonly<Record<TierName, { readonly start: StartActor; readonly atOnce: number }>> = {
  process: { start: startInProcess, atOnce: 32 },
  plugin: { start: startInPlugin, atOnce: 4 },
};

/** The results of many schedules. */
export interface Tally {
  /** The kind of each fault that a request met, and of each interruption and outage. */
  readonly injected: readonly string[];
  readonly findings: readonly (Finding & { readonly seed: number; readonly variantName: string })[];
}

/** Tries out seeds from the first on, several at a time: they mostly wait. One that can't be played stops no other. */
export async function tryOut(
  tier: TierName,
  first: number,
  count: number,
  onTrace: (trace: Trace) => void = () => {},
): Promise<Tally> {
  const { start, atOnce } = tiers[tier];
  const injected: string[] = [];
  const findings: Tally["findings"][number][] = [];
  let next = first;
  const work = async () => {
    while (next < first + count) {
      const schedule = drawSchedule(next++);
      const { seed, variantName } = schedule;
      try {
        const trace = await play(schedule, start);
        onTrace(trace);
        injected.push(...injectedInto(trace));
        findings.push(...judge(trace, tier).map((finding) => ({ ...finding, seed, variantName })));
      } catch (error) {
        findings.push({ column: "unplayed", what: inspect(error), seed, variantName });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { injected, findings };
}

function injectedInto({ requests, commands, schedule }: Trace): readonly string[] {
  return [
    ...requests.flatMap(({ fault }) => fault ?? []),
    ...commands.flatMap(({ interruption }) => interruption ?? []),
    ...[...schedule.steps, schedule.ending].flatMap(({ outage }) => (outage === undefined ? [] : "outage")),
  ];
}
