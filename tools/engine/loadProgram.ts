import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";

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
