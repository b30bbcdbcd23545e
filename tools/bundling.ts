import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "./engine/project";

/** The licences of the packages that these files belong to. Each text occurs once, after the names of its packages. */
export async function licences(files: readonly string[]): Promise<string> {
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
