import { execute } from "../command";
import { pinnedVersion } from "./build";
import { inNpmCache, lastLine } from "./installed";
import type { Found, Search } from "./search";

const limitMs = 180_000;

/** Lets the npm package `pulumi` download the CLI into its cache, which it does on its first run. */
export async function downloadThroughNpm(search: Search): Promise<Found> {
  const version = (await pinnedVersion()).slice(1);
  search.report(`Downloading the Pulumi CLI v${version} with the npm package \`pulumi\` …`);
  const args = [
    "exec",
    "--yes",
    "--fetch-retries=0",
    `--package=pulumi@${version}`,
    "--",
    "pulumi",
    "version",
  ];
  const answer = await execute("npm", args, { env: search.env, timeoutMs: limitMs });
  if (answer.code === 0) return inNpmCache(search);
  search.report("… it can't be downloaded here");
  return {
    why: answer.code === null ? `no end after ${limitMs / 1000} s, or no npm` : lastLine(answer.stderr),
  };
}
