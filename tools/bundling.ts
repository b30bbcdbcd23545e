import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { checkout } from "./engine/project";

const shared = {
  absWorkingDir: checkout,
  bundle: true,
  platform: "node",
  target: "node22",
  format: "cjs",
  // package.json has no `bugs` before a release.
  logOverride: { "import-is-undefined": "silent" },
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Bundles scripts for Node.js, and returns the licences of all packages that are in them. */
export async function bundle(all: readonly BuildOptions[]): Promise<string> {
  const built = await Promise.all(all.map((options) => build({ ...shared, ...options, metafile: true })));
  return licences(built.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
}

/** The licences of the packages that these files belong to. Each text occurs once, after the names of its packages. */
async function licences(files: readonly string[]): Promise<string> {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const packages = new Map<string, string[]>();
  for (const folder of [...folders].toSorted()) {
    const name = (await readdir(join(checkout, folder))).find((one) =>
      /^licen[cs]e(\.md|\.txt)?$/i.test(one),
    );
    if (name === undefined) throw new Error(`${folder}, which is bundled, has no licence to pass on`);
    const text = (await readFile(join(checkout, folder, name), "utf8")).trim();
    packages.set(text, [...(packages.get(text) ?? []), folder.replace(/^.*node_modules\//, "")]);
  }
  return [...packages]
    .map(([text, names]) => `${names.join(", ")}\n\n${text}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}
