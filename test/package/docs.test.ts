import { existsSync, readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ZodMiniType } from "zod/mini";
import packageJson from "../../package.json";
import { definitions } from "../../provider/resources";
import * as sdk from "../../sdk";
import { execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, createProject, type Project } from "../../tools/engine/project";
import { oldestCli } from "../../tools/engine/pulumiCli";
import { brokenLinks, docComments, names, page, pages, read, typesIn } from "./docsText";
import { blocks, codeBlocks, codeFiles, codeIn, commandLines, readme, section, table } from "./readmeText";

/**
 * Commands that other tests run: test/engine/readme.test.ts, interruptionKilled.test.ts, policy.test.ts, pages.test.ts,
 * importMany.test.ts, languages.test.ts (for pip, by the SDK's folder), in docsTesting.test.ts and client/probe.test.ts.
 */
const triedCommands = [
  ...["pulumi stack --show-ids", "pulumi refresh --clear-pending-creates", "pulumi cancel"],
  'curl -X DELETE -H "Authorization: Bearer $APIKEYS_ACCESS_TOKEN" "$APIKEYS_BASE_URL/api/v1/workspace/ws_main/api-key/key_1"',
  ...["pulumi preview --refresh --diff", "pulumi up --refresh --yes"],
  ...["pulumi import --file keys.json --protect=false --generate-code=false", "pulumi preview --refresh"],
  ...["pulumi preview --refresh --expect-no-changes", "pulumi preview --policy-pack policies"],
  "pulumi plugin install resource apikeys 0.1.0 --file pulumi-resource-apikeys-v0.1.0-linux-amd64.tar.gz",
  ...["pulumi stack init dev", "pulumi up --stack dev", "pulumi preview --stack prod", "node --test"],
  ...[
    "pulumi config set apikeys:baseUrl https://api.example.com",
    "pulumi config set --secret apikeys:accessToken",
  ],
  ...["pulumi import apikeys:index:ApiKey ci ws_main/key_1", "pip install pulumi-apikeys"],
  "go mod edit -replace pulumi-apikeys/sdk/go=./apikeys-sdk",
  "npx pulumi-apikeys standin --port 8080 --variant default",
  "npx pulumi-apikeys probe",
  "npx pulumi-apikeys probe --write --workspace ws_main --customer customer-1",
  "npx pulumi-apikeys probe --against service.json",
  ...["export APIKEYS_BASE_URL=http://127.0.0.1:8080", "export APIKEYS_ACCESS_TOKEN=standin-access-token"],
];
const kebab = (kind: string) => kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();

/** The types that a cell names, as TypeScript writes them. */
const typeOf = (cell = "") => codeIn(cell).join(" | ");

describe.each(Object.entries(definitions))("the page of %s", (kind, definition) => {
  const fields = definition.fields.filter(({ name }) => name in definition.shape.inputs);
  const text = page(`${kebab(kind)}.md`);
  const inputs = table(section("Inputs", text), "Input");
  const outputs = table(section("Outputs", text), "Output");

  test(`the page of ${kind} lists the inputs in their order, and what a change of each does`, () => {
    const words = { update: "update", replace: "replace", refuse: "fails the preview" };
    expect(inputs.map((row) => [row["Input"], row["On change"]])).toEqual(
      fields.map(({ name, onChange }) => [`\`${name}\``, words[onChange]]),
    );
  });

  test(`the page of ${kind} says which inputs are required, and the provider's defaults`, () => {
    const defaults = fields.map(({ name, schema, default: value, defaultsToResourceName }) => {
      if (value !== undefined) return [name, `\`${JSON.stringify(value)}\``];
      return [name, defaultsToResourceName || mayBeLeftOut(schema) ? "words" : "required"];
    });
    expect(inputs.map((row) => [codeIn(row["Input"] ?? "")[0], said(row["Default"])])).toEqual(defaults);
  });

  test(`the page of ${kind} has the types of the inputs`, async () => {
    const shown = inputs.map(({ Input = "", Type }) => [codeIn(Input)[0], typeOf(Type)]);
    expect(new Map(shown as [string, string][])).toEqual(await typesIn(`${kind}Args`));
  });

  test(`the page of ${kind} lists the outputs that are not inputs, with their types`, async () => {
    const properties = await typesIn(kind);
    const declared = await typesIn(`${kind}Args`);
    const shown = new Map(outputs.map(({ Output = "", Type }) => [codeIn(Output)[0] ?? "", typeOf(Type)]));
    expect(shown.get("id")).toBe("string");
    const listed = [...shown].filter(([name]) => name !== "id");
    expect(listed).toEqual(listed.map(([name]) => [name, properties.get(name)]));
    const computed = [...properties.keys()].filter((name) => !declared.has(name));
    expect(listed.map(([name]) => name)).toEqual(expect.arrayContaining(computed));
    expect(listed.every(([name]) => computed.includes(name) || name === "billingId")).toBe(true);
  });
});

/** The default in a cell. Any words that are not a value count as "words". */
function said(cell = ""): string {
  return cell === "required" || /^`.*`$/.test(cell) ? cell : "words";
}

function mayBeLeftOut(schema: ZodMiniType): boolean {
  return schema.safeParse(undefined).success;
}

test("docs/README.md links to every page and every example, and llms.txt to every page", () => {
  const examples = readdirSync(join(checkout, "examples")).filter((name) =>
    existsSync(join(checkout, "examples", name, "Pulumi.yaml")),
  );
  const others = names.filter((name) => name !== "README.md");
  const targets = [...others, ...examples.map((name) => `../examples/${name}/`)];
  expect(targets.filter((target) => !page("README.md").includes(`](${target}`))).toEqual([]);
  expect(names.filter((name) => !read("llms.txt").includes(`](docs/${name}`))).toEqual([]);
  const paged = Object.keys(definitions).map((kind) => `${kebab(kind)}.md`);
  expect(paged.filter((name) => !names.includes(name))).toEqual([]);
});

const text = page("functions.md");
const fieldsIn = async (name: string) => [...(await typesIn(name)).keys()];

test("docs/functions.md names every function and its Output form", () => {
  const functions = Object.keys(sdk).filter((name) => name.startsWith("get"));
  const plainForms = table(section("Functions", text), "Function").flatMap((row) =>
    codeIn(row["Function"] ?? ""),
  );
  expect(plainForms.flatMap((name) => [name, `${name}Output`]).toSorted()).toEqual(functions.toSorted());
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  expect(codeIn(prose)).toEqual(expect.arrayContaining(functions));
});

test("docs/functions.md lists the arguments and the records of each function", async () => {
  const rows = table(section("Functions", text), "Function");
  const lists = {
    getApiKeys: "GetApiKeysArgs",
    getWorkspace: "GetWorkspaceArgs",
    getScopes: "GetScopesArgs",
  };
  for (const [name, args] of Object.entries(lists)) {
    const row = rows.find((each) => each["Function"] === `\`${name}\``);
    expect(codeIn(row?.["Arguments"] ?? "")).toEqual(await fieldsIn(args));
  }
  const records = table(section("Records", text), "Record");
  expect(records.length).toBe(3);
  for (const { Record: record = "", Fields: fields = "" } of records)
    expect(codeIn(fields)).toEqual(await fieldsIn(codeIn(record)[0] ?? ""));
});

let project: Project;

beforeAll(async () => {
  project = await createProject("docs");
});
afterAll(() => project?.remove());

test("the code in docs and doc comments compiles, in a project with the packed package", async () => {
  const compilerOptions = {
    ...{ module: "node20", target: "es2022", strict: true, skipLibCheck: true },
    allowImportingTsExtensions: true,
  };
  await project.write("published.d.ts", read("test/package/published.d.ts"));
  await project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  const comments = await docComments();
  const programs = Object.entries({ ...pages, ...comments }).flatMap(([name, text]) =>
    codeFiles("ts", text).map((block, place) => ({
      ...block,
      path: `${name}/${block.file ?? `${place}.ts`}`,
    })),
  );
  for (const { path, text } of programs) {
    await mkdir(join(project.dir, dirname(path)), { recursive: true });
    await project.write(path, text);
  }
  expect(programs.length).toBeGreaterThan(30);
  expect(new Set(programs.map(({ path }) => path)).size).toBe(programs.length);
  const tsc = join(checkout, "node_modules", ".bin", "tsc");
  const env = shellEnvironment(checkout, []);
  const result = await execute(tsc, ["--noEmit", "-p", "."], { cwd: project.dir, env });
  expect(result, result.output).toMatchObject({ code: 0 });
});

test("the JSON in docs is valid", () => {
  const shown = Object.values(pages).flatMap((text) => blocks("json", text));
  expect(shown.length).toBeGreaterThan(0);
  for (const text of shown) expect(() => JSON.parse(text)).not.toThrow();
});

test("docs contain only commands that tests run", () => {
  const tried = new Set([...commandLines(), ...triedCommands].map((line) => line.trim()));
  const shown = Object.values(pages).flatMap((each) => commandLines(each));
  expect(shown.length).toBeGreaterThan(3);
  expect(shown.filter((line) => !tried.has(line))).toEqual([]);
});

test("docs show each command in the version table of docs/upgrading.md, whose versions match package.json", () => {
  const rows = table(section("Versions", page("upgrading.md")), "Command");
  const rest = [readme, ...Object.values(pages)]
    .join("\n")
    .replace(section("Versions", page("upgrading.md")), "");
  const named = rows.flatMap(({ Command = "" }) => codeIn(Command));
  expect(named.filter((code) => !rest.includes(code))).toEqual([]);
  // Newest first, because the first row is the version that a user needs for everything.
  const [newest = "", ...others] = rows.map((row) => row["Pulumi CLI"] ?? "");
  const floor = packageJson.peerDependencies["@pulumi/pulumi"].replace("^", "");
  const number = (version: string) => version.split(".").reduce((sum, part) => sum * 1_000 + Number(part), 0);
  expect(number(newest)).toBeGreaterThan(number(floor));
  expect(others.filter((version) => number(version) > number(floor))).toEqual([]);
  expect(page("upgrading.md")).toContain(`@pulumi/pulumi ${floor} and a Pulumi CLI of that version`);
  expect(newest).toBe(oldestCli);
  expect(read("CONTRIBUTING.md")).toContain(`${newest} or newer`);
});

test("doc comments name only existing pages", async () => {
  const comments = Object.values(await docComments()).join("\n");
  const named = new Set(comments.match(/docs\/[\w-]+\.md/g));
  expect(named.size).toBeGreaterThan(8);
  expect([...named].filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
});

test("links lead only to existing files and headings", () => {
  const broken = Object.entries(pages).flatMap(([name, text]) => brokenLinks(join("docs", name), text));
  for (const file of ["README.md", "CONTRIBUTING.md", "SECURITY.md", "llms.txt"])
    broken.push(...brokenLinks(file, read(file)));
  expect(broken).toEqual([]);
});

const { name, scripts, engines, peerDependencies } = packageJson;

test("README.md has only commands that tests run, and names existing npm scripts and what a user installs", () => {
  const npmLines = commandLines().filter((line) => line.startsWith("npm "));
  const installed = [name, ...Object.keys(peerDependencies)].join(" ");
  const known = ["npm init --yes", `npm install ${installed}`, "npm ci", "npm run demo", "npm test"];
  expect(new Set(npmLines)).toEqual(new Set(known));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["demo", "test"]));
  // test/engine/readme.test.ts runs all others.
  const tried = /^(npm |npx pulumi-apikeys standin |export PULUMI_|pulumi )/;
  expect(commandLines().filter((line) => !tried.test(line))).toEqual([]);
});

test("README.md has a row for each resource, and one for the functions", () => {
  const rows = table(section("Resources"), "Resource");
  const named = rows.map(({ Resource = "" }) => /^\[(\w+)\]/.exec(Resource)?.[1]);
  expect(named).toEqual([...Object.keys(definitions), "functions"]);
});

test("README.md requires the same versions as package.json", () => {
  const cli = peerDependencies["@pulumi/pulumi"].replace("^", "");
  const node = engines.node.replace(">=", "");
  expect(readme).toContain(`Node.js ${node} or newer and the Pulumi CLI ${cli} or newer`);
  expect(read("CHANGELOG.md")).toContain(`@pulumi/pulumi ${cli} or newer`);
});

test("the programs on the Registry's page are those of README.md and docs/languages.md, which tests run", () => {
  const programs = codeBlocks(read("docs/_index.md")).map(({ text }) => text);
  expect(programs).toHaveLength(4);
  for (const program of programs) expect(readme + page("languages.md")).toContain(program);
});
