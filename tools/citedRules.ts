/** A linter: each rule that a comment or a test's name cites stands in docs/internals/rules.md. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

/** What a comment cites, in brackets, and what a test's name begins with. */
function cited(source: string): readonly string[] {
  const comments = source.match(/\((?:[RKEWSBT]\d{1,2}(?:, | to )?)+\)/g) ?? [];
  const names =
    source.match(/(?<=\b(?:it|test)(?:InAll)?(?:\.each\([^)]*\))?\(\s*["'`])(?:[RKEWSBT]\d{1,2} )+/g) ?? [];
  return [...comments, ...names].flatMap((text) => text.match(/[RKEWSBT]\d{1,2}/g) ?? []);
}

const rules = new Set(
  Array.from(read("docs/internals/rules.md").matchAll(/^### ([RKEWSBT]\d{1,2}) /gm), ([, rule]) => rule),
);
const all = ["sdk", "provider", "test"]
  .flatMap(sources)
  .flatMap((path) => cited(read(path)).map((rule) => ({ path, rule })));
const unknown = all.filter(({ rule }) => !rules.has(rule));
for (const { path, rule } of unknown)
  console.error(`${path}: there is no ${rule} in docs/internals/rules.md`);
// Fewer are found where the patterns above no longer fit.
const enough = new Set(all.map(({ rule }) => rule)).size > 30;
if (!enough) console.error("hardly any rule is cited: tools/citedRules.ts looks in the wrong places");
if (unknown.length > 0 || !enough) process.exitCode = 1;
