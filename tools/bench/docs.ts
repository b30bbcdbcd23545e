import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "../engine/folders";
import { type Medians, mediansOf } from "./figures";
import { machineLine } from "./machine";
import { countsOf, type Report, roundsOf } from "./report";
import type { Step } from "./steps";
import { asMarkdown, type Grid, shown, thousands } from "./table";

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
  updateOne: "update of one",
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
