import { access, cp, readdir, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { execute } from "./command";
import { checkout, makeWorkFolder } from "./folders";

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
