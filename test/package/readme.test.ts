import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldsOf } from "../../provider/core/definition";
import { definitions } from "../../provider/resources";
import * as sdk from "../../sdk";
import { presets } from "../../standin";
import { execute } from "../engine/command";
import { shellEnvironment } from "../engine/environment";
import { checkout } from "../engine/folders";
import { packedPackage } from "../engine/packedPackage";
import { createProject, type Project } from "../engine/project";
import { blocks, codeIn, commandLines, languages, readme, section, table } from "./readmeText";

const packageJson = async () => JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
const env = shellEnvironment(checkout, []);

describe("the code of README.md", () => {
  let project: Project;

  beforeAll(async () => {
    project = await createProject("readme");
  });
  afterAll(() => project?.remove());

  it("is in languages that these tests know", () => {
    expect(languages().toSorted()).toEqual(["json", "sh", "text", "ts"]);
  });

  it("compiles, in a project with the packed package", async () => {
    const compilerOptions = { module: "node20", target: "es2022", strict: true, skipLibCheck: true };
    await project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    for (const [place, text] of blocks("ts").entries()) await project.write(`block${place}.ts`, text);
    expect(blocks("ts").length).toBeGreaterThan(3);
    const tsc = join(checkout, "node_modules", ".bin", "tsc");
    const result = await execute(tsc, ["--noEmit", "-p", "."], { cwd: project.dir, env });
    expect(result, result.output).toMatchObject({ code: 0 });
  });

  it("is valid JSON where it is JSON", () => {
    for (const text of blocks("json")) expect(() => JSON.parse(text)).not.toThrow();
  });

  it("names npm scripts that exist, and packages that a user needs", async () => {
    const { name, scripts, peerDependencies } = await packageJson();
    const runs = commandLines().filter((line) => line.startsWith("npm "));
    const known = [
      "npm ci",
      `npm install ${[name, ...Object.keys(peerDependencies)].join(" ")}`,
      ...["test", "demo"].filter((script) => script in scripts).map((script) => npmLine(script)),
    ];
    expect(new Set(runs)).toEqual(new Set(known));
  });

  it("has no command that is not tried, here or on the engine", () => {
    const tried = /^(npm |pulumi |npx pulumi-apikeys-standin |export APIKEYS_)/;
    expect(commandLines().filter((line) => !tried.test(line))).toEqual([]);
  });

  it("starts the stand-in with options that it has, and gives the variables that it prints", async () => {
    const [line = ""] = commandLines().filter((each) => each.startsWith("npx "));
    const [, command = "", ...args] = line.split(" ");
    const port = args[args.indexOf("--port") + 1] ?? "";
    const { bin } = await packageJson();
    const script = join(project.dir, "node_modules", "pulumi-apikeys", bin[command]);
    const free = args.map((arg) => (arg === port ? "0" : arg));
    let pid = 0;
    const run = await execute("node", [script, ...free], {
      env,
      timeoutMs: 20_000,
      onStart: (started) => {
        pid = started;
      },
      onStdout: (text) => {
        if (text.includes("Ctrl-C stops it")) process.kill(pid, "SIGINT");
      },
    });
    expect(run, run.output).toMatchObject({ code: 0 });
    const printed = run.stdout.split("\n").filter((each) => each.startsWith("export "));
    expect(printed.map((each) => each.replace(/:\d+$/, `:${port}`))).toEqual(
      commandLines().filter((each) => each.startsWith("export ")),
    );
    expect(Object.keys(presets)).toContain(args[args.indexOf("--preset") + 1]);
  });
});

const npmLine = (script: string) => (script === "test" ? "npm test" : `npm run ${script}`);

describe.each(Object.entries(definitions))("what README.md says of %s", (kind, { schema }) => {
  const fields = fieldsOf(schema);
  const inputs = table(section(kind), "input");
  const cell = (name: string, column: string) =>
    inputs.find(({ input }) => input === `\`${name}\``)?.[column];

  it("names its inputs, in their order", () => {
    expect(inputs.map(({ input }) => input)).toEqual(fields.map(({ name }) => `\`${name}\``));
  });

  it("says what a change of each does", () => {
    const said = fields.map(({ name }) => [name, cell(name, "a change")]);
    expect(said).toEqual(fields.map(({ name, facts }) => [name, facts.onChange]));
  });

  it("says which are required", () => {
    // The class gives a key the resource's name, so the provider always has one.
    const given = new Set(kind === "ApiKey" ? ["name"] : []);
    const required = fields.filter(({ name }) => !given.has(name) && !accepts(schema.shape[name]));
    const said = fields.filter(({ name }) => cell(name, "default") === "required");
    expect(said.map(({ name }) => name)).toEqual(required.map(({ name }) => name));
  });

  it("says the defaults that the provider has", () => {
    const having = fields.filter(({ facts }) => facts.default !== undefined);
    const said = fields.filter(({ name }) => /^`.*`$/.test(cell(name, "default") ?? ""));
    expect(said.map(({ name }) => [name, cell(name, "default")])).toEqual(
      having.map(({ name, facts }) => [name, `\`${JSON.stringify(facts.default)}\``]),
    );
  });

  it("names its outputs beside the inputs", async () => {
    const { folder } = await packedPackage();
    const file = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}.d.ts`;
    const [, body = ""] = (await readFile(join(folder, "dist/sdk", file), "utf8")).split(
      `class ${kind} extends`,
    );
    const outputs = [...body.matchAll(/readonly (\w+): pulumi\.Output</g)].map(([, name = ""]) => name);
    const computed = outputs.filter((name) => !fields.some((field) => field.name === name));
    const listed = table(section(kind), "output").flatMap(({ output = "" }) => codeIn(output));
    const sentence = /Outputs are the inputs, [^.:]*/.exec(section(kind))?.[0] ?? "";
    const said = new Set([...codeIn(sentence), ...listed]);
    // Those that are an input too may be named once more.
    const expected = outputs.filter((name) => computed.includes(name) || said.has(name));
    expect(said).toEqual(new Set(["id", ...expected]));
    expect(computed.length).toBeGreaterThan(0);
  });
});

/** Whether a field may be left out. */
function accepts(field: unknown): boolean {
  return (field as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success;
}

describe("README.md", () => {
  it("has a section for every resource and names every look-up of the SDK", () => {
    const lookups = Object.keys(sdk).filter((name) => /^get.*(?<!Output)$/.test(name));
    expect(lookups.length).toBeGreaterThan(3);
    expect(codeIn(section("Look-ups"))).toEqual(expect.arrayContaining(lookups));
    const classes = Object.keys(sdk).filter((name) => /^[A-Z]/.test(name) && name !== "Provider");
    expect(classes.toSorted()).toEqual(Object.keys(definitions).toSorted());
  });

  it("names the settings that the provider reads, and no others", async () => {
    const sources = await Promise.all(
      ["provider/core/config.ts", "provider/client/transport.ts"].map((file) =>
        readFile(join(checkout, file), "utf8"),
      ),
    );
    const read = sources.join("\n").match(/(?<=env\[")APIKEYS_\w+/g) ?? [];
    expect(new Set(readme.match(/APIKEYS_\w+/g))).toEqual(new Set(read));
    const args = (await readFile(join(checkout, "sdk/provider.ts"), "utf8")).split(
      "interface ProviderArgs",
    )[1];
    const names = [...((args ?? "").split("\n}")[0]?.matchAll(/readonly (\w+)\?:/g) ?? [])].map(
      ([, name]) => name,
    );
    const said = table(section("Configuration"), "setting").flatMap((row) =>
      codeIn(row["Provider argument"] ?? ""),
    );
    expect(said.toSorted()).toEqual(names.toSorted());
  });

  it("links to files that exist", () => {
    const links = [...readme.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
  });

  it("asks for the versions that package.json asks for", async () => {
    const { engines, peerDependencies } = await packageJson();
    expect(readme).toContain(`${engines.node.replace(">=", "")} or newer to use it`);
    const changelog = await readFile(join(checkout, "CHANGELOG.md"), "utf8");
    expect(changelog).toContain(
      `@pulumi/pulumi ${peerDependencies["@pulumi/pulumi"].replace("^", "")} or newer`,
    );
  });
});
