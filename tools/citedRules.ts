/**
 * A linter: each rule that a comment or a test's name cites stands in docs/internals/rules.md, and each rule has a test whose
 * name begins with its number and a colon, which `npm test` runs. With --write, writes the table of these tests.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";

const root = join(__dirname, "..");
const page = "docs/internals/proofs.md";
const read = (path: string) => readFileSync(join(root, path), "utf8");

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

const rules = new Map(
  Array.from(
    read("docs/internals/rules.md").matchAll(/^### ([A-Z]\d{1,2}) (.*)$/gm),
    ([, rule = "", title = ""]) => [rule, title],
  ),
);
/** The pattern of a rule's number. */
const number = `[${[...new Set(Array.from(rules.keys(), ([letter]) => letter))].join("")}]\\d{1,2}`;
const all = (pattern: string, text: string) => text.match(new RegExp(pattern, "g")) ?? [];

/** A comment cites rules in parentheses; a test's name begins with them. */
function cited(source: string): readonly string[] {
  const comments = all(`\\((?:${number}(?:, | to )?)+\\)`, source);
  const names = all(`(?<=\\(\\s*["'\`])${number}(?: ${number})*(?=:? )`, source);
  return [...comments, ...names].flatMap((text) => all(number, text));
}

/** The tests of a file that prove a rule. Only test:all runs those that are marked with `isAll`. */
function proofs(path: string) {
  const names = read(path).matchAll(new RegExp(`(?<!isAll\\))\\(\\s*(["'\`])(${number}): (.*?)\\1,`, "g"));
  return Array.from(names, ([, , rule = "", name = ""]) => ({ path, rule, name }));
}

const unknown = ["sdk", "provider", "test"].flatMap(sources).flatMap((path) =>
  cited(read(path))
    .filter((rule) => !rules.has(rule))
    .map((rule) => `${path}: there is no ${rule} in docs/internals/rules.md`),
);
/** The files that only test:all runs. */
const onlyInAll = read("vitest.config.mts").match(/(?<=^ {2}")test\/.*(?=",$)/gm) ?? [];
const proving = ["unit", "client", "host", "engine"]
  .flatMap((tier) => sources(`test/${tier}`))
  .filter((path) => !onlyInAll.some((pattern) => matchesGlob(path, pattern)))
  .flatMap(proofs);
const found = Array.from(rules, ([rule, title]) => {
  const tests = proving.filter((one) => one.rule === rule);
  return { rule, title, tests };
});
const unproved = found
  .filter(({ tests }) => tests.length === 0)
  .map(({ rule }) => `${rule}: no test has a name that begins with "${rule}: "`);
const rows = found.flatMap(({ rule, title, tests }) =>
  // The placeholders are those of test.each.
  tests.map(({ name, path }) => `| ${rule} ${title} | ${name.replace(/%[a-z]|\$\w+/g, "…")} | ${path} |`),
);
const text = `# The test of each rule\n\nWritten by \`npx tsx tools/citedRules.ts --write\`. Other tests cite rules too.\n\n| [rule](rules.md) | test | file |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
if (process.argv.includes("--write")) writeFileSync(join(root, page), text);
const problems = [...unknown, ...unproved];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
