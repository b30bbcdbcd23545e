import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin } from "../../package.json";
import { namedVariants, startStandIn } from "../../standin";
import { execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, createProject, type Project } from "../../tools/engine/project";
import { page } from "./docsText";
import { blocks, codeFiles, codeIn, commandLines, section, table } from "./readmeText";

const text = page("testing.md");
const unitTests = codeFiles("ts", section("Unit tests with mocks", text));
const [functions = ""] = blocks("ts", section("Functions in unit tests", text));

let project: Project;

beforeAll(async () => {
  project = await createProject("testing");
});
afterAll(() => project?.remove());

test("the unit tests of docs/testing.md pass, with mocks and with functions", async () => {
  for (const { file = "", text: code } of unitTests) await project.write(file, code);
  await project.write("functions.test.ts", functions);
  const [command = "", ...args] = commandLines(text)[0]?.split(" ") ?? [];
  const env = shellEnvironment(checkout, [join(checkout, "node_modules", ".bin")]);
  const run = await execute(command, args, { cwd: project.dir, env, timeoutMs: 50_000 });
  expect(run, run.output).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ℹ fail 0$/m) });
  const tests = [...unitTests.map((file) => file.text), functions].join("\n").match(/^test\(/gm);
  expect(run.stdout).toContain(`ℹ pass ${tests?.length}`);
});

const standIn = section("Running the stand-in", text);
const commands = commandLines(standIn);

const runStandIn = async (...args: readonly string[]) => {
  const script = join(project.dir, "node_modules", "pulumi-apikeys", bin["pulumi-apikeys"]);
  let pid = 0;
  return execute("node", [script, "standin", ...args], {
    env: shellEnvironment(checkout, []),
    timeoutMs: 20_000,
    onStart: (started) => {
      pid = started;
    },
    onStdout: (printed) => {
      if (printed.includes("Press Ctrl-C to stop it")) process.kill(pid, "SIGINT");
    },
  });
};

test("docs/testing.md has a command that starts the stand-in, and the variables that it prints", async () => {
  const [command = "", ...variables] = commands;
  expect(command).toMatch(/^npx pulumi-apikeys standin /);
  const result = await runStandIn(
    ...command
      .split(" ")
      .slice(3)
      .map((arg) => (arg === "8080" ? "0" : arg)),
  );
  expect(result, result.output).toMatchObject({ code: 0 });
  const printed = result.stdout.split("\n").filter((line) => line.startsWith("export "));
  expect(variables).toEqual(printed.map((line) => line.replace(/:\d+$/, ":8080")));
});

test("docs/testing.md shows requests that create and change a key", async () => {
  const [shown = ""] = blocks("console", standIn);
  const service = await startStandIn();
  try {
    const sent = [...shown.matchAll(/^\$ curl -X (\S+) \$APIKEYS_BASE_URL(\S+) .* -d '(.*)'$/gm)];
    for (const [, method = "", path = "", body = ""] of sent) {
      const [created] = service.keys();
      const answer = await fetch(service.url + path.replace("key_reports", `${created?.id}`), {
        ...{ method, body },
        headers: { Authorization: `Bearer ${service.accessToken}`, "Content-Type": "application/json" },
      });
      expect(answer.ok, await answer.text()).toBe(true);
    }
    expect(sent).toHaveLength(2);
    expect(service.keys()).toMatchObject([{ name: "reports", enabled: false }]);
  } finally {
    await service.close();
  }
});

test("docs/testing.md has tables with all options and variants of the stand-in", async () => {
  const { stdout } = await runStandIn("--help");
  const options = table(standIn, "Option").map(({ Option = "" }) => codeIn(Option)[0] ?? "");
  expect(options).toEqual([...stdout.matchAll(/^ {2}(--\w+ [A-Z]+)/gm)].map(([, option]) => option));
  const named = table(standIn, "Variant").flatMap(({ Variant = "" }) => codeIn(Variant));
  expect(named.toSorted()).toEqual(Object.keys(namedVariants).toSorted());
});
