import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { definitions } from "../../provider/resources";
import { type StandIn, startStandIn } from "../../standin";
import { type CommandOptions, type Environment, execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, createProject, makeWorkFolder, quickly } from "../../tools/engine/project";
import { pulumiCli } from "../../tools/engine/pulumiCli";
import { pages } from "../package/docsText";
import { blocks, codeBlocks, commandLines, section } from "../package/readmeText";
import { expectKept, expectSilentUp } from "./expectations";
import { createFixture, credentials } from "./fixture";

/** Runs a command that must exist and succeed. */
async function succeed(command: string, args: readonly string[], options: CommandOptions) {
  const result = await execute(command, args, options);
  if (result.code === 0) return result;
  const failed = result.code === null ? `can't be run, and is needed here: ${result.stderr}` : "failed";
  throw new Error(`${command} ${args.join(" ")} ${failed}\n${result.output}`);
}

/** Builds each example, and returns the command that runs it. */
const examples = {
  async python(dir: string, tools: string, env: Environment) {
    await succeed("python3", ["-m", "venv", tools], { env });
    const python = join(tools, process.platform === "win32" ? "Scripts" : "bin", "python");
    await succeed(python, ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"], { cwd: dir, env });
    return [python, "-B", "automation.py"];
  },
  async go(dir: string, tools: string, env: Environment) {
    const program = join(tools, "program");
    await succeed("go", ["build", "-mod=readonly", "-o", program, "."], { cwd: dir, env });
    return [program];
  },
};

/** Runs a program with Pulumi's mocks. */
const withMocks = `
import sys, pulumi
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return [args.name, {**args.inputs, "outputs": {"ciKey": "sk_1"}}]
    def call(self, args):
        return {}
pulumi.runtime.set_mocks(Mocks())
exec(sys.argv[1])
`;

/** The descriptions of the resources in the published schema, each with the resource's example. */
let descriptions: readonly string[];

beforeAll(async () => {
  await succeed("npm", ["run", "--silent", "sdks"], { cwd: checkout });
  const schema = JSON.parse(await readFile(join(checkout, "sdks", "schema.json"), "utf8"));
  descriptions = Object.values<{ description: string }>(schema.resources).map(
    ({ description }) => description,
  );
}, 600_000);

it("the published schema shows each resource in every language, and its TypeScript compiles", async () => {
  const shown = descriptions.map((text) => codeBlocks(text).map(({ language }) => language));
  expect(shown).toEqual(Object.keys(definitions).map(() => ["typescript", "python", "go", "yaml"]));
  const project = await createProject("schema");
  onTestFinished(project.remove);
  const files = descriptions.map((_, index) => `${index}.ts`);
  for (const [index, text] of descriptions.entries())
    await project.write(files[index] as string, blocks("typescript", text).join("\n"));
  const options = [
    "--noEmit",
    "--ignoreConfig",
    "--strict",
    "--skipLibCheck",
    "--module",
    "node20",
    "--target",
    "es2022",
  ];
  await succeed(join(checkout, "node_modules", ".bin", "tsc"), [...options, ...files], { cwd: project.dir });
}, 60_000);

describe.each(["python", "go"] as const)("the Automation API of %s", (language) => {
  const dir = join(checkout, "examples", language);

  async function start() {
    const workspaces = [{ id: "ws_main", name: "Main", defaultRateLimitPerSecond: 7 }];
    const service = await startStandIn({ tenants: [{ accessToken: "team-access-token", workspaces }] });
    const [tools, home] = await Promise.all([
      makeWorkFolder("languages", `${language}-tools`),
      makeWorkFolder("languages", language),
    ]);
    onTestFinished(async () => {
      await Promise.all([service.close(), tools.remove(), home.remove()]);
    });
    const [state, temporary] = ["state", "tmp"].map((name) => join(home.path, name));
    await Promise.all([state, temporary].map((folder) => mkdir(folder as string)));
    const { root } = await pulumiCli();
    const shell = {
      ...shellEnvironment(checkout, [join(checkout, "plugin"), join(root, "bin")]),
      ...quickly,
    };
    const env = {
      ...shell,
      TMPDIR: temporary,
      PULUMI_HOME: join(home.path, "home"),
      PULUMI_BACKEND_URL: `file://${state}`,
      PULUMI_CONFIG_PASSPHRASE: "test",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      APIKEYS_BASE_URL: service.url,
      TEAM_ACCESS_TOKEN: service.accessToken,
    };
    return { service, tools, home, env, program: await examples[language](dir, tools.path, shell) };
  }

  it(`R13 R5 examples/${language} creates, changes, reverts a change made outside Pulumi, destroys, and shows no secret`, async () => {
    const { service, home, env, program } = await start();
    const printed: string[] = [];
    const run = async (...args: readonly string[]) => {
      const [command = "", ...before] = program;
      service.clearRequests();
      const { output } = await succeed(command, [...before, ...args], { cwd: dir, env });
      printed.push(output);
      return output;
    };
    const keyNamed = (name: string) => service.keys().find((key) => key.name === name);
    const writes = () => service.requests.map(({ method }) => method).filter((method) => method !== "GET");
    const limit = () => service.workspaces()[0]?.defaultRateLimitPerSecond;

    const created = await run("up", "Main", "acme", "beta");
    expect(created).toContain("+ 7 created");
    expect(created).toContain("disabled keys: []");
    const reads = [expect.objectContaining({ representation: "orders", read: true, update: false })];
    for (const name of ["ci", "acme", "beta"]) expect(keyNamed(name)).toMatchObject({ scopes: reads });
    expect(service.keys()).toHaveLength(3);
    expect(limit()).toBe(50);
    expect(service.billings()).toMatchObject([{ totalCredits: "1000", externalMeterId: "team-meter" }]);

    expect(await run("up", "Main", "beta", "acme")).toContain("7 unchanged");
    expect(writes()).toEqual([]);

    const before = keyNamed("acme");
    expect(await run("up", "Main", "acme", "gamma")).toMatch(/~ 1 updated\s+6 unchanged/);
    expect(writes().toSorted()).toEqual(["DELETE", "POST"]);
    expect(keyNamed("acme")).toEqual(before);
    expect([keyNamed("beta"), keyNamed("gamma")?.customerId]).toEqual([undefined, "gamma"]);

    const id = keyNamed("ci")?.id ?? "";
    service.editKey(id, { enabled: false });
    expect(await run("refresh")).toMatch(/~ 1 updated\s+6 unchanged/);
    expect(await run("up", "Main", "acme", "gamma")).toContain(
      `disabled keys: [${language === "python" ? `'${id}'` : id}]`,
    );
    expect(writes()).toEqual(["PATCH"]);
    expect(keyNamed("ci")).toMatchObject({ id, enabled: true });

    expect(await run("destroy")).toMatch(/- 4 deleted\s+3 unchanged/);
    expect(service.keys()).toEqual([]);
    expect(limit()).toBe(7);
    // The credits are protected.
    expect(service.billings()).toHaveLength(1);
    expect(service.secrets().length).toBeGreaterThan(4);
    await expectKept(service.secrets(), printed, home.path);
  }, 600_000);

  it(`programs in ${language} on the pages and in the published schema run or compile`, async () => {
    const { tools, home, env, program } = await start();
    const shown = [...Object.values(pages), ...descriptions].flatMap((text) => blocks(language, text));
    expect(shown.length).toBeGreaterThan(descriptions.length);
    if (language === "python") {
      const [python = ""] = program;
      for (const text of shown) await succeed(python, ["-c", withMocks, text], { cwd: tools.path, env });
      return;
    }
    const folder = join(home.path, "page");
    await cp(join(checkout, "sdks", "go"), join(folder, "apikeys-sdk"), { recursive: true });
    for (const name of ["go.mod", "go.sum"]) await cp(join(dir, name), join(folder, name));
    const [edit = ""] = commandLines(pages["languages.md"]).filter((line) => line.startsWith("go "));
    await succeed("go", edit.split(" ").slice(1), { cwd: folder, env });
    for (const text of shown) {
      await writeFile(join(folder, "main.go"), text);
      await succeed("go", ["build", "-mod=readonly", "-o", "program", "."], { cwd: folder, env });
    }
  }, 600_000);
});

describe("programs in YAML", () => {
  async function start(name: string, example?: "yaml") {
    const tools = await makeWorkFolder("languages", "yaml-tools");
    onTestFinished(tools.remove);
    const host = "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml@v1.25.0";
    await succeed("go", ["install", host], { env: { ...process.env, GOBIN: tools.path, GOWORK: "off" } });
    const { PATH } = shellEnvironment(checkout, [tools.path, join(checkout, "plugin")]);
    const env = (service: StandIn) => ({ ...credentials(service), PATH });
    return createFixture(name, { byCli: true, env, ...(example && { example }) });
  }

  it("the YAML program of docs/languages.md creates its key with the plugin that it names", async () => {
    const { project, service, stack } = await start("shop");
    const [text = ""] = blocks("yaml", section("YAML", pages["languages.md"]));
    await project.write("Pulumi.yaml", text);
    expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 2 } });
    const scopes = [
      { representation: "customers", read: true, update: false },
      { representation: "orders", read: true, update: true },
    ];
    expect(service.keys()).toMatchObject([{ name: "ci", customerId: "customer-1", scopes }]);
    expect(await stack.outputs()).toEqual({ ciKey: { value: service.secrets().at(-1), secret: true } });
  }, 600_000);

  it("R13 examples/yaml creates every resource, then changes nothing, and keeps the protected credits", async () => {
    const fixture = await start("apikeys-yaml", "yaml");
    const { service, stack } = fixture;
    expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 7 } });
    expect(Object.keys(await stack.outputs()).toSorted()).toEqual(["acmeKey", "ciKey", "partnerKey"]);
    expect(service.keys()).toHaveLength(4);
    await expectSilentUp(fixture);
    expect(await stack.destroy({ excludeProtected: true })).toMatchObject({ changes: { delete: 5 } });
    expect([service.keys(), service.billings()]).toMatchObject([[], [{ totalCredits: "1000" }]]);
  }, 600_000);
});
