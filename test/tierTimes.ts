import type { Reporter, TestModule } from "vitest/node";

interface Tier {
  readonly began: number;
  ended: number;
  /** Files run at the same time, so their sum is more than the time from first to last. */
  filesMs: number;
  files: number;
  tests: number;
}

/** Prints at the end of a run how long each tier took. */
// biome-ignore lint/style/noDefaultExport: Vitest asks for it.
export default class TierTimes implements Reporter {
  readonly #began = new Map<string, number>();
  readonly #tiers = new Map<string, Tier>();

  onTestRunStart(): void {
    this.#began.clear();
    this.#tiers.clear();
  }

  onTestModuleQueued({ id, project }: TestModule): void {
    const now = Date.now();
    this.#began.set(id, now);
    if (this.#tiers.has(project.name)) return;
    this.#tiers.set(project.name, { began: now, ended: now, filesMs: 0, files: 0, tests: 0 });
  }

  onTestModuleEnd({ id, project, children }: TestModule): void {
    const tier = this.#tiers.get(project.name);
    if (tier === undefined) return;
    tier.ended = Date.now();
    tier.filesMs += tier.ended - (this.#began.get(id) ?? tier.ended);
    tier.files += 1;
    tier.tests += [...children.allTests()].length;
  }

  onTestRunEnd(): void {
    const lines = [...this.#tiers].map(([name, { began, ended, filesMs, files, tests }]) =>
      [
        name.padEnd(10),
        seconds(ended - began),
        seconds(filesMs),
        `${files}`.padStart(9),
        `${tests}`.padStart(9),
      ].join(""),
    );
    process.stdout.write(
      `\n${["tier".padEnd(10), "    took", " its files", "  files", "  tests"].join("")}\n${lines.join("\n")}\n`,
    );
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(10);
}
