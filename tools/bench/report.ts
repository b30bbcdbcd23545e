import type { Contender } from "./contender";
import { type Figures, figureNames, mediansOf, type Round } from "./figures";
import type { Machine } from "./machine";
import type { Memories, Memory } from "./memory";
import type { Start } from "./start";
import type { Step } from "./steps";
import { asText, type Grid, gridOf, thousands } from "./table";

/** All that one run found. */
export interface Report {
  readonly machine: Machine;
  readonly latencyMs: number;
  /** A line for each contender that can't be had. */
  readonly missing: readonly string[];
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly rounds: readonly Round[];
  readonly start: Start | undefined;
  readonly memory: Memories | undefined;
}

/** The numbers of keys that were measured, in order. */
export function countsOf({ rounds }: Report): readonly number[] {
  return [...new Set(rounds.map(({ count }) => count))].sort((a, b) => a - b);
}

/** The whole report, for a terminal. */
export function sections(report: Report): string {
  const shown = { ...report, medians: mediansOf(report.rounds) };
  const grids = [
    ...countsOf(report).map((count) => gridOf(count, shown)),
    startGrid(report.start),
    memoryGrid(report.memory),
  ];
  const tables = grids.filter((grid) => grid.length > 1).map(asText);
  return [...report.missing, ...tables].join("\n\n");
}

/** How many rounds were measured with N keys. A contender may have taken part in fewer. */
export function roundsOf({ rounds }: Report, count: number): number {
  return Math.max(0, ...rounds.filter((one) => one.count === count).map(({ round }) => round + 1));
}

function startGrid(start: Start | undefined): Grid {
  if (start === undefined) return [];
  const ms = (value: number) => value.toFixed(0);
  return [
    ["start of a process, ms", "without", "with ours", "ours adds"],
    [
      "provider host: evaluate the provider and check",
      ...[start.emptyHost, start.host, start.hostAdds].map(ms),
    ],
    ["program: load the SDK", ...[start.engineSdk, start.sdk, start.sdkAdds].map(ms)],
  ];
}

function memoryGrid(memory: Memories | undefined): Grid {
  if (memory === undefined) return [];
  const { ours, floor } = memory;
  const row = (title: string, all: readonly Memory[], value: (one: Memory) => string) => [
    title,
    ...all.map(value),
  ];
  const heap = ({ heapMiB }: Memory) => heapMiB.toFixed(1);
  const resident = ({ rssMiB }: Memory) => rssMiB.toFixed(0);
  return [
    row("memory of the provider host, MiB", ours, ({ reads }) => `after ${thousands(reads)} reads`),
    row("heap in use: pulumi-apikeys", ours, heap),
    row("heap in use: provider without I/O", floor, heap),
    row("resident: pulumi-apikeys", ours, resident),
    row("resident: provider without I/O", floor, resident),
  ];
}

/** For other programs: the machine, every round, and the medians. */
export function asJson(report: Report): string {
  const { machine, latencyMs, missing, contenders, steps, rounds, start, memory } = report;
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
  return `${JSON.stringify({ machine, latencyMs, missing, medians, start, memory, rounds }, undefined, 2)}\n`;
}

function figuresOf(find: (name: keyof Figures) => number | undefined) {
  return Object.fromEntries(figureNames.map((name) => [name, find(name)]));
}
