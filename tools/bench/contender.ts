import type { Step } from "./steps";

/** Ours, or one that answers at once. */
export type PluginName = "apikeys" | "nothing";

/** How a contender does its work. */
type Work =
  | {
      readonly kind: "engine";
      /** A file of programs/, and one of its programs. */
      readonly program: `${string}/${string}`;
      /** In the command line of the process that serves its resources. */
      readonly host: RegExp;
      /** The plugin that serves them; absent: they are dynamic. */
      readonly plugin?: PluginName;
      /** The folder of the package to measure. Default: what this checkout has built. */
      readonly package?: string;
    }
  | { readonly kind: "network"; readonly inFlight: number };

/** One column of the tables. */
export interface Contender {
  /** Names it on the command line and in JSON. */
  readonly id: string;
  readonly title: string;
  readonly work: Work;
  /** Whether it asks the service, so that what the service holds afterwards shows that it did its work. */
  readonly asks: boolean;
  /** What there is to measure of it. */
  readonly steps: readonly Step[];
  /** Of so many rounds with N keys, how many it takes part in. */
  rounds(count: number, rounds: number): number;
}
