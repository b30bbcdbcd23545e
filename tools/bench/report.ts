import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import type { PulumiCli } from "../engine/pulumiCli";
import type { Contender } from "./contenders";
import { type Step, stepTitles } from "./keys";

/** The figures of one step. undefined: there is none, or this system does not tell. */
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
function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

function countsOf({ rounds }: Report): readonly number[] {
  return [...new Set(rounds.map(({ count }) => count))];
}

/** The medians of each contender with a number of keys, over the rounds. */
function mediansOf({ contenders, steps, rounds }: Report, count: number) {
  return contenders.map(({ id, title }) => {
    const own = rounds.filter((one) => one.contender === id && one.count === count);
    const figures = steps.map((step) => {
      const ofStep = own.flatMap(({ figures }) => figures[step] ?? []);
      const names = Object.keys(ofStep[0] ?? {}) as (keyof Figures)[];
      const medians = names.map((name) => [name, median(ofStep.flatMap((one) => one[name] ?? []))] as const);
      return [step, Object.fromEntries(medians)] as const;
    });
    const byStep: Partial<Record<Step, Partial<Figures>>> = Object.fromEntries(figures);
    return { contender: id, title, count, rounds: own.length, figures: byStep };
  });
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
  const { machine, latencyMs, rounds } = report;
  const medians = countsOf(report).flatMap((count) => mediansOf(report, count));
  return `${JSON.stringify({ machine, latencyMs, medians, rounds }, undefined, 2)}\n`;
}

/** A table for each number of keys, with a contender in each row. */
export function tables(report: Report): string {
  const { steps } = report;
  const tableOf = (count: number) => {
    const head = [
      `${thousands(count)} keys`,
      ...steps.map((step) => stepTitles[step]),
      ...["CPU, first update", "requests", "memory, MiB", "state per key, bytes"],
    ];
    const rows = mediansOf(report, count).map(({ title, figures }) => {
      const peaks = steps.flatMap((step) => figures[step]?.hostPeakMiB ?? []);
      return [
        title,
        ...steps.map((step) => shown(figures[step]?.seconds, 2)),
        shown(figures.up?.cpuSeconds, 2),
        steps.map((step) => shown(figures[step]?.requests)).join("; "),
        // Of the step in which it is highest.
        shown(peaks.length === 0 ? undefined : Math.max(...peaks)),
        shown(figures.up?.stateBytesAKey),
      ];
    });
    const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
    return [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  };
  return countsOf(report).map(tableOf).join("\n\n");
}

function shown(value: number | undefined, digits = 0): string {
  if (value === undefined) return "–";
  return digits === 0 ? thousands(Math.round(value)) : value.toFixed(digits);
}

function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
