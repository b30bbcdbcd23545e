import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const checkout = join(__dirname, "..", "..");
const sources = ["sdk", "provider", "tools/plugin", "package.json", "tsconfig.json", "tsconfig.build.json"];
const pluginScript = join("plugin", "pulumi-resource-apikeys");

/**
 * The folder of a project whose node_modules contains pulumi-apikeys as a user's does: a real folder, compiled. Built from
 * the sources as they are now, once for each state of them, so that these tests need no build beforehand.
 */
export async function projectWithPackage(): Promise<string> {
  const folder = join(checkout, ".work", "host");
  await mkdir(folder, { recursive: true });
  const project = join(folder, await fingerprint());
  if (await isThere(project)) return project;
  await removeOld(folder);
  const made = await mkdtemp(join(folder, `making-${process.pid}-`));
  await compile(join(made, "node_modules", "pulumi-apikeys"));
  // A package.json of its own, or the name would resolve to the checkout itself.
  await writeFile(join(made, "package.json"), JSON.stringify({ name: "project", private: true }));
  await putInPlace(made, project);
  return project;
}

async function compile(target: string): Promise<void> {
  const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
  // Only what the host loads. `npm run lint` checks types.
  const only = ["--noCheck", "--declaration", "false", "--declarationMap", "false", "--sourceMap", "false"];
  const args = [tsc, "-p", "tsconfig.build.json", ...only, "--outDir", join(target, "dist")];
  await Promise.all([
    promisify(execFile)(process.execPath, args, { cwd: checkout }),
    bundlePlugin(join(target, "plugin")),
  ]);
  for (const file of ["package.json", pluginScript]) await cp(join(checkout, file), join(target, file));
}

/** As `npm run build` does, into another folder. */
async function bundlePlugin(folder: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  const [command, ...args] = String(scripts["bundle:plugin"]).split(" ");
  const bin = join(checkout, "node_modules", ".bin", String(command));
  await promisify(execFile)(bin, [...args, folder], { cwd: checkout });
}

/** The executable that the engine starts. */
export async function installedPlugin(): Promise<string> {
  return join(await projectWithPackage(), "node_modules", "pulumi-apikeys", pluginScript);
}

/** If two processes build the same, the first one wins. */
async function putInPlace(made: string, project: string): Promise<void> {
  try {
    await rename(made, project);
  } catch (error) {
    if (!(await isThere(project))) throw error;
    await rm(made, { recursive: true, force: true });
  }
}

/** Removes what was built from earlier sources, except what is so recent that another run may still use it. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > 3_600_000) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function isThere(project: string): Promise<boolean> {
  return readFile(join(project, "package.json")).then(
    () => true,
    () => false,
  );
}

async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const source of [...sources, pluginScript]) {
    for (const file of await filesIn(source)) hash.update(file).update(await readFile(join(checkout, file)));
  }
  return hash.digest("hex").slice(0, 16);
}

async function filesIn(source: string): Promise<string[]> {
  if ((await stat(join(checkout, source))).isFile()) return [source];
  const entries = await readdir(join(checkout, source), { recursive: true });
  const files = entries.filter((name) => /\.(ts|json)$/.test(name)).sort();
  return files.map((name) => join(source, name));
}
