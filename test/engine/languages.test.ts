import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import {
  type CommandOptions,
  type CommandResult,
  type Environment,
  execute,
} from "../../tools/engine/command";
import { shellEnvironment } from "../../tools/engine/environment";
import { checkout, makeWorkFolder, quickly, type WorkFolder } from "../../tools/engine/folders";
import { pulumiCli } from "../../tools/engine/pulumiCli";
import { pages } from "../package/docsText";
import { blocks, commandLines } from "../package/readmeText";
import { expectKept } from "./secrecy";

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

beforeAll(async () => {
  await succeed("npm", ["run", "--silent", "sdks"], { cwd: checkout });
}, 600_000);

describe.each(["python", "go"] as const)(
  "examples/%s, run by the Automation API of its language",
  (language) => {
    const dir = join(checkout, "examples", language);
    const printed: string[] = [];
    let service: StandIn;
    let tools: WorkFolder;
    let home: WorkFolder;
    let env: Environment;
    let program: readonly string[];

    beforeAll(async () => {
      const workspaces = [{ id: "ws_main", name: "Main", defaultRateLimitPerSecond: 7 }];
      service = await startStandIn({ tenants: [{ accessToken: "team-access-token", workspaces }] });
      [tools, home] = await Promise.all([
        makeWorkFolder("languages", `${language}-tools`),
        makeWorkFolder("languages", language),
      ]);
      const [state, temporary] = ["state", "tmp"].map((name) => join(home.path, name));
      await Promise.all([state, temporary].map((folder) => mkdir(folder as string)));
      const { root } = await pulumiCli();
      const shell = {
        ...shellEnvironment(checkout, [join(checkout, "plugin"), join(root, "bin")]),
        ...quickly,
      };
      env = {
        ...shell,
        TMPDIR: temporary,
        PULUMI_HOME: join(home.path, "home"),
        PULUMI_BACKEND_URL: `file://${state}`,
        PULUMI_CONFIG_PASSPHRASE: "test",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        APIKEYS_BASE_URL: service.url,
        TEAM_APIKEYS_TOKEN: service.accessToken,
      };
      program = await examples[language](dir, tools.path, shell);
    }, 600_000);
    afterAll(() => Promise.all([service?.close(), tools?.remove(), home?.remove()]));

    const run = async (...args: readonly string[]): Promise<CommandResult> => {
      const [command = "", ...before] = program;
      service.clearRequests();
      const result = await succeed(command, [...before, ...args], { cwd: dir, env });
      printed.push(result.output);
      return result;
    };
    const keyNamed = (name: string) => service.keys().find((key) => key.name === name);
    const writes = () => service.requests.map(({ method }) => method).filter((method) => method !== "GET");
    const limit = () => service.workspaces()[0]?.defaultRateLimitPerSecond;

    it("creates what it declares", async () => {
      const { output } = await run("up", "Main", "acme", "beta");
      expect(output).toContain("+ 7 created");
      expect(output).toContain("disabled keys: []");
      const reads = [expect.objectContaining({ representation: "orders", read: true, update: false })];
      for (const name of ["ci", "acme", "beta"]) expect(keyNamed(name)).toMatchObject({ scopes: reads });
      expect(service.keys()).toHaveLength(3);
      expect(limit()).toBe(50);
      expect(service.billings()).toMatchObject([{ totalCredits: "1000", externalMeterId: "team-meter" }]);
    });

    it("then has nothing to change", async () => {
      expect((await run("up", "Main", "beta", "acme")).output).toContain("7 unchanged");
      expect(writes()).toEqual([]);
    });

    it("replaces one customer by another, and leaves the other keys unchanged", async () => {
      const before = keyNamed("acme");
      const { output } = await run("up", "Main", "acme", "gamma");
      expect(output).toMatch(/~ 1 updated\s+6 unchanged/);
      expect(writes().toSorted()).toEqual(["DELETE", "POST"]);
      expect(keyNamed("acme")).toEqual(before);
      expect([keyNamed("beta"), keyNamed("gamma")?.customerId]).toEqual([undefined, "gamma"]);
    });

    it("finds a change made outside Pulumi in a refresh, names the key, and reverts the change", async () => {
      const id = keyNamed("ci")?.id ?? "";
      service.editKey(id, { enabled: false });
      expect((await run("refresh")).output).toMatch(/~ 1 updated\s+6 unchanged/);
      const { output } = await run("up", "Main", "acme", "gamma");
      expect(output).toContain(`disabled keys: [${language === "python" ? `'${id}'` : id}]`);
      expect(writes()).toEqual(["PATCH"]);
      expect(keyNamed("ci")).toMatchObject({ id, enabled: true });
    });

    it.runIf(language === "python")("the Python programs on the pages run with mocks", async () => {
      const shown = Object.values(pages).flatMap((text) => blocks("python", text));
      expect(shown.length).toBeGreaterThan(1);
      const [python = ""] = program;
      for (const text of shown) await succeed(python, ["-c", withMocks, text], { cwd: tools.path, env });
    });

    it.runIf(language === "go")("the Go programs on the pages compile", async () => {
      const folder = join(home.path, "page");
      await cp(join(checkout, "sdks", "go"), join(folder, "apikeys-sdk"), { recursive: true });
      for (const name of ["go.mod", "go.sum"]) await cp(join(dir, name), join(folder, name));
      const [edit = ""] = commandLines(pages["plugin.md"]).filter((line) => line.startsWith("go "));
      await succeed("go", edit.split(" ").slice(1), { cwd: folder, env });
      const shown = Object.values(pages).flatMap((text) => blocks("go", text));
      expect(shown.length).toBeGreaterThan(0);
      for (const text of shown) {
        await writeFile(join(folder, "main.go"), text);
        await succeed("go", ["build", "-mod=readonly", "-o", "program", "."], { cwd: folder, env });
      }
    });

    it("destroys everything but the credits, which are protected", async () => {
      expect((await run("destroy")).output).toMatch(/- 4 deleted\s+3 unchanged/);
      expect(service.keys()).toEqual([]);
      expect(limit()).toBe(7);
      expect(service.billings()).toHaveLength(1);
    });

    it("prints no secret, and stores none in plain text", async () => {
      expect(service.secrets().length).toBeGreaterThan(4);
      await expectKept(service.secrets(), printed, home.path);
    });
  },
);
