import { type Column, columns } from "./findings";
import type { Trial } from "./trial";

/** What many trials came to. */
export interface Tally {
  schedules: number;
  readonly injected: Record<string, number>;
  /** Violations by column. */
  readonly violations: Record<Column, number>;
  /** What was counted apart, by column and reason. */
  readonly apart: Record<string, number>;
  /** For each violation a line that says where to find it. */
  readonly failures: { readonly seed: number; readonly text: string }[];
}

export function openTally(): Tally {
  const violations = Object.fromEntries(Object.keys(columns).map((column) => [column, 0]));
  return {
    schedules: 0,
    injected: {},
    violations: violations as Record<Column, number>,
    apart: {},
    failures: [],
  };
}

export function count(tally: Tally, { seed, variant, findings, injected }: Trial): void {
  tally.schedules += 1;
  for (const [kind, times] of Object.entries(injected)) add(tally.injected, kind, times);
  for (const { column, what, apart } of findings) {
    if (apart !== undefined) add(tally.apart, `${columns[column]}: ${apart}`, 1);
    else {
      tally.violations[column] += 1;
      tally.failures.push({ seed, text: `${columns[column]} (${variant}): ${what}` });
    }
  }
}

function add(counts: Record<string, number>, name: string, times: number): void {
  counts[name] = (counts[name] ?? 0) + times;
}

export function violationsIn({ violations }: Tally): number {
  return Object.values(violations).reduce((sum, times) => sum + times, 0);
}
