import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(__dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

const rules = new Set(
  Array.from(read("docs/rules.md").matchAll(/^- ([RKWSB]\d{1,2}) /gm), ([, rule]) => rule),
);

/** What a comment cites, in brackets, and what a test's name begins with. */
function cited(source: string): readonly string[] {
  const comments = source.match(/\((?:[RKWSB]\d{1,2}(?:, | to )?)+\)/g) ?? [];
  const names =
    source.match(/(?<=\b(?:it|test)(?:InAll)?(?:\.each\([^)]*\))?\(\s*["'`])(?:[RKWSB]\d{1,2} )+/g) ?? [];
  return [...comments, ...names].flatMap((text) => text.match(/[RKWSB]\d{1,2}/g) ?? []);
}

test("each rule that a comment or a test's name cites stands in docs/rules.md", () => {
  const all = ["sdk", "provider", "test"].flatMap(sources).flatMap((path) => cited(read(path)));
  expect(new Set(all).size).toBeGreaterThan(30);
  expect([...new Set(all)].filter((rule) => !rules.has(rule))).toEqual([]);
});
