import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { checkout } from "../engine/folders";
import type { PulumiCli } from "../engine/pulumiCli";
import type { Contender } from "./contenders";
import { type Step, stepTitles } from "./keys";

/** All that one run found. */
export interface Report {
  readonly machine: Machine;
  readonly latencyMs: number;
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly rounds: readonly Round[];
}

/** The numbers of keys that were measured, in order. */
function countsOf({ rounds }: Report): readonly number[] {
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
function roundsOf({ rounds }: Report, count: number): number {
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

/** What is measured of one step. undefined: there is none, or this system does not tell. */
export interface Figures {
  readonly seconds: number;
  readonly cpuSeconds: number | undefined;
  readonly requests: number;
  readonly hostPeakMiB: number | undefined;
  readonly enginePeakMiB: number | undefined;
  /** The whole state, shared out among the keys. */
  readonly stateBytesAKey: number | undefined;
  readonly writtenBytes: number | undefined;
}
type Figure = keyof Figures;

const figureTitles: Readonly<Record<Figure, string>> = {
  seconds: "wall time, s",
  cpuSeconds: "CPU time of the process tree, s",
  requests: "requests",
  hostPeakMiB: "peak memory of the provider host, MiB",
  enginePeakMiB: "peak memory of the engine, MiB",
  stateBytesAKey: "state a key, bytes",
  writtenBytes: "written by the backend, MB",
};
const figureNames = Object.keys(figureTitles) as readonly Figure[];

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

/** Rows of cells, the first of them the heads. */
type Grid = readonly (readonly string[])[];

interface Shown {
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly medians: Medians;
}

/** All figures of N keys, contenders side by side. A figure that nobody has is left out. */
function gridOf(count: number, { contenders, steps, medians }: Shown): Grid {
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
  stateBytesAKey: (value) => thousands(Math.round(value)),
  writtenBytes: (value) => (value / 1_000_000).toFixed(1),
};

function shown(figure: Figure, value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? none : shapes[figure](value);
}

function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** For a terminal: the first column to the left, the others to the right. */
function asText(grid: Grid): string {
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

function asMarkdown(grid: Grid): string {
  const [head = [], ...rows] = grid;
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** Where the figures are of. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly pulumi: string;
  readonly sdk: string;
}

export function machine(cli: PulumiCli): Machine {
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
    pulumi: cli.version,
    sdk: require("@pulumi/pulumi/package.json").version,
  };
}

export function machineLine({ cpu, cores, memoryGiB, system, node, pulumi, sdk }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node.js ${node}, Pulumi CLI ${pulumi}, @pulumi/pulumi ${sdk}`;
}

const [begin, end] = ["<!-- figures -->", "<!-- end of figures -->"];

/** The rows of the page's tables. The other contenders are in the console's report alone. */
const rows = {
  ours: "single keys, dynamic",
  plugin: "single keys, plugin",
  apiKeySet: "one set, dynamic",
  pluginSet: "one set, plugin",
  taught: "dynamic provider as documented",
  pluginFloor: "floor: engine, single keys",
  pluginSetFloor: "floor: engine, one set",
  "network-16": "floor: requests",
} as const;

const stepHeads: Readonly<Record<Step, string>> = {
  up: "first update",
  noChange: "no changes",
  refresh: "refresh",
  update: "update of all",
  destroy: "destroy",
};

/** Puts the figures of a run in the place of those before, and leaves the text around them. */
export async function writeDocs(report: Report): Promise<void> {
  const page = join(checkout, "docs", "performance.md");
  await writeFile(page, withFigures(await readFile(page, "utf8"), figuresOfPage(report)));
}

export function withFigures(page: string, figures: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the page lacks ${begin} or ${end}`);
  return `${before}${begin}\n\n${figures}\n\n${end}${after}`;
}

/** A line about the machine, and a table for 200 and one for 1,000 keys. */
function figuresOfPage(report: Report): string {
  const counts = countsOf(report).filter((count) => count === 200 || count === 1_000);
  const rounds = counts.map((count) => `${roundsOf(report, count)} with ${thousands(count)} keys`);
  const tables = counts.map((count) => asMarkdown(gridOfPage(report, count)));
  return [`Machine: ${machineLine(report.machine)}. Rounds: ${rounds.join(", ")}.`, ...tables].join("\n\n");
}

function gridOfPage({ rounds, steps }: Report, count: number): Grid {
  const medians = mediansOf(rounds);
  const measured = Object.keys(rows).filter((id) => medians(id, count, "up", "seconds") !== undefined);
  const timed = steps.filter((step) =>
    measured.some((id) => medians(id, count, step, "seconds") !== undefined),
  );
  const head = [
    `${thousands(count)} keys`,
    ...timed.map((step) => stepHeads[step]),
    "CPU, first update",
    "requests",
    "memory, MiB",
    "state per key, bytes",
  ];
  const body = Object.entries(rows).flatMap(([id, title]) =>
    measured.includes(id)
      ? [
          [
            title,
            ...timed.map((step) => shown("seconds", medians(id, count, step, "seconds"))),
            shown("cpuSeconds", medians(id, count, "up", "cpuSeconds")),
            timed.map((step) => shown("requests", medians(id, count, step, "requests"))).join("; "),
            shown("hostPeakMiB", peakOf(medians, id, count, timed)),
            shown("stateBytesAKey", medians(id, count, "up", "stateBytesAKey")),
          ],
        ]
      : [],
  );
  return [head, ...body];
}

/** That of the step in which it is highest. */
function peakOf(medians: Medians, id: string, count: number, steps: readonly Step[]): number | undefined {
  const peaks = steps.flatMap((step) => medians(id, count, step, "hostPeakMiB") ?? []);
  return peaks.length === 0 ? undefined : Math.max(...peaks);
}
