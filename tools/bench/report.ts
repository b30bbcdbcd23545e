import type { Contender } from "./contender";
import { type Figures, figureNames, mediansOf, type Round } from "./figures";
import type { Machine } from "./machine";
import type { Step } from "./steps";
import { asText, gridOf } from "./table";

/** All that one run found. */
export interface Report {
  readonly machine: Machine;
  readonly latencyMs: number;
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly rounds: readonly Round[];
}

/** The numbers of keys that were measured, in order. */
export function countsOf({ rounds }: Report): readonly number[] {
  return [...new Set(rounds.map(({ count }) => count))].sort((a, b) => a - b);
}

/** The tables, for a terminal. */
export function tables(report: Report): string {
  const shown = { ...report, medians: mediansOf(report.rounds) };
  return countsOf(report)
    .map((count) => asText(gridOf(count, shown)))
    .join("\n\n");
}

/** How many rounds were measured with N keys. A contender may have taken part in fewer. */
export function roundsOf({ rounds }: Report, count: number): number {
  return Math.max(0, ...rounds.filter((one) => one.count === count).map(({ round }) => round + 1));
}

/** For other programs: the machine, every round, and the medians. */
export function asJson(report: Report): string {
  const { machine, latencyMs, contenders, steps, rounds } = report;
  const find = mediansOf(rounds);
  const medians = countsOf(report).flatMap((count) =>
    contenders.map(({ id, title }) => ({
      ...{ contender: id, title, count },
      rounds: rounds.filter((one) => one.contender === id && one.count === count).length,
      figures: Object.fromEntries(
        steps.map((step) => [step, figuresOf((name) => find(id, count, step, name))]),
      ),
    })),
  );
  return `${JSON.stringify({ machine, latencyMs, medians, rounds }, undefined, 2)}\n`;
}

function figuresOf(find: (name: keyof Figures) => number | undefined) {
  return Object.fromEntries(figureNames.map((name) => [name, find(name)]));
}
