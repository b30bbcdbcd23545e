import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "../../test/engine/folders";
import { plot } from "./plot";
import { type Report, sections } from "./report";

const [begin, end] = ["<!-- figures -->", "<!-- end of figures -->"];

/** Puts the figures of a run in the place of those before, and leaves the text around them. */
export async function writeDocs(report: Report): Promise<void> {
  const page = join(checkout, "docs", "performance.md");
  await writeFile(page, withFigures(await readFile(page, "utf8"), sections(report, "markdown")));
  await writeFile(join(checkout, "docs", "performance.svg"), plot(report));
}

export function withFigures(page: string, figures: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the page lacks ${begin} or ${end}`);
  return `${before}${begin}\n\n${figures}\n\n${end}${after}`;
}
