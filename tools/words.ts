/** A linter: what a reader stumbles over and a pattern can find, in the code, the pages and the last commits. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
const faults: readonly (readonly [RegExp, string])[] = [
  [/\bso[ ]many\b/i, "give the number, or leave it out"],
  [/^\s*(\/\*\*|\/\/|\*) What /m, "begin the comment with a noun or a verb"],
  [/(?<=\n)\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n\n/, "move the comment about the module to line 1"],
];
const files = git("ls-files", "*.ts", "*.md").split("\n").filter(Boolean);
const problems = files.flatMap((path) => {
  const text = readFileSync(join(root, path), "utf8");
  return faults.filter(([fault]) => fault.test(text)).map(([, advice]) => `${path}: ${advice}.`);
});
const subjects = git("log", "--no-merges", "-n", "50", "--format=%s").split("\n");
problems.push(
  ...subjects.filter((one) => one.length > 72).map((one) => `commit "${one}": over 72 characters.`),
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
