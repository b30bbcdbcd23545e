import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

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
  await removeLeftovers(parent);
  const path = await mkdtemp(join(parent, `${name}-${process.pid}-`));
  const atExit = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", atExit);
  const remove = async () => {
    process.off("exit", atExit);
    await rm(path, { recursive: true, force: true });
  };
  return { path, remove };
}

/** A process that was killed could not remove its folders. */
async function removeLeftovers(parent: string) {
  for (const name of await readdir(parent)) {
    const pid = Number(/-(\d+)-[^-]+$/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
