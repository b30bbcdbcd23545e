import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Environment, execute } from "../command";
import { checkout } from "../folders";
import { lastLine, shim, usable } from "./installed";
import type { Found, Search } from "./search";

const oldestGo = [1, 26] as const;
const sdk = "github.com/pulumi/pulumi/sdk/v3";
const main = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";

/** The Go module that pins the versions of what is built. */
export const moduleFolder = join(checkout, "tools/go");

/** The version of the CLI that go.mod pins, such as `v3.259.0`. */
export async function pinnedVersion(): Promise<string> {
  const text = await readFile(join(moduleFolder, "go.mod"), "utf8");
  const version = /github\.com\/pulumi\/pulumi\/pkg\/v3 (v\S+)/.exec(text)?.[1];
  if (version === undefined) throw new Error(`go.mod in ${moduleFolder} does not require pulumi/pkg/v3`);
  return version;
}

/** The CLI that an earlier run built into the user's cache folder. */
export async function builtBefore({ env }: Search): Promise<Found> {
  const kept = join(await place(env), "bin");
  return usable(kept, [kept], env);
}

/** Builds the CLI and its shim from Go modules, and keeps them in the user's cache folder. */
export async function buildFromGoModules(search: Search): Promise<Found> {
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
  const progress = setInterval(() => {
    report(`… building the Pulumi CLI, ${Math.round((Date.now() - started) / 1000)} s so far`);
  }, 15_000);
  try {
    const failure = await build(version, join(building, "bin"), goEnv);
    if (failure !== undefined) return { why: failure };
    const found = await usable(join(building, "bin"), [join(building, "bin")], env);
    if ("why" in found) return found;
    await rename(building, target).catch(async () => {
      // Either another build was first and works, or the folder is broken and is replaced.
      if ("root" in (await builtBefore(search))) return;
      await rm(target, { recursive: true, force: true });
      await rename(building, target);
    });
  } finally {
    clearInterval(progress);
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
