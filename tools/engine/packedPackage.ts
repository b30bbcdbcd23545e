import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { execute } from "./command";
import { checkout, makeWorkFolder } from "./folders";

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
