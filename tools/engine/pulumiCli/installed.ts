import { constants } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { type Environment, execute } from "../command";
import type { Found, Search } from "./search";

/** The part of the Node.js language support that starts dynamic providers. */
export const shim = "pulumi-resource-pulumi-nodejs";

/** The newest version that a command in the docs needs (docs/upgrading.md). Most tests would pass with an older one. */
export const oldestCli = "3.254.0";

/** A `pulumi` on PATH, recent enough, in a folder named bin, with the shim beside it or on PATH as well. */
export async function onPath({ env }: Search): Promise<Found> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const why: string[] = [];
  for (const folder of folders) {
    if (!(await isExecutable(join(folder, "pulumi")))) continue;
    const found = await usable(folder, [folder, ...folders], env);
    if ("root" in found) return found;
    why.push(found.why);
  }
  return { why: why.length > 0 ? why.join("; ") : "there is no pulumi on it" };
}

/** The newest usable version in the cache of the npm package `pulumi`, which Automation API shares. */
export async function inNpmCache({ env }: Search): Promise<Found> {
  const versions = npmCache(env);
  const names = await readdir(versions).catch(() => []);
  const why: string[] = [];
  for (const name of names
    .filter((name) => numbers(name) !== undefined)
    .sort(byVersion)
    .reverse()) {
    const folder = join(versions, name, "bin");
    const found = await usable(folder, [folder], env);
    if ("root" in found) return found;
    why.push(found.why);
  }
  return { why: why.length > 0 ? why.join("; ") : `there is none in ${versions}` };
}

function npmCache(env: Environment): string {
  return join(env["PULUMI_HOME"] || join(env["HOME"] || homedir(), ".pulumi"), "versions");
}

/** The CLI in a folder, or why it can't be used. */
export async function usable(
  folder: string,
  foldersOfShim: readonly string[],
  env: Environment,
): Promise<Found> {
  const command = join(folder, "pulumi");
  if (!(await isExecutable(command))) return { why: `${command} is missing or can't be run` };
  if (basename(folder) !== "bin") return { why: `${command} is not in a folder named bin` };
  // Checked before its version, because a `pulumi` without the shim may be the npm package's own launcher, which would
  // start a download.
  const shims = await Promise.all(foldersOfShim.map((each) => isExecutable(join(each, shim))));
  if (!shims.includes(true)) return { why: `${command} has no ${shim} beside it or on PATH` };
  const answer = await execute(command, ["version"], {
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeoutMs: 30_000,
  });
  const version = numbers(answer.stdout);
  if (answer.code !== 0 || version === undefined) {
    return { why: `${command} version fails: ${lastLine(answer.stderr)}` };
  }
  const text = version.join(".");
  if (byVersion(text, oldestCli) < 0)
    return { why: `${command} is ${text}, and ${oldestCli} is the oldest that will do` };
  return { root: dirname(folder), version: text };
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The last line that is not empty, where command line tools put the reason. */
export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() || "no message";
}

function numbers(version: string): readonly number[] | undefined {
  return /^v?(\d+)\.(\d+)\.(\d+)/.exec(version.trim())?.slice(1).map(Number);
}

function byVersion(one: string, other: string): number {
  const [left = [], right = []] = [numbers(one), numbers(other)];
  const place = left.findIndex((number, index) => number !== right[index]);
  return place < 0 ? 0 : (left[place] ?? 0) - (right[place] ?? 0);
}
