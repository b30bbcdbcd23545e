import type { Environment } from "./command";
import { buildFromGoModules, builtBefore } from "./pulumiCli/build";
import { downloadThroughNpm } from "./pulumiCli/download";
import { inNpmCache, onPath } from "./pulumiCli/installed";
import type { Found, Search } from "./pulumiCli/search";

/** How a Pulumi CLI was found. */
type PulumiCliSource = "path" | "npm cache" | "npm download" | "built";

export interface PulumiCli {
  /** `root/bin` contains `pulumi`; the shim `pulumi-resource-pulumi-nodejs` is there too, or on PATH. */
  readonly root: string;
  /** Such as `3.259.0`. */
  readonly version: string;
  readonly how: PulumiCliSource;
}

export interface FindPulumiOptions {
  /** Default: `process.env`. */
  readonly env?: Environment;
  /** Receives a line of progress. Default: standard error. */
  readonly report?: (line: string) => void;
}

const ways: readonly { how: PulumiCliSource; name?: string; look: (search: Search) => Promise<Found> }[] = [
  { how: "path", name: "PATH", look: onPath },
  { how: "npm cache", name: "the cache of the npm package `pulumi`", look: inNpmCache },
  // An existing build makes another download unnecessary.
  { how: "built", look: builtBefore },
  { how: "npm download", name: "the download of the npm package `pulumi`", look: downloadThroughNpm },
  { how: "built", name: "a build from Go modules", look: buildFromGoModules },
];

let found: Promise<PulumiCli> | undefined;

/** The Pulumi CLI of this process, found once. */
export function pulumiCli(): Promise<PulumiCli> {
  found ??= findPulumi();
  return found;
}

/**
 * Finds a Pulumi CLI on PATH or in the cache of the npm package `pulumi`, downloads it, or builds it from Go modules, which
 * takes minutes once and is kept in the user's cache folder. If none of the four works, rejects with the four reasons.
 */
export async function findPulumi(options: FindPulumiOptions = {}): Promise<PulumiCli> {
  const search: Search = {
    env: options.env ?? process.env,
    report: options.report ?? ((line) => void process.stderr.write(`${line}\n`)),
  };
  const reasons: string[] = [];
  for (const { how, name, look } of ways) {
    const found = await look(search);
    if ("root" in found) return { ...found, how };
    if (name !== undefined) reasons.push(`  ${reasons.length + 1}. ${name}: ${found.why}`);
  }
  throw new Error(
    ["No Pulumi CLI found. Tried:", ...reasons]
      .concat(
        "Make one of them work; the simplest is to install the CLI: https://www.pulumi.com/docs/install/",
      )
      .join("\n"),
  );
}
