import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitions } from "../../provider/resources";
import * as sdk from "../../sdk";
import { presets } from "../../standin";
import { execute } from "../engine/command";
import { shellEnvironment } from "../engine/environment";
import { checkout } from "../engine/folders";
import { createProject, type Project } from "../engine/project";
import { brokenLinks, textsOfCode, typesIn } from "./docsText";
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
    const tried = /^(npm |pulumi |npx pulumi-apikeys standin |export APIKEYS_)/;
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
        if (text.includes("Press Ctrl-C to stop it")) process.kill(pid, "SIGINT");
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

describe.each(Object.entries(definitions))("what README.md says of %s", (kind, { fields }) => {
  const inputs = table(section(kind), "Input");
  const cell = (name: string, column: string) =>
    inputs.find(({ Input }) => Input === `\`${name}\``)?.[column];

  it("names its inputs, in their order", () => {
    expect(inputs.map(({ Input }) => Input)).toEqual(fields.map(({ name }) => `\`${name}\``));
  });

  it("says what a change of each does", () => {
    const words = { update: "update", replace: "replace", refuse: "fails the preview" };
    const said = fields.map(({ name }) => [name, cell(name, "On change")]);
    expect(said).toEqual(fields.map(({ name, onChange }) => [name, words[onChange]]));
  });

  it("says which are required", () => {
    const required = fields.filter(
      ({ schema, defaultsToResourceName }) => !defaultsToResourceName && !accepts(schema),
    );
    const said = fields.filter(({ name }) => cell(name, "Default") === "required");
    expect(said.map(({ name }) => name)).toEqual(required.map(({ name }) => name));
  });

  it("says the defaults that the provider has", () => {
    const having = fields.filter((field) => field.default !== undefined);
    const said = fields.filter(({ name }) => /^`.*`$/.test(cell(name, "Default") ?? ""));
    expect(said.map(({ name }) => [name, cell(name, "Default")])).toEqual(
      having.map((field) => [field.name, `\`${JSON.stringify(field.default)}\``]),
    );
  });

  it("names its outputs beside the inputs", async () => {
    const outputs = [...(await typesIn(kind)).keys()];
    const computed = outputs.filter((name) => !fields.some((field) => field.name === name));
    const listed = table(section(kind), "Output").flatMap(({ Output = "" }) => codeIn(Output));
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
  it("has a section for every resource and names every function of the SDK", () => {
    const functions = Object.keys(sdk).filter((name) => /^get.*(?<!Output)$/.test(name));
    expect(functions.length).toBeGreaterThan(3);
    expect(codeIn(section("Functions"))).toEqual(expect.arrayContaining(functions));
    const classes = Object.keys(sdk).filter((name) => /^[A-Z]/.test(name) && name !== "Provider");
    expect(classes.toSorted()).toEqual(Object.keys(definitions).toSorted());
  });

  it("names the settings that the package reads, and no others", async () => {
    const variables = (await textsOfCode()).filter((text) => /^APIKEYS_\w+$/.test(text));
    expect(new Set(readme.match(/APIKEYS_\w+/g))).toEqual(new Set(variables));
    const said = table(section("Configuration"), "Setting").flatMap((row) =>
      codeIn(row["Provider argument"] ?? ""),
    );
    expect(said.toSorted()).toEqual([...(await typesIn("ProviderArgs")).keys()].toSorted());
  });

  it("links to files and headings that exist", () => {
    expect(readme.match(/\]\((?!https:)/g)?.length).toBeGreaterThan(3);
    expect(brokenLinks("README.md", readme)).toEqual([]);
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
