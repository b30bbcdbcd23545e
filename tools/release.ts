/**
 * Writes the address of the repository into package.json, where npm, the schema and messages find it, and its owner into
 * CODEOWNERS, whose reviews GitHub asks for: release.ts https://github.com/OWNER/NAME.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Fields that only a release adds to package.json. */
export function addressOf(url: string) {
  const [, author] = new URL(url).pathname.split("/");
  return {
    author,
    homepage: `${url}#readme`,
    repository: { type: "git", url: `git+${url}.git` },
    bugs: { url: `${url}/issues` },
  };
}

if (require.main === module) {
  const root = join(__dirname, "..");
  const path = join(root, "package.json");
  const address = addressOf(process.argv[2] as string);
  const manifest = { ...JSON.parse(readFileSync(path, "utf8")), ...address };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(root, ".github/CODEOWNERS"), `* @${address.author}\n`);
}
