import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitions } from "../../provider/resources";
import { execute } from "../engine/command";
import { shellEnvironment } from "../engine/environment";
import { checkout } from "../engine/folders";
import { createProject, type Project } from "../engine/project";
import { page } from "./docsText";
import { blocks, codeFiles, commandLines, section } from "./readmeText";

const text = page("testing.md");
const unitTests = codeFiles("ts", section("Unit tests with mocks", text));
const [functions = ""] = blocks("ts", section("Functions in unit tests", text));

describe("the unit tests of docs/testing.md", () => {
  let project: Project;

  beforeAll(async () => {
    project = await createProject("unit-tests");
  });
  afterAll(() => project?.remove());

  it("pass, with mocks and with functions", async () => {
    for (const { file = "", text: code } of unitTests) await project.write(file, code);
    await project.write("functions.test.ts", functions);
    const [command = "", ...args] = commandLines(text)[0]?.split(" ") ?? [];
    const env = shellEnvironment(checkout, [join(checkout, "node_modules", ".bin")]);
    const run = await execute(command, args, { cwd: project.dir, env, timeoutMs: 50_000 });
    expect(run, run.output).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ℹ fail 0$/m) });
    const tests = [...unitTests.map((file) => file.text), functions].join("\n").match(/^test\(/gm);
    expect(run.stdout).toContain(`ℹ pass ${tests?.length}`);
  });

  it("have each class of the package in mocks, program and tests", () => {
    const [mocks, program, tests] = unitTests.map((file) => file.text);
    for (const kind of Object.keys(definitions)) {
      expect(mocks).toContain(`\n  ${kind}: (`);
      expect(program).toContain(`new ${kind}(`);
      expect(tests).toContain(kind);
    }
  });
});
