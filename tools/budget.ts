/**
 * A linter: the code stays small enough to be held in the head. A new resource raises the budgets by what it takes; whoever
 * needs room for anything else makes it first, by deleting. A budget that is no longer used up is to be lowered.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Budget {
  readonly folders: readonly string[];
  readonly lines: number;
  readonly files: number;
}

const budgets: readonly Budget[] = [
  { folders: ["provider", "sdk"], lines: 9_105, files: 66 },
  { folders: ["test"], lines: 24_473, files: 185 },
  { folders: ["tools"], lines: 5_488, files: 51 },
  { folders: ["standin", "cli"], lines: 2_935, files: 26 },
];
const mostWordsOfRules = 2_800;
/** The output of `npm run schema` and `go mod tidy`. */
const generated: ReadonlySet<string> = new Set(["schema.json", "go.mod", "go.sum"]);
/** How far below its budget a folder may be. */
const slack = { lines: 250, files: 8 };

const root = join(__dirname, "..");
const problems = budgets.flatMap(({ folders, ...budget }) => {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !generated.has(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const used = {
    files: paths.length,
    lines: paths.reduce((sum, path) => sum + readFileSync(path, "utf8").split("\n").length - 1, 0),
  };
  return (["lines", "files"] as const).flatMap((what) => {
    const [now, most] = [used[what], budget[what]];
    const state = `${folders.join(" + ")} has ${now} ${what}, and a budget of ${most}`;
    if (now > most) return [`${state}: delete something first.`];
    return now < most - slack[what] ? [`${state}: lower it in tools/budget.ts.`] : [];
  });
});
const words = readFileSync(join(root, "docs/internals/rules.md"), "utf8").trim().split(/\s+/).length;
if (words > mostWordsOfRules)
  problems.push(`rules.md has ${words} words, and a budget of ${mostWordsOfRules}.`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
