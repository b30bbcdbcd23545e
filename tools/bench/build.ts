import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { execute } from "../engine/command";
import { checkout, makeWorkFolder } from "../engine/folders";

/** Compiles what the measured processes run, so that none of them needs a loader. Gives the folder of this folder. */
export async function compile(): Promise<string> {
  const { path } = await makeWorkFolder("bench", "compiled");
  const tsc = join(checkout, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", join(__dirname, "tsconfig.json"), "--outDir", path];
  const result = await execute(process.execPath, args, { cwd: checkout });
  if (result.code !== 0) throw new Error(`the measured programs can't be compiled:\n${result.output}`);
  const compiled = join(path, "tools", "bench");
  await bundlePlugin(join(compiled, "programs", "nothing"));
  return compiled;
}

/** As ours is bundled, but with its libraries in the same file. */
async function bundlePlugin(folder: string): Promise<void> {
  const plugin = join(folder, "plugin");
  await build({
    entryPoints: [join(folder, "plugin.js")],
    outfile: join(plugin, "provider.js"),
    ...({ bundle: true, platform: "node", target: "node22", format: "cjs", minifyWhitespace: true } as const),
  });
  const script = join(plugin, "pulumi-resource-nothing");
  const lines = [
    "#!/usr/bin/env node",
    'require("node:module").enableCompileCache(require("node:path").join(__dirname, "compiled"));',
    'require("./provider.js");',
    "",
  ];
  await writeFile(script, lines.join("\n"), { mode: 0o755 });
}
