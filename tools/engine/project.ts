import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { access, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join, sep } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { execute } from "./command";

/** The folder of this repository. */
export const checkout = join(__dirname, "..", "..");

/** The folder for everything that test runs write. Git ignores it. */
const work = join(checkout, ".work");

/**
 * Variables that only make processes faster: Node.js keeps compiled code for the next process, the host of dynamic
 * providers loads less, and the CLI collects garbage less often.
 */
export const quickly = {
  NODE_COMPILE_CACHE: join(work, "compiled"),
  NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, "deferred.cjs"))}`,
  GOGC: "400",
};

export interface WorkFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Creates a folder for this process alone, which is removed when the process ends at the latest. */
export async function makeWorkFolder(kind: string, name: string): Promise<WorkFolder> {
  const parent = join(work, kind);
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, `${name}-${process.pid}-`));
  const atExit = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", atExit);
  const remove = async () => {
    process.off("exit", atExit);
    await rm(path, { recursive: true, force: true });
  };
  return { path, remove };
}

/** A user's project: a folder with a program, and with the packed package in its node_modules. */
export interface Project {
  readonly name: string;
  readonly dir: string;
  /** Chooses where the provider runs from now on; Pulumi.yaml names the package's plugin, and other plugins with their paths. */
  setHost(host: Host, others?: Plugins): Promise<void>;
  /** Writes a file of the project, such as index.ts. */
  write(file: string, text: string): Promise<void>;
  /** Removes the folder, as the end of the process does. */
  remove(): Promise<void>;
}

/** Where the provider runs: in Pulumi's host of dynamic providers, or as the package's plugin. */
export type Host = "dynamic" | "plugin";

export interface ProjectOptions {
  /** A folder under examples/, whose files are copied. */
  readonly example?: string;
  /** Whether pulumi-apikeys is installed. Default: true. */
  readonly withPackage?: boolean;
}

/** Creates a project in a new folder. Other packages resolve from the checkout above it. */
export async function createProject(name: string, options: ProjectOptions = {}): Promise<Project> {
  const { path: dir, remove } = await makeWorkFolder("engine", name);
  const write = async (file: string, text: string) => writeFile(join(dir, file), text);
  if (options.example !== undefined) {
    await cp(join(checkout, "examples", options.example), dir, {
      recursive: true,
      filter: (source) => basename(source) !== "node_modules",
    });
  }
  // Without its own package.json, the project would belong to the package in the checkout, and the package's name would
  // resolve to the checkout. Without `main` in Pulumi.yaml, the host runs in this folder.
  await writeUnlessThere(join(dir, "package.json"), JSON.stringify({ name, private: true }));
  await writeUnlessThere(join(dir, "Pulumi.yaml"), `name: ${name}\nruntime: nodejs\n`);
  if (options.withPackage !== false) {
    // A real folder, because the host treats a symbolic link differently.
    const { folder } = await packedPackage();
    await cp(folder, join(dir, "node_modules", "pulumi-apikeys"), { recursive: true });
  }
  const setHost = (host: Host, others?: Plugins) => write("Pulumi.yaml", withPlugins(name, host, others));
  return { name, dir, setHost, write, remove };
}

type Plugins = Readonly<Record<string, string>>;

function withPlugins(name: string, host: Host, others: Plugins = {}): string {
  const plugins = Object.entries({ apikeys: "node_modules/pulumi-apikeys/plugin", ...others });
  const lines = plugins.map(([plugin, path]) => `    - name: ${plugin}\n      path: ${path}`);
  return `name: ${name}
runtime: nodejs
plugins:
  providers:
${lines.join("\n")}
config:
  apikeys:host:
    value: ${host}
`;
}

async function writeUnlessThere(file: string, text: string) {
  await access(file).catch(() => writeFile(file, text));
}

export interface PackedPackage {
  /** The file that `npm publish` would send. */
  readonly tarball: string;
  /** The unpacked tarball: the package's folder in a user's node_modules. */
  readonly folder: string;
}

/** Passes the folder from the process that packed the package to the test processes that it starts. */
const variable = "PACKED_PACKAGE_FOLDER";
let packed: Promise<PackedPackage> | undefined;

/** The package as users get it, packed once per test run from what `npm run build` has built. */
export function packedPackage(): Promise<PackedPackage> {
  const folder = process.env[variable];
  packed ??= folder === undefined ? pack() : unpackedIn(folder);
  return packed;
}

async function pack(): Promise<PackedPackage> {
  const built = await newest("dist");
  if (built === undefined) throw new Error("there is no dist to pack: run `npm run build` first");
  const sources = await Promise.all(["sdk", "provider", "standin", "cli"].map(newest));
  if (sources.some((source) => source !== undefined && source > built)) {
    process.stderr.write("dist is older than the sources, and it is what gets tested: run `npm run build`\n");
  }
  const { path: folder } = await makeWorkFolder("package", "packed");
  // The scripts would build again, and replace dist while others use it.
  await expectOk("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]);
  const made = await unpackedIn(folder);
  await expectOk("tar", ["-xzf", made.tarball, "-C", folder]);
  process.env[variable] = folder;
  return made;
}

/** `npm pack` puts the files of a package into a folder `package`. */
async function unpackedIn(folder: string): Promise<PackedPackage> {
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  return { tarball: join(folder, tarball), folder: join(folder, "package") };
}

async function newest(folder: string): Promise<number | undefined> {
  const path = join(checkout, folder);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"));
  const times = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).mtimeMs),
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

async function expectOk(command: string, args: readonly string[]) {
  const result = await execute(command, args, { cwd: checkout });
  if (result.code !== 0) throw new Error(`${command} ${args.join(" ")} fails:\n${result.output}`);
}

/**
 * The program in a project's index.ts, read again by each command, as the engine's own language host does. Its exports are
 * the stack's outputs; if it exports a function, that returns them.
 */
export function loadProgram(dir: string): PulumiFn {
  return async () => {
    await transpile(dir);
    // Only the project's own files are loaded again: a second @pulumi/pulumi would not be connected to the engine.
    const require = createRequire(join(dir, "index.js"));
    assertPacked(dir, require);
    const own = (file: string) =>
      file.startsWith(dir + sep) && !file.includes(`${sep}node_modules${sep}`, dir.length);
    for (const file of Object.keys(require.cache).filter(own)) delete require.cache[file];
    const exported = require(join(dir, "index.js"));
    return typeof exported === "function" ? exported() : { ...exported };
  };
}

/** A loader that follows the paths in tsconfig.json would load the sources instead of the packed package. */
function assertPacked(dir: string, require: NodeJS.Require) {
  const installed = join(dir, "node_modules", "pulumi-apikeys");
  if (!existsSync(installed)) return;
  const found = require.resolve("pulumi-apikeys");
  if (!found.startsWith(installed + sep))
    throw new Error(`the program would load ${found}, not ${installed}`);
}

async function transpile(dir: string) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const sources = entries
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => /(?<!\.d)\.ts$/.test(file) && !file.includes(`${sep}node_modules${sep}`, dir.length));
  // Not needed by most of what loads this module.
  const { ModuleKind, ScriptTarget, transpileModule } = await import("typescript");
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true };
  for (const source of sources) {
    const { outputText } = transpileModule(await readFile(source, "utf8"), {
      compilerOptions,
      fileName: source,
    });
    // Renamed into place, because another stack of the project may be loading the program right now.
    const written = `${source}.${randomUUID()}`;
    await writeFile(written, outputText);
    await rename(written, source.replace(/\.ts$/, ".js"));
  }
}
