import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const checkout = join(__dirname, "..", "..");
const sources = ["sdk", "provider", "package.json", "tsconfig.json", "tsconfig.build.json"];

/**
 * The folder of a project whose node_modules holds pulumi-apikeys as a user's does: a real folder, compiled. Built from
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
  // Only what the host loads; types are the linters' business.
  const only = ["--noCheck", "--declaration", "false", "--declarationMap", "false", "--sourceMap", "false"];
  const args = [tsc, "-p", "tsconfig.build.json", ...only, "--outDir", join(target, "dist")];
  await promisify(execFile)(process.execPath, args, { cwd: checkout });
  await cp(join(checkout, "package.json"), join(target, "package.json"));
}

/** Of two processes that build the same, one is first. */
async function putInPlace(made: string, project: string): Promise<void> {
  try {
    await rename(made, project);
  } catch (error) {
    if (!(await isThere(project))) throw error;
    await rm(made, { recursive: true, force: true });
  }
}

/** What was built of sources that are no longer so; a run under way may still use what is young. */
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
  for (const source of sources) {
    for (const file of await filesIn(source)) hash.update(file).update(await readFile(join(checkout, file)));
  }
  return hash.digest("hex").slice(0, 16);
}

async function filesIn(source: string): Promise<string[]> {
  if (source.includes(".")) return [source];
  const entries = await readdir(join(checkout, source), { recursive: true });
  const files = entries.filter((name) => name.endsWith(".ts")).sort();
  return files.map((name) => join(source, name));
}
