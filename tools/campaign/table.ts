import { type Column, columns } from "./findings";
import type { Tally } from "./tally";

/** The campaign's result as it is printed. */
export function table(tally: Tally, peakMegabytes: number): string {
  const rows: [string, string][] = [
    ["schedules run", String(tally.schedules)],
    ...sorted(tally.injected).map(([kind, times]): [string, string] => [`injected: ${kind}`, String(times)]),
    ...Object.entries(columns).flatMap(([column, title]): [string, string][] => [
      [title, String(tally.violations[column as Column])],
      ...sorted(tally.apart)
        .filter(([name]) => name.startsWith(`${title}: `))
        .map(([name, times]): [string, string] => [
          `  apart: ${name.slice(title.length + 2)}`,
          String(times),
        ]),
    ]),
    ["peak memory of one process", `${Math.ceil(peakMegabytes)} MB`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}
