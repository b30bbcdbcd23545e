import { lastWords, redEnd, untroubled } from "./convergence";
import { drawSchedule } from "./drawSchedule";
import type { OpenEngine } from "./engine";
import type { Finding } from "./findings";
import type { Foreigner } from "./foreigner";
import { judge } from "./judge";
import { play } from "./play";
import type { Tier } from "./tiers";
import type { Trace } from "./trace";

/** What one schedule came to. */
export interface Trial {
  readonly seed: number;
  readonly variant: string;
  readonly findings: readonly Finding[];
  /** Faults that requests met, and interruptions and outages, each by its kind. */
  readonly injected: Readonly<Record<string, number>>;
}

export async function tryOut(
  seed: number,
  { open, extent }: Tier,
  foreigner: Foreigner,
  onTrace: (trace: Trace) => void = () => {},
): Promise<Trial> {
  const schedule = drawSchedule(seed, foreigner.urlFor(seed), extent);
  const trace = await play(schedule, open, () => foreigner.visits(seed));
  onTrace(trace);
  const findings = [...judge(trace), ...(await stuck(trace, open))];
  return { seed, variant: schedule.variantName, findings, injected: injectedInto(trace) };
}

/** A schedule of which nothing is known but why. */
export function unplayed(seed: number, what: string): Trial {
  return { seed, variant: "any service", findings: [{ column: "unplayed", what }], injected: {} };
}

/** Reports a stack that never became stable, unless the same schedule without faults doesn't either. */
async function stuck(trace: Trace, open: OpenEngine): Promise<readonly Finding[]> {
  if (trace.converged) return [];
  const reason = redEnd(trace);
  const what = lastWords(trace);
  if (reason !== undefined) return [{ column: "stuck", what, apart: reason }];
  const plain = await play(untroubled(trace.schedule), open, () => 0);
  if (plain.converged) return [{ column: "stuck", what }];
  return [{ column: "stuck", what, apart: "the same without any fault" }];
}

function injectedInto({ requests, commands, schedule }: Trace): Record<string, number> {
  const kinds = [
    ...requests.flatMap(({ fault }) => fault ?? []),
    ...commands.flatMap(({ interruption }) => interruption ?? []),
    ...commands.flatMap(({ checkpointLost }) =>
      checkpointLost ? "engineKilled, and the engine's checkpoint was lost" : [],
    ),
    ...[...schedule.steps, schedule.ending].flatMap(({ outage }) => (outage === undefined ? [] : "outage")),
  ];
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
