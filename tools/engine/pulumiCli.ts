import { constants } from "node:fs";
import {
  access,
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { type Environment, execute } from "./command";
import { checkout, makeWorkFolder } from "./project";

export interface PulumiCli {
  /** `root/bin` contains `pulumi`; the shim `pulumi-resource-pulumi-nodejs` is there too, or on PATH. */
  readonly root: string;
  /** Such as `3.274.1`. */
  readonly version: string;
}

const ways: readonly { name?: string; look: (search: Search) => Promise<Found> }[] = [
  { name: "PATH", look: onPath },
  { name: "the cache of the npm package `pulumi`", look: inNpmCache },
  // An existing build makes another download unnecessary.
  { look: builtBefore },
  { name: "the download of the npm package `pulumi`", look: downloadThroughNpm },
  { name: "a build from Go modules", look: buildFromGoModules },
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
export async function findPulumi(options: Partial<Search> = {}): Promise<PulumiCli> {
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const search: Search = { env: process.env, report, ...options };
  const reasons: string[] = [];
  for (const { name, look } of ways) {
    const found = await look(search);
    if ("root" in found) return found;
    if (name !== undefined) reasons.push(`  ${reasons.length + 1}. ${name}: ${found.why}`);
  }
  const advice =
    "Make one of them work; the simplest is to install the CLI: https://www.pulumi.com/docs/install/";
  throw new Error(["No Pulumi CLI found. Tried:", ...reasons, advice].join("\n"));
}

/** The environment in which a Pulumi CLI is searched for. */
interface Search {
  readonly env: Environment;
  /** Receives a line of progress. */
  readonly report: (line: string) => void;
}

/** The result of one way to find a CLI: the CLI in `root/bin`, or why there is none. */
type Found = PulumiCli | { readonly why: string };

/** The part of the Node.js language support that starts dynamic providers. */
const shim = "pulumi-resource-pulumi-nodejs";

/** The newest version that a command in the docs needs (docs/upgrading.md). Most tests would pass with an older one. */
export const oldestCli = "3.254.0";

/** A `pulumi` on PATH, recent enough, in a folder named bin, with the shim beside it or on PATH as well. */
async function onPath({ env }: Search): Promise<Found> {
  const folders = foldersOnPath(env);
  const hasCli = await Promise.all(folders.map((folder) => isExecutable(join(folder, "pulumi"))));
  const having = folders.filter((_, place) => hasCli[place]);
  return firstUsable(having, env, "there is no pulumi on it");
}

function foldersOnPath(env: Environment): readonly string[] {
  return (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
}

/** The newest usable version in the cache of the npm package `pulumi`, which Automation API shares. */
async function inNpmCache({ env }: Search): Promise<Found> {
  const versions = join(env["PULUMI_HOME"] || join(env["HOME"] || homedir(), ".pulumi"), "versions");
  const names = (await readdir(versions).catch(() => [])).filter((name) => numbers(name) !== undefined);
  const folders = names
    .sort((one, other) => byVersion(other, one))
    .map((name) => join(versions, name, "bin"));
  return firstUsable(folders, env, `there is none in ${versions}`);
}

async function firstUsable(folders: readonly string[], env: Environment, none: string): Promise<Found> {
  const why: string[] = [];
  for (const folder of folders) {
    const found = await usable(folder, env);
    if ("root" in found) return found;
    why.push(found.why);
  }
  return { why: why.join("; ") || none };
}

/** The CLI in a folder, or why it can't be used. */
async function usable(folder: string, env: Environment): Promise<Found> {
  const command = join(folder, "pulumi");
  if (!(await isExecutable(command))) return { why: `${command} is missing or can't be run` };
  if (basename(folder) !== "bin") return { why: `${command} is not in a folder named bin` };
  // Checked before its version, because a `pulumi` without the shim may be the npm package's own launcher, which would
  // start a download.
  const places = [folder, ...foldersOnPath(env)];
  const shims = await Promise.all(places.map((each) => isExecutable(join(each, shim))));
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

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The last line that is not empty, where command line tools put the reason. */
function lastLine(text: string): string {
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

const limitMs = 180_000;

/** Lets the npm package `pulumi` download the CLI into its cache, which it does on its first run. */
async function downloadThroughNpm(search: Search): Promise<Found> {
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

const oldestGo = [1, 26] as const;
const sdk = "github.com/pulumi/pulumi/sdk/v3";
const main = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";

/** The Go module that pins the versions of what is built. */
export const moduleFolder = join(checkout, "tools/go");

/** The version of the CLI that go.mod pins, such as `v3.274.1`. */
async function pinnedVersion(): Promise<string> {
  const text = await readFile(join(moduleFolder, "go.mod"), "utf8");
  const version = /github\.com\/pulumi\/pulumi\/pkg\/v3 (v\S+)/.exec(text)?.[1];
  if (version === undefined) throw new Error(`go.mod in ${moduleFolder} does not require pulumi/pkg/v3`);
  return version;
}

/** The CLI that an earlier run built into the user's cache folder. */
async function builtBefore({ env }: Search): Promise<Found> {
  return usable(join(await place(env), "bin"), env);
}

/** Builds the CLI and its shim from Go modules, and keeps them in the user's cache folder. */
async function buildFromGoModules(search: Search): Promise<Found> {
  const { env, report } = search;
  const [version, target] = [await pinnedVersion(), await place(env)];
  const goEnv = { ...env, GOWORK: "off" };
  const noGo = await whyNoGo(goEnv);
  if (noGo !== undefined) return { why: noGo };

  await mkdir(dirname(target), { recursive: true });
  // Built beside its final folder and then renamed, so that it is never seen unfinished. Two builds at once only cost time.
  const building = await mkdtemp(`${target}.building-`);
  const started = Date.now();
  report(`Building the Pulumi CLI ${version} from its Go modules, once (about 4 minutes) …`);
  try {
    const failure = await build(version, join(building, "bin"), goEnv);
    if (failure !== undefined) return { why: failure };
    const found = await usable(join(building, "bin"), env);
    if ("why" in found) return found;
    // Another build at the same time may have been quicker.
    await rename(building, target).catch(() => {});
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  report(`… built in ${Math.round((Date.now() - started) / 1000)} s, kept in ${target}`);
  return builtBefore(search);
}

async function build(version: string, bin: string, env: Environment): Promise<string | undefined> {
  await mkdir(bin, { recursive: true });
  const flags = `-s -w -X ${sdk}/go/common/version.Version=${version}`;
  const args = [
    "build",
    "-mod=readonly",
    "-buildvcs=false",
    "-ldflags",
    flags,
    "-o",
    join(bin, "pulumi"),
    main,
  ];
  const built = await execute("go", args, { cwd: moduleFolder, env });
  if (built.code !== 0) return `go build fails: ${lastLine(built.stderr)}`;
  const listed = await execute("go", ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", sdk], {
    cwd: moduleFolder,
    env,
  });
  if (listed.code !== 0) return `go list fails: ${lastLine(listed.stderr)}`;
  await copyFile(join(listed.stdout.trim(), "nodejs", "dist", shim), join(bin, shim));
  // The module cache keeps its files read-only and not executable.
  await chmod(join(bin, shim), 0o755);
  return undefined;
}

/** Why nothing can be built from Go modules; `undefined` if it can. */
export async function whyNoGo(env: Environment): Promise<string | undefined> {
  const wanted = `Go ${oldestGo.join(".")} or newer is needed`;
  // Run in the module's folder, where Go may switch to the toolchain that go.mod asks for.
  const answer = await execute("go", ["env", "GOVERSION"], { cwd: moduleFolder, env });
  if (answer.code === null) return `there is no go on PATH (${wanted})`;
  if (answer.code !== 0) return `${lastLine(answer.stderr)} (${wanted})`;
  const [, major = 0, minor = 0] = /^go(\d+)\.(\d+)/.exec(answer.stdout)?.map(Number) ?? [];
  const recent = major > oldestGo[0] || (major === oldestGo[0] && minor >= oldestGo[1]);
  return recent ? undefined : `${answer.stdout.trim()} is on PATH (${wanted})`;
}

async function place(env: Environment): Promise<string> {
  const cache = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  const name = `pulumi-${await pinnedVersion()}-${process.platform}-${process.arch}`;
  return join(cache, "pulumi-apikeys", name);
}

const languageHost = "pulumi-language-nodejs";
let made: Promise<string> | undefined;

/**
 * The folder of a CLI that runs Node.js programs as a user's does; it must come first on PATH. A CLI that was built from
 * its Go modules lacks the language host, and gets the tests' own.
 */
export function userCli(): Promise<string> {
  made ??= makeUserCli();
  return made;
}

async function makeUserCli(): Promise<string> {
  const bin = join((await pulumiCli()).root, "bin");
  if (await isExecutable(join(bin, languageHost))) return bin;
  const { path } = await makeWorkFolder("cli", "bin");
  // The CLI warns if its language host is not beside it, and it resolves symbolic links to find its own folder.
  for (const file of ["pulumi", shim])
    await link(join(bin, file), join(path, file)).catch(() => copyFile(join(bin, file), join(path, file)));
  await symlink(join(checkout, "test", "engine", "nodeLanguageHost", languageHost), join(path, languageHost));
  return path;
}
