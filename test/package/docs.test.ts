import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ZodObject } from "zod";
import { fieldsOf } from "../../provider/core/definition";
import { definitions } from "../../provider/resources";
import * as sdk from "../../sdk";
import { execute } from "../engine/command";
import { shellEnvironment } from "../engine/environment";
import { checkout } from "../engine/folders";
import { createProject, type Project } from "../engine/project";
import { names, page, pages, read, typesIn } from "./docsText";
import { blocks, codeIn, commandLines, readme, section, table } from "./readmeText";

/** In test/engine/troubleshooting.test.ts, interruptionKilled.test.ts and operating.test.ts. */
const triedCommands = [
  ...["pulumi stack --show-ids", "pulumi refresh --clear-pending-creates", "pulumi cancel"],
  ...["pulumi preview --refresh --diff", "pulumi up --refresh --yes"],
  "pulumi preview --refresh --expect-no-changes",
];
const kebab = (kind: string) => kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
const camel = (kind: string) => kind.charAt(0).toLowerCase() + kind.slice(1);

/** The types that a cell names, as TypeScript writes them. */
const typeOf = (cell = "") => codeIn(cell).join(" | ");

describe.each(Object.entries(definitions))("the page of %s", (kind, { schema }) => {
  const text = page(`${kebab(kind)}.md`);
  const source = read(`sdk/${camel(kind)}.ts`);
  const fields = fieldsOf(schema);
  const inputs = table(section("Inputs", text), "input");
  const outputs = table(section("Outputs", text), "output");
  const properties = typesIn(
    source,
    `export class ${kind} extends`,
    /declare readonly (\w+): (pulumi\.Output<.*>);/g,
  );

  it("says in two sentences what the resource manages", () => {
    const [, first = ""] = text.split("\n\n");
    expect(first.match(/[.](?= |$)/g)).toHaveLength(2);
  });

  it("names the inputs in their order, and what a change of each does", () => {
    const words = { update: "update", replace: "replace", refuse: "refused" };
    expect(inputs.map(({ input, "a change": change }) => [input, change])).toEqual(
      fields.map(({ name, facts }) => [`\`${name}\``, words[facts.onChange]]),
    );
  });

  it("says which inputs are required, and the defaults that the provider has", () => {
    const given = new Set(kind === "ApiKey" ? ["name"] : []);
    const defaults = fields.map(({ name, facts }) => {
      if (facts.default !== undefined) return [name, `\`${JSON.stringify(facts.default)}\``];
      return [name, given.has(name) || mayBeLeftOut(schema, name) ? "words" : "required"];
    });
    expect(inputs.map((row) => [codeIn(row["input"] ?? "")[0], said(row["default"])])).toEqual(defaults);
  });

  it("has the SDK's types of the inputs", () => {
    const types = typesIn(source, `interface ${kind}Args {`, /readonly (\w+)\??: (.*);/g);
    const shown = inputs.map(({ input = "", type }) => [codeIn(input)[0], typeOf(type)]);
    expect(new Map(shown as [string, string][])).toEqual(types);
  });

  it("names the outputs that the SDK declares beside the inputs, with their types", () => {
    const declared = new Set(typesIn(source, `interface ${kind}Args {`, /readonly (\w+)\??: (.*);/g).keys());
    const shown = new Map(outputs.map(({ output = "", type }) => [codeIn(output)[0] ?? "", typeOf(type)]));
    expect(shown.get("id")).toBe("string");
    const listed = [...shown].filter(([name]) => name !== "id");
    expect(listed).toEqual(listed.map(([name]) => [name, properties.get(name)]));
    const computed = [...properties.keys()].filter((name) => !declared.has(name));
    expect(listed.map(([name]) => name)).toEqual(expect.arrayContaining(computed));
    expect(listed.every(([name]) => computed.includes(name) || name === "billingId")).toBe(true);
  });

  it("says what destroy does, how an existing one is adopted, and what the limits are", () => {
    expect(section("Destroy", text).trim()).toMatch(/^(Destroy|With) /);
    expect(text).toMatch(/^## (Keys|A workspace|A scope|A record) that exists? already$/m);
    expect(section("Limits", text)).toMatch(/^- /m);
  });
});

/** What a cell says of a default: words that are no value all count alike. */
function said(cell = ""): string {
  return cell === "required" || /^`.*`$/.test(cell) ? cell : "words";
}

function mayBeLeftOut(schema: ZodObject, name: string): boolean {
  const field = schema.shape[name] as unknown as { safeParse(value: unknown): { success: boolean } };
  return field.safeParse(undefined).success;
}

describe("the repository", () => {
  const files = (folder: string, ending: string) =>
    readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(ending),
    );

  it.each(Object.keys(definitions))("has for %s an example, a page and a test on the engine", (kind) => {
    const programs = files("examples", "index.ts").filter((name) => !name.includes("node_modules"));
    expect(programs.filter((name) => read(join("examples", name)).includes(`new ${kind}(`))).not.toEqual([]);
    expect(names).toContain(`${kebab(kind)}.md`);
    expect(files("test/engine", ".test.ts").filter((name) => name.startsWith(camel(kind)))).not.toEqual([]);
  });

  it("links to every page and every example from docs/README.md, and to docs from README.md", () => {
    const examples = readdirSync(join(checkout, "examples")).filter((name) =>
      existsSync(join(checkout, "examples", name, "Pulumi.yaml")),
    );
    const targets = [
      ...names.filter((name) => name !== "README.md"),
      ...examples.map((name) => `../examples/${name}/index.ts`),
    ];
    expect(targets.filter((target) => !page("README.md").includes(`](${target})`))).toEqual([]);
    expect(names.filter((name) => !readme.includes(`](docs/${name})`))).toEqual([]);
  });
});

describe("what docs/look-ups.md says", () => {
  const text = page("look-ups.md");
  const source = read("sdk/lookups.ts");
  const fieldsIn = (name: string) => [
    ...typesIn(source, `interface ${name} {`, /readonly (\w+)\??: (.*);/g).keys(),
  ];

  it("names every function, and the form of each for Outputs", () => {
    const functions = Object.keys(sdk).filter((name) => name.startsWith("get"));
    const plainForms = table(section("Functions", text), "function").flatMap((row) =>
      codeIn(row["function"] ?? ""),
    );
    expect(plainForms.flatMap((name) => [name, `${name}Output`]).toSorted()).toEqual(functions.toSorted());
    const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
    expect(codeIn(prose)).toEqual(expect.arrayContaining(functions));
  });

  it("names the arguments and the records of each", () => {
    const rows = table(section("Functions", text), "function");
    const lists = { getApiKeys: "GetApiKeysArgs", getWorkspace: "ByIdOrName", getScopes: "GetScopesArgs" };
    for (const [name, args] of Object.entries(lists)) {
      const row = rows.find((each) => each["function"] === `\`${name}\``);
      expect(codeIn(row?.["arguments"] ?? "")).toEqual(fieldsIn(args));
    }
    const records = table(section("Records", text), "record");
    expect(records.length).toBe(3);
    for (const { record = "", fields = "" } of records)
      expect(codeIn(fields)).toEqual(fieldsIn(codeIn(record)[0] ?? ""));
  });
});

describe("the code and the links of docs", () => {
  let project: Project;

  beforeAll(async () => {
    project = await createProject("docs");
  });
  afterAll(() => project?.remove());

  it("compiles, in a project with the packed package", async () => {
    const compilerOptions = { module: "node20", target: "es2022", strict: true, skipLibCheck: true };
    await project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const programs = Object.values(pages).flatMap((each) => blocks("ts", each));
    for (const [place, text] of programs.entries()) await project.write(`block${place}.ts`, text);
    expect(programs.length).toBeGreaterThan(6);
    const tsc = join(checkout, "node_modules", ".bin", "tsc");
    const env = shellEnvironment(checkout, []);
    const result = await execute(tsc, ["--noEmit", "-p", "."], { cwd: project.dir, env });
    expect(result, result.output).toMatchObject({ code: 0 });
  });

  it("imports keys by the file that README.md shows, which is tried on the engine", () => {
    const [shown] = blocks("json");
    expect(blocks("json", page("api-key.md"))).toEqual([shown]);
  });

  it("shows no command but those that are tried on the engine", () => {
    const tried = new Set([...commandLines(), ...triedCommands].map((line) => line.trim()));
    const shown = Object.values(pages).flatMap((each) => commandLines(each));
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((line) => !tried.has(line))).toEqual([]);
  });

  it("links to files and headings that exist", () => {
    const anchor = (heading: string) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-");
    const broken = Object.entries(pages).flatMap(([name, text]) =>
      [...text.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g)]
        .filter(([, path = "", heading]) => {
          const file = path === "" ? join("docs", name) : join(dirname(join("docs", name)), path);
          if (!existsSync(join(checkout, file))) return true;
          const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => anchor(title));
          return heading !== undefined && !headings.includes(heading);
        })
        .map(([link]) => `${name}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
