import type { Environment } from "../command";

/** What looking for a Pulumi CLI needs. */
export interface Search {
  readonly env: Environment;
  /** Takes one line of progress. */
  readonly report: (line: string) => void;
}

/** What one way to a Pulumi CLI leads to: the CLI in `root/bin`, or why there is none. */
export type Found = { readonly root: string; readonly version: string } | { readonly why: string };
