import type { Contender } from "./contender";
import { type Figure, figureNames, figureTitles, type Medians } from "./figures";
import { type Step, stepTitles } from "./steps";

/** Rows of cells, the first of them the heads. */
export type Grid = readonly (readonly string[])[];

export interface Shown {
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly medians: Medians;
}

/** All figures of N keys, contenders side by side. A figure that nobody has is left out. */
export function gridOf(count: number, { contenders, steps, medians }: Shown): Grid {
  const present = contenders.filter(({ id }) =>
    steps.some((step) => medians(id, count, step, "seconds") !== undefined),
  );
  const rows = figureNames.flatMap((figure) => {
    const lines = steps.map((step) => [
      `${figureTitles[figure]}: ${stepTitles[step]}`,
      ...present.map(({ id }) => shown(figure, medians(id, count, step, figure))),
    ]);
    return lines.filter(([, ...cells]) => cells.some((cell) => cell !== none));
  });
  return [[`N = ${thousands(count)}`, ...present.map(({ title }) => title)], ...rows];
}

const none = "–";

const shapes: Readonly<Record<Figure, (value: number) => string>> = {
  seconds: (value) => value.toFixed(2),
  cpuSeconds: (value) => value.toFixed(2),
  requests: (value) => thousands(Math.round(value)),
  hostPeakMiB: (value) => value.toFixed(0),
  enginePeakMiB: (value) => value.toFixed(0),
  stateBytes: (value) => (value / 1_000).toFixed(1),
  stateBytesAKey: (value) => thousands(Math.round(value)),
  writtenBytes: (value) => (value / 1_000_000).toFixed(1),
  serviceBusy: (value) => `${Math.round(value * 100)} %`,
};

export function shown(figure: Figure, value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? none : shapes[figure](value);
}

export function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** For a terminal: the first column to the left, the others to the right. */
export function asText(grid: Grid): string {
  const widths = (grid[0] ?? []).map((_, column) => Math.max(...grid.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return grid.map(line).join("\n");
}

export function asMarkdown(grid: Grid): string {
  const [head = [], ...rows] = grid;
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
