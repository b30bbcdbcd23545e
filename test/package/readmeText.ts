import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../tools/engine/project";

/** The text of README.md. The functions below work on any page. */
export const readme = readFileSync(join(checkout, "README.md"), "utf8");

/** The text of each code block of a language, in order. */
export function blocks(language: string, page = readme): readonly string[] {
  return codeFiles(language, page).map(({ text }) => text);
}

/** The code blocks of a language, each with the name of the file that the line above it gives. */
export function codeFiles(language: string, page: string) {
  return codeBlocks(page).filter((block) => block.language === language);
}

/** All code blocks of a page, in order, each with the name of the file that the line above it gives. */
export function codeBlocks(page: string) {
  return [...page.matchAll(/(?:^(.*)\n\n)?^```(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, above = "", language = "", text = ""]) => ({
      language,
      text,
      file: codeIn(above).find((code) => /^[\w./-]+\.(ts|ya?ml)$/.test(code)),
    }),
  );
}

/** The command lines of the shell blocks, without comments. Commands joined by && are separate. */
export function commandLines(page = readme): readonly string[] {
  return blocks("sh", page)
    .flatMap(linesOf)
    .flatMap((line) => line.split(" && "));
}

/** The lines of a shell block, without comments. A line that continues on the next one counts as one. */
export function linesOf(block: string): readonly string[] {
  return block
    .replaceAll("\\\n", "")
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, ""));
}

/** The text under a second-level heading, up to the next one. */
export function section(heading: string, page = readme): string {
  const [, after] = page.split(`\n## ${heading}\n`);
  if (after === undefined) throw new Error(`there is no section ${heading}`);
  return after.split("\n## ")[0] ?? "";
}

/** The rows of the table whose first column has this heading, each with its cells by column. */
export function table(text: string, first: string): readonly Readonly<Record<string, string>>[] {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => cells(line)[0] === first);
  const names = cells(lines[head] ?? "");
  const after = lines.slice(head + 2);
  const end = after.findIndex((line) => !line.startsWith("|"));
  return after.slice(0, end).map((line) => {
    const values = cells(line);
    return Object.fromEntries(names.map((name, column) => [name, values[column] ?? ""]));
  });
}

function cells(line: string): readonly string[] {
  if (!line.startsWith("|")) return [];
  return line
    .slice(1, line.lastIndexOf("|"))
    .split("|")
    .map((cell) => cell.trim());
}

/** The parts of a text that are marked as code. */
export function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}
