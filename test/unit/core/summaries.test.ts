import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { checkout } from "../../../tools/engine/project";

/** In place of a name, an id or a field. */
const name = "x".repeat(20);
const errors = ["Failure", "InconclusiveError"];

/** The texts of an expression in which our own words stand. */
function textsOf(node: ts.Expression | undefined, constants: ReadonlyMap<string, ts.Expression>): string[] {
  if (node === undefined) return [];
  if (ts.isIdentifier(node)) return textsOf(constants.get(node.text), constants);
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isArrayLiteralExpression(node)) return textsOf(node.elements[0], constants);
  if (!ts.isTemplateExpression(node)) return [];
  return [node.head.text + node.templateSpans.map(({ literal }) => name + literal.text).join("")];
}

/** The first sentences of all errors and check failures in a file. */
function summariesIn(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const found: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && errors.includes(node.expression.getText()))
      found.push(...textsOf(node.arguments?.[1], constants));
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (isText && !/\bwarn$/.test(node.parent.getChildAt(0).getText())) {
      const [text = ""] = textsOf(node, constants);
      // A check failure begins with the field's path, which may be put before it elsewhere.
      if (/^\w+: /.test(text)) found.push(text);
      if (/^(must|can't|is|has|contains|ends) /.test(text)) found.push(`${name}: ${text}`);
    }
    ts.forEachChild(node, visit);
  };
  collect(source);
  visit(source);
  return found.map((text) => text.split(/(?<=\.) (?=[A-Z])/)[0] ?? "");
}

test("the first sentence of each error of ours fits into a summary, with names of usual length", () => {
  const folder = join(checkout, "provider");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  const all = files.flatMap((path) => summariesIn(join(folder, path)));
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((text) => `APIKEYS1001: ${text}`.length > 160)).toEqual([]);
});
