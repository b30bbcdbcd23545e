import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { checkout } from "../engine/project";
import type { PulumiCli } from "../engine/pulumiCli";
import { type Contender, contenders as published } from "./contenders";
import { type Step, stepTitles } from "./keys";

// ---- Figures -------------------------------------------------------------------------------------------------------

/** The measurements of one step. undefined: there is none, or this system can't measure it. */
export interface Figures {
  readonly seconds: number;
  /** Of the process tree. */
  readonly cpuSeconds: number | undefined;
  readonly requests: number;
  readonly hostPeakMiB: number | undefined;
  readonly enginePeakMiB: number | undefined;
  /** The whole state, shared out among the keys. */
  readonly stateBytesAKey: number | undefined;
  /** By the backend. */
  readonly writtenBytes: number | undefined;
}
type Figure = keyof Figures;

const figureNames: readonly Figure[] = [
  ...(["seconds", "cpuSeconds", "requests", "hostPeakMiB", "enginePeakMiB"] as const),
  ...(["stateBytesAKey", "writtenBytes"] as const),
];

/** One contender's figures of one round. */
export interface Round {
  readonly contender: string;
  readonly count: number;
  readonly round: number;
  readonly figures: Readonly<Partial<Record<Step, Figures>>>;
}

/** All that one run found. */
export interface Report {
  readonly machine: string;
  readonly latencyMs: number;
  readonly contenders: readonly Contender[];
  readonly steps: readonly Step[];
  readonly rounds: readonly Round[];
}

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** Looks up medians over the rounds. */
function mediansOf(rounds: readonly Round[]) {
  return (contender: string, count: number, step: Step, figure: Figure): number | undefined =>
    median(
      rounds
        .filter((one) => one.contender === contender && one.count === count)
        .flatMap(({ figures }) => figures[step]?.[figure] ?? []),
    );
}

/** The numbers of keys that were measured, in order. */
function countsOf({ rounds }: Report): readonly number[] {
  return [...new Set(rounds.map(({ count }) => count))].sort((a, b) => a - b);
}

/** Where the figures are of. */
export function machineOf({ version }: PulumiCli): string {
  const cpu = cpus()[0]?.model.trim() || "unknown";
  const memory = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const sdk = require("@pulumi/pulumi/package.json").version;
  return `${cpu}, ${memory}, ${type()} ${release()}, Node.js ${process.versions.node}, Pulumi CLI ${version}, @pulumi/pulumi ${sdk}`;
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
        steps.map((step) => [
          step,
          Object.fromEntries(figureNames.map((name) => [name, find(id, count, step, name)])),
        ]),
      ),
    })),
  );
  return `${JSON.stringify({ machine, latencyMs, medians, rounds }, undefined, 2)}\n`;
}

// ---- Tables --------------------------------------------------------------------------------------------------------

/** Rows of cells, the first of them the heads. */
type Grid = readonly (readonly string[])[];

/** The figures of N keys, a contender in each row. A step that nobody has is left out. */
function gridOf({ rounds, steps, contenders }: Report, count: number): Grid {
  const medians = mediansOf(rounds);
  const measured = contenders.filter(({ id }) =>
    steps.some((step) => medians(id, count, step, "seconds") !== undefined),
  );
  const timed = steps.filter((step) =>
    measured.some(({ id }) => medians(id, count, step, "seconds") !== undefined),
  );
  const head = [
    `${thousands(count)} keys`,
    ...timed.map((step) => stepTitles[step]),
    ...["CPU, first update", "requests", "memory, MiB", "state per key, bytes"],
  ];
  const body = measured.map(({ id, title }) => {
    const of = (step: Step, figure: Figure) => medians(id, count, step, figure);
    const peaks = timed.flatMap((step) => of(step, "hostPeakMiB") ?? []);
    return [
      title,
      ...timed.map((step) => shown(of(step, "seconds"), 2)),
      shown(of("up", "cpuSeconds"), 2),
      timed.map((step) => shown(of(step, "requests"))).join("; "),
      // Of the step in which it is highest.
      shown(peaks.length === 0 ? undefined : Math.max(...peaks)),
      shown(of("up", "stateBytesAKey")),
    ];
  });
  return [head, ...body];
}

function shown(value: number | undefined, digits = 0): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  return digits === 0 ? thousands(Math.round(value)) : value.toFixed(digits);
}

function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

function asMarkdown([head = [], ...rows]: Grid): string {
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** A table for each number of keys. */
export function tables(report: Report, counts = countsOf(report)): string {
  return counts.map((count) => asMarkdown(gridOf(report, count))).join("\n\n");
}

// ---- The page ------------------------------------------------------------------------------------------------------

const [begin, end] = ["<!-- figures -->", "<!-- end of figures -->"];

/** Puts the figures of 200 and 1,000 keys in the place of those before, and leaves the text around them. */
export async function writeDocs(report: Report): Promise<void> {
  const page = join(checkout, "docs", "performance.md");
  const counts = countsOf(report).filter((count) => count === 200 || count === 1_000);
  const rounds = counts.map((count) => {
    const ofCount = report.rounds.filter((one) => one.count === count);
    return `${Math.max(...ofCount.map(({ round }) => round + 1))} with ${thousands(count)} keys`;
  });
  const figures = `Machine: ${report.machine}. Rounds: ${rounds.join(", ")}.\n\n${tables({ ...report, contenders: published }, counts)}`;
  await writeFile(page, withFigures(await readFile(page, "utf8"), figures));
}

export function withFigures(page: string, figures: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the page lacks ${begin} or ${end}`);
  return `${before}${begin}\n\n${figures}\n\n${end}${after}`;
}
