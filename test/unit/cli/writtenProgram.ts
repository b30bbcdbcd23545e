import { ModuleKind, ScriptTarget, transpileModule } from "typescript";

type Args = Readonly<Record<string, unknown>>;

/** The declarations of a program: the name and arguments of each resource, and the program's exports. */
export interface Declared {
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly args: Args }[];
  readonly exports: Readonly<Record<string, unknown>>;
}

/**
 * Compiles a program as Pulumi's language host does, and runs it with classes that only record their arguments. `config`: the
 * value of each secret object in stack config.
 */
export function declaredBy(program: string, config: Readonly<Record<string, Args>> = {}): Declared {
  const { outputText, diagnostics } = transpileModule(program, {
    reportDiagnostics: true,
    compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, strict: true },
  });
  if (diagnostics?.length) throw new Error(`${diagnostics[0]?.messageText}\n${program}`);
  const resources: { kind: string; name: string; args: Args }[] = [];
  const noting = (kind: string) =>
    class {
      readonly id = kind;
      readonly ids = kind;
      constructor(name: string, args: Args) {
        resources.push({ kind, name, args });
      }
    };
  class Config {
    requireSecretObject = (key: string) => ({ apply: (act: (value?: Args) => unknown) => act(config[key]) });
  }
  const classes = { ApiKey: noting("ApiKey"), ApiKeySet: noting("ApiKeySet"), Config };
  const module = { exports: {} };
  // The function in which Node.js wraps a CommonJS module.
  new Function("exports", "require", "module", "__filename", "__dirname", outputText)(
    module.exports,
    () => classes,
    module,
    "index.js",
    ".",
  );
  return { resources, exports: module.exports };
}
