import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../engine/folders";

/** A file of this repository. */
export const read = (path: string) => readFileSync(join(checkout, path), "utf8");
/** The names of the pages. */
export const names = readdirSync(join(checkout, "docs")).filter((name) => name.endsWith(".md"));
/** The pages of docs by their names. */
export const pages: Readonly<Record<string, string>> = Object.fromEntries(
  names.map((name) => [name, read(join("docs", name))]),
);
export const page = (name: string) => pages[name] ?? "";
/** Fields of an interface or a class of the SDK with their types, without what Inputs and Outputs add. */
export function typesIn(source: string, head: string, pattern: RegExp): ReadonlyMap<string, string> {
  const [, rest] = source.split(head);
  const body = rest?.split("\n}")[0] ?? "";
  return new Map([...body.matchAll(pattern)].map(([, name = "", type = ""]) => [name, plain(type)]));
}

function plain(type: string): string {
  let before: string;
  let after = type;
  do {
    before = after;
    after = after
      .replace(/^pulumi\.(?:Input|Output)<(.*)>$/, "$1")
      .replace(/pulumi\.Input<([^<>]*)>/g, "$1")
      .replace(/ \| undefined$/, "");
  } while (after !== before);
  return after;
}
