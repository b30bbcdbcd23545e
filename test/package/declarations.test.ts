import { createRequire } from "node:module";
import { join } from "node:path";
import type ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as sdk from "../../sdk";
import { createProject, type Project } from "../../tools/engine/project";

/** The TypeScript in @pulumi/pulumi, which runs programs in projects without one. */
const brought: typeof ts = createRequire(__filename)("@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js");

let project: Project;

beforeAll(async () => {
  project = await createProject("declarations");
});
afterAll(() => project?.remove());

/** The errors in a program, as ts-node reports them. It reports none in declarations. */
const mistakes = async (program: string) => {
  await project.write("index.ts", program);
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = brought;
  const compiled = brought.createProgram([join(project.dir, "index.ts")], {
    strict: true,
    target: ScriptTarget.ES2020,
    module: ModuleKind.CommonJS,
    moduleResolution: ModuleResolutionKind.NodeJs,
  });
  const source = compiled.getSourceFile(join(project.dir, "index.ts"));
  return [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)].map(
    ({ messageText }) => brought.flattenDiagnosticMessageText(messageText, " "),
  );
};

/** The names that these entry points export. */
const exportsOf = (...entries: readonly string[]) => {
  const files = entries.map((file) =>
    join(project.dir, "node_modules", "pulumi-apikeys", "dist", `${file}.d.ts`),
  );
  const compiled = brought.createProgram(files, { moduleResolution: brought.ModuleResolutionKind.NodeJs });
  const checker = compiled.getTypeChecker();
  const all = files.flatMap((file) => {
    const source = compiled.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    return module === undefined ? [] : checker.getExportsOfModule(module).map(({ name }) => name);
  });
  // This old TypeScript takes the word `type` in a list of exports for a name.
  return all.filter((name) => name !== "type");
};

test("the package's declarations, in a project without TypeScript, have a type for each name that the package exports", async () => {
  const types = exportsOf("sdk/index").filter((name) => !Object.hasOwn(sdk, name));
  expect(types.length).toBeGreaterThan(20);
  const misused = [
    ...Object.keys(sdk).map((name) => `export const its${name}: symbol = all.${name};`),
    ...types.map((name) => `export const a${name}: all.${name} = Symbol();`),
  ];
  const found = await mistakes(`import * as all from "pulumi-apikeys";\n${misused.join("\n")}\n`);
  expect(found.filter((each) => !/^(Type .*\bsymbol\b|Generic type )/.test(each))).toEqual([]);
  expect(found).toHaveLength(misused.length);
});

test("the package's declarations, in a project without TypeScript, have no name that two entry points export", () => {
  const names = exportsOf("sdk/index", "sdk/policy", "standin/index", "provider/hosts/dynamic/index");
  expect(names).toEqual(expect.arrayContaining(["ApiKey", "PolicyKey", "StandIn", "provider"]));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("the package's declarations, in a project without TypeScript, let a correct program compile, and report the errors of wrong ones", async () => {
  const program = `import { ApiKey, ApiKeyArgs, ApiKeySet, getWorkspaceOutput, Scope, WorkspaceSettings } from "pulumi-apikeys";
const args: ApiKeyArgs = { workspaceId: getWorkspaceOutput({ name: "Main" }).id, customerId: "customer-1" };
export const ciKey = new ApiKey("ci", { ...args, scopes: [{ representation: "orders", read: true }] }).key;
const of = { workspaceId: "ws_main" };
export const isEnabled = ApiKey.get("theirs", "key_theirs", of).enabled;
export const description = Scope.get("theirs", "orders", of, { protect: true }).description;
export const acmeKey = new ApiKeySet("customers", { ...of, keys: { acme: { customerId: "customer-1" } } }).key("acme");
export const limit = WorkspaceSettings.get("theirs", "ws_main").defaultRateLimitPerSecond;
`;
  expect(await mistakes(program)).toEqual([]);
  expect(await mistakes(program.replace('"customer-1"', "1"))).toEqual([
    expect.stringContaining("Type 'number' is not assignable to type 'Input<string>'"),
  ]);
  expect(await mistakes(program.replace('"key_theirs", of', '"key_theirs"'))).toHaveLength(1);
  expect(await mistakes(program.replace('key("acme")', 'key("acne")'))).toHaveLength(1);
});
