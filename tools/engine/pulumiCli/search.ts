import type { Environment } from "../command";

/** What a search for a Pulumi CLI needs. */
export interface Search {
  readonly env: Environment;
  /** Receives a line of progress. */
  readonly report: (line: string) => void;
}

/** The result of one way to find a CLI: the CLI in `root/bin`, or why there is none. */
export type Found = { readonly root: string; readonly version: string } | { readonly why: string };
