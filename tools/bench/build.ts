import { join } from "node:path";
import { execute } from "../../test/engine/command";
import { checkout, makeWorkFolder } from "../../test/engine/folders";

/** Compiles what the measured processes run, so that none of them needs a loader. Gives the folder of this folder. */
export async function compile(): Promise<string> {
  const { path } = await makeWorkFolder("bench", "compiled");
  const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", join(__dirname, "tsconfig.json"), "--outDir", path];
  const result = await execute(process.execPath, args, { cwd: checkout });
  if (result.code !== 0) throw new Error(`the measured programs can't be compiled:\n${result.output}`);
  return join(path, "tools", "bench");
}
