import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { checkout, packedPackage } from "../../tools/engine/project";

/** A file of this repository. */
export const read = (path: string) => readFileSync(join(checkout, path), "utf8");
/** In the Registry's own form. */
const forRegistry = new Set(["_index.md", "installation-configuration.md"]);
const pagesIn = (folder: string) =>
  readdirSync(join(checkout, "docs", folder))
    .filter((name) => name.endsWith(".md") && !forRegistry.has(name))
    .map((name) => join(folder, name));
/** The names of the pages for users. */
export const names = pagesIn("");
/** All pages of docs by name, including those for maintainers. */
export const pages: Readonly<Record<string, string>> = Object.fromEntries(
  [...names, ...pagesIn("internals")].map((name) => [name, read(join("docs", name))]),
);
export const page = (name: string) => pages[name] ?? "";

/** The links of a page to files or headings that do not exist. */
export function brokenLinks(path: string, text: string): readonly string[] {
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-");
  return [...text.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g)]
    .filter(([, target = "", heading]) => {
      const file = target === "" ? path : join(dirname(path), target);
      if (!existsSync(join(checkout, file))) return true;
      const headings = heading === undefined ? [] : [...read(file).matchAll(/^#+ (.*)$/gm)];
      return heading !== undefined && !headings.some(([, title = ""]) => anchor(title) === heading);
    })
    .map(([link]) => `${path}: ${link}`);
}

/** The fields of an interface or class of the package, with their types, without Input and Output. */
export async function typesIn(name: string): Promise<ReadonlyMap<string, string>> {
  const { checker, exported } = await declarations();
  const symbol = exported.get(name);
  if (symbol === undefined) throw new Error(`the package exports no ${name}`);
  const own = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).filter(isField);
  return new Map(
    own.map((field) => [
      field.name,
      plain(checker.typeToString(checker.getTypeOfSymbol(field), undefined, ts.TypeFormatFlags.NoTruncation)),
    ]),
  );
}

const isField = ({ name, flags, declarations: [declared] = [] }: ts.Symbol) =>
  (flags & ts.SymbolFlags.Property) !== 0 &&
  !name.startsWith("#") &&
  !declared?.getSourceFile().fileName.includes("/@pulumi/");

let opened: ReturnType<typeof open> | undefined;
const declarations = () => {
  opened ??= open();
  return opened;
};

async function open() {
  const entry = join((await packedPackage()).folder, "dist/sdk/index.d.ts");
  const program = ts.createProgram([entry], { strict: true, types: [] });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol;
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = checker
    .getExportsOfModule(module)
    .map((symbol) => [symbol.name, resolved(symbol)] as const);
  return { checker, exported: new Map(exported) };
}

/** All strings in the package's own code; of a template, each piece between its values. */
export async function textsOfCode(): Promise<readonly string[]> {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const isPiece = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isPiece || ts.isStringLiteralLike(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  for (const folder of ["dist/sdk", "dist/provider", "dist/cli"])
    (await packed(folder, ".js")).forEach(visit);
  return [...new Set(texts)];
}

/** The text of the package's doc comments by file, as Markdown. */
export async function docComments(): Promise<Readonly<Record<string, string>>> {
  const folders = ["dist/sdk", "dist/standin", "dist/provider/hosts/dynamic"];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await packed(folder, ".d.ts")).map(({ fileName, text }) => {
        const comments = text.match(/\/\*\*[\s\S]*?\*\//g) ?? [];
        return [join(folder, fileName), comments.join("\n").replace(/^ *\* ?/gm, "")] as const;
      }),
    ),
  );
  return Object.fromEntries(files.flat());
}

/** Files of the packed package, without the code of other packages in bundles. */
async function packed(folder: string, ending: string): Promise<readonly ts.SourceFile[]> {
  const root = join((await packedPackage()).folder, folder);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(ending),
  );
  return files.map((name) => {
    const modules = readFileSync(join(root, name), "utf8").split(
      /^(?=\/\/ (?:node_modules|provider|standin|cli)\/)/m,
    );
    const own = modules.filter((text) => !text.startsWith("// node_modules/")).join("");
    return ts.createSourceFile(name, own, ts.ScriptTarget.Latest, true);
  });
}

function plain(type: string): string {
  let before: string;
  let after = type;
  do {
    before = after;
    after = after
      .replace(/^(?:Input|Output|OutputInstance)<(.*)>$/, "$1")
      .replace(/\bInput<([^<>]*)>/g, "$1")
      .replace(/ & Named<Alias>/, "")
      .replace(/ \| undefined$/, "");
  } while (after !== before);
  return after;
}
