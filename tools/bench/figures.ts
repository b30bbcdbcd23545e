import type { Step } from "./steps";

/** What is measured of one step. undefined: there is none, or this system does not tell. */
export interface Figures {
  readonly seconds: number;
  readonly cpuSeconds: number | undefined;
  readonly requests: number;
  readonly hostPeakMiB: number | undefined;
  readonly enginePeakMiB: number | undefined;
  readonly stateBytes: number | undefined;
  /** The whole state, shared out among the keys. */
  readonly stateBytesAKey: number | undefined;
  readonly writtenBytes: number | undefined;
  /** The share of the time in which the service's process was at work: near 1 it would be what is measured. */
  readonly serviceBusy: number;
}
export type Figure = keyof Figures;

export const figureTitles: Readonly<Record<Figure, string>> = {
  seconds: "wall time, s",
  cpuSeconds: "CPU time of the process tree, s",
  requests: "requests",
  hostPeakMiB: "peak memory of the provider host, MiB",
  enginePeakMiB: "peak memory of the engine, MiB",
  stateBytes: "state after it, kB",
  stateBytesAKey: "state a key, bytes",
  writtenBytes: "written by the backend, MB",
  serviceBusy: "share of the time in which the service worked",
};
export const figureNames = Object.keys(figureTitles) as readonly Figure[];

/** One contender's figures of one round. */
export interface Round {
  readonly contender: string;
  readonly count: number;
  readonly round: number;
  readonly figures: Readonly<Partial<Record<Step, Figures>>>;
}

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** Looks up medians over the rounds. */
export type Medians = (contender: string, count: number, step: Step, figure: Figure) => number | undefined;

export function mediansOf(rounds: readonly Round[]): Medians {
  return (contender, count, step, figure) =>
    median(
      rounds
        .filter((one) => one.contender === contender && one.count === count)
        .flatMap(({ figures }) => figures[step]?.[figure] ?? []),
    );
}
