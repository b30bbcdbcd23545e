/** The sources of the SDK: its types, and its doc comments as Markdown. */
import { join } from "node:path";
import ts from "typescript";

export interface Member {
  readonly name: string;
  readonly type: ts.Type;
  readonly optional: boolean;
  /** Empty if there is none. */
  readonly comment: string;
}

export type Sdk = ReturnType<typeof readSdk>;

const root = join(__dirname, "../..");
/** The types that an Input may have instead of a value's. */
const pending = new Set(["Promise", "OutputInstance"]);

export function readSdk() {
  const { checker, exported } = open(join(root, "sdk/index.ts"));

  const symbolOf = (name: string): ts.Symbol => {
    const symbol = exported.get(name);
    if (symbol === undefined) throw new Error(`sdk/index.ts exports no ${name}`);
    return symbol;
  };
  const commentOf = (symbol: ts.Symbol) =>
    plain(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
  /** The type that a Promise or an Output resolves to; any other type as it is. */
  const settled = (type: ts.Type): ts.Type => {
    if (type.aliasSymbol?.name === "Output") return type.aliasTypeArguments?.[0] ?? type;
    if (!pending.has(type.symbol?.name)) return type;
    return checker.getTypeArguments(type as ts.TypeReference)[0] ?? type;
  };
  const isAbsent = ({ flags }: ts.Type) => (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0;
  const alternatives = (type: ts.Type) => (type.isUnion() ? type.types : [type]);

  return {
    typeOf: (name: string) => checker.getDeclaredTypeOfSymbol(symbolOf(name)),

    comment(name: string): string {
      const comment = commentOf(symbolOf(name));
      if (comment === "") throw new Error(`${name} has no doc comment in sdk/`);
      return comment;
    },

    members: (type: ts.Type): readonly Member[] =>
      checker.getPropertiesOfType(type).map((symbol) => {
        const type = settled(checker.getTypeOfSymbol(symbol));
        const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0 || alternatives(type).some(isAbsent);
        return { name: symbol.name, type, optional, comment: commentOf(symbol) };
      }),

    /** The arguments of a function, if it takes any but options, and its result. */
    signature(name: string): { readonly args: ts.Type | undefined; readonly result: ts.Type } {
      const [signature] = checker.getTypeOfSymbol(symbolOf(name)).getCallSignatures();
      if (signature === undefined) throw new Error(`${name} is not a function`);
      const args = signature.parameters.find((parameter) => parameter.name === "args");
      return {
        args: args && checker.getTypeOfSymbol(args),
        result: settled(signature.getReturnType()),
      };
    },

    /** The types that a value may have when it is there and known. */
    known: (type: ts.Type): readonly ts.Type[] =>
      alternatives(type).filter((one) => !isAbsent(one) && !pending.has(one.symbol?.name)),

    /** The type of the entries of a list. */
    entryOf: (type: ts.Type): ts.Type | undefined =>
      checker.isArrayType(type) ? type.getNumberIndexType() : undefined,
  };
}

function open(entry: string) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const config = ts.getParsedCommandLineOfConfigFile(join(root, "tsconfig.json"), {}, host);
  const program = ts.createProgram([entry], config?.options ?? {});
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return { checker, exported: new Map(symbols.map((symbol) => [symbol.name, resolved(symbol)])) };
}

/** Links as code, and each paragraph in one line. */
function plain(comment: string): string {
  return comment
    .replace(/\{@link (\S+?)\s*\}/g, "`$1`")
    .replace(/(?<!\n)\n(?!\n)/g, " ")
    .trim();
}
