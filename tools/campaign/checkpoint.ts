import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Project } from "../engine/project";

/**
 * A CLI that is killed while it writes may leave its checkpoint empty. Puts the backup beside it in its place, as an
 * operator does. Whether that was needed.
 */
export async function restoreCheckpoint({ dir, name }: Project): Promise<boolean> {
  const file = join(dir, ".pulumi-state", ".pulumi", "stacks", name, "dev.json");
  if (isWhole(await readFile(file, "utf8").catch(() => ""))) return false;
  await copyFile(`${file}.bak`, file);
  return true;
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
