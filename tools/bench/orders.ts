import type { Step } from "./steps";

/** What a measured process is told, as JSON on its command line. */
export interface EngineOrder {
  readonly step: Step;
  readonly count: number;
  /** The folder in whose bin the CLI stands. */
  readonly root: string;
  /** The user's project. */
  readonly dir: string;
  readonly projectName: string;
  /** The file, and what of it declares the keys. */
  readonly program: string;
  readonly declares: string;
}

export interface NetworkOrder {
  readonly step: Step;
  readonly count: number;
  readonly inFlight: number;
  /** Where the ids of the keys are kept from one step to the next. */
  readonly dir: string;
}

/** What a measured process tells of itself and of what it started. */
export interface Spent {
  readonly seconds: number;
  /** undefined on systems without /proc. */
  readonly cpuSeconds: number | undefined;
  /** undefined on systems without /proc. */
  readonly writtenBytes: number | undefined;
}

/** Does what this process was told, and tells what was spent. */
export function obey<Order>(run: (order: Order) => Promise<Spent>): void {
  run(JSON.parse(process.argv[2] ?? "")).then(
    (spent) => process.send?.(spent, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}
