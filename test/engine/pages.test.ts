import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StandIn, startStandIn } from "../../standin";
import { execute } from "../../tools/engine/command";
import { shellEnvironment } from "../../tools/engine/environment";
import { checkout } from "../../tools/engine/folders";
import { loadProgram } from "../../tools/engine/loadProgram";
import type { Outcome } from "../../tools/engine/outcome";
import { createProject, type Project } from "../../tools/engine/project";
import { pulumiCli } from "../../tools/engine/pulumiCli";
import { createStack, type EngineStack, type StateDeployment } from "../../tools/engine/stack";
import { page } from "../package/docsText";
import { blocks, codeFiles, commandLines, section } from "../package/readmeText";
import { type Scene, setScene } from "./scene";

const environments = page("environments.md");
const production = page("production.md");
const secrets = page("secrets.md");
const code = (heading: string, text: string) => blocks("ts", section(heading, text));
const printed = (heading: string, text: string) =>
  blocks("text", section(heading, text))[0]?.trimEnd().split("\n") ?? [];

const expectOk = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);
/** The command printed these lines, with any beginning. */
const expectPrinted = ({ output }: Outcome, lines: readonly string[]) => {
  expect(lines).not.toEqual([]);
  const of = output.split("\n").map((line) => line.trim());
  expect(lines.filter((line) => !of.some((each) => each.endsWith(line.trim())))).toEqual([]);
};

describe("what the pages on environments, production and secrets show", () => {
  let service: StandIn;
  let project: Project;
  let stack: EngineStack;

  const declare = (program = "") =>
    project.write("index.ts", program.replace(/https:\/\/\w+\.example\.com/g, service.url));
  const follow = (line: string, ...more: readonly string[]) =>
    stack.run([...line.split(" ").slice(1), ...more]);
  const up = (name: string) => follow(`pulumi up --stack ${name}`, "--yes", "--skip-preview");
  const preview = (name: string, ...more: readonly string[]) =>
    follow(`pulumi preview --stack ${name}`, "--suppress-progress", ...more);
  const stateOf = async (name: string): Promise<StateDeployment> =>
    JSON.parse((await follow(`pulumi stack export --stack ${name}`)).stdout).deployment;
  const keysIn = (workspaceId: string) => service.keys({ workspaceId, deleted: false });

  beforeAll(async () => {
    const tokens = { ours: "token-of-the-stack", emea: "token-of-emea", apac: "token-of-apac" };
    const ids = { ours: ["ws_dev", "ws_prod", "ws_main"], emea: ["ws_emea"], apac: ["ws_apac"] };
    const tenant = (name: keyof typeof ids) => ({
      accessToken: tokens[name],
      workspaces: ids[name].map((id) => ({ id })),
    });
    service = await startStandIn({ tenants: [tenant("ours"), tenant("emea"), tenant("apac")] });
    project = await createProject("shop");
    stack = await createStack(project, {
      program: loadProgram(project.dir),
      stackName: "prod",
      env: {
        APIKEYS_ACCESS_TOKEN: tokens.ours,
        EMEA_ACCESS_TOKEN: tokens.emea,
        APAC_ACCESS_TOKEN: tokens.apac,
      },
    });
    const whole = section("A whole example", environments);
    for (const { file = "", text } of codeFiles("yaml", whole)) {
      const added = file === "Pulumi.prod.yaml" ? await secretsSettings(project) : "";
      await project.write(file, text.replace(/https:\/\/[\w.]+\.example\.com/g, service.url) + added);
    }
    await declare(code("A whole example", environments)[0]);
  });
  afterAll(() => Promise.all([service?.close(), project?.remove()]));

  it("the whole example sets up an environment for each stack", async () => {
    const [init = "", update = "", look = ""] = commandLines(environments);
    expectOk(await follow(init));
    expectOk(await follow(update, "--yes"));
    const previewed = await follow(look);
    expectOk(previewed);
    expect(previewed.changes).toEqual({ create: 4 });
    expectOk(await up("prod"));
    const shown = ["dev", "prod"].map((name) => [
      keysIn(`ws_${name}`).map(({ prefix, scopes }) => [prefix, scopes[0]?.representation]),
      service.workspaces().find(({ id }) => id === `ws_${name}`)?.defaultRateLimitPerSecond,
    ]);
    expect(shown).toEqual([
      [[["shop_dev", "orders"]], 10],
      [[["shop_prod", "orders"]], 100],
    ]);
  });

  it("a stack without a value that the project requires fails the preview, which names it", async () => {
    expectOk(await follow("pulumi stack init empty"));
    const outcome = await preview("empty");
    expect(outcome.ok).toBe(false);
    expect(outcome.output).toContain("workspaceId");
  });

  it("another stack reads the exported key by a stack reference, where it is a secret too", async () => {
    const [, reader = ""] = code("Another stack", secrets);
    const other = await createProject("orders");
    try {
      const env = {
        PULUMI_HOME: `${project.dir}/.pulumi-home`,
        PULUMI_BACKEND_URL: `file://${project.dir}/.pulumi-state`,
      };
      await other.write("index.ts", reader);
      const reading = await createStack(other, { program: loadProgram(other.dir), env });
      expectOk(await reading.up());
      const [key] = keysIn("ws_prod");
      expect(await reading.outputs()).toEqual({ apiKey: { value: key?.key, secret: true } });
    } finally {
      await other.remove();
    }
  });

  it("a Provider for each service works, and so does a component that passes its Provider on", async () => {
    const [several = "", component = ""] = code("Several services in one program", environments);
    await declare(several);
    expectOk(await up("dev"));
    expect(["ws_emea", "ws_apac"].map((id) => keysIn(id).map(({ name }) => name))).toEqual([
      ["ci-emea"],
      ["ci-apac"],
    ]);
    await declare(component);
    expectOk(await up("dev"));
    expect(keysIn("ws_emea").map(({ name }) => name)).toEqual(["orders-ci"]);
  });

  it("`protect` fails the preview of a replacement with the page's words; without it, the replacement is shown", async () => {
    const [program = ""] = code("Protect", production);
    const replaced = program.replace('customerId: "checkout"', 'customerId: "other"');
    await declare(program.replace('pulumi.getStack() === "prod"', "true"));
    const left = await up("prod");
    // The previous program's key is now protected.
    expect(left.ok).toBe(false);
    await follow("pulumi state unprotect --all --yes --stack prod");
    for (const name of ["dev", "prod"]) {
      await declare(program);
      expectOk(await up(name));
      await declare(replaced);
      const outcome = await preview(name);
      expect(outcome.ok).toBe(name === "dev");
      const heading = name === "dev" ? "Reviewing replacements" : "Protect";
      expectPrinted(outcome, printed(heading, production));
    }
  });

  it("a replacement that only the command forces shows no input, and warns of the old key", async () => {
    const [program = ""] = code("Protect", production);
    await declare(program);
    const { resources = [] } = await stateOf("dev");
    const urn = resources.find(({ urn }) => urn.endsWith("::checkout"))?.urn ?? "";
    const forced = await preview("dev", "--target-replace", urn);
    expect(forced.output).toMatch(/checkout replace\s*$/m);
    expectOk(await follow(`pulumi state taint ${urn} --stack dev`, "--yes"));
    expect((await preview("dev")).output).toContain("checkout replace [diff: ~taint]");
    expectOk(await follow(`pulumi state untaint ${urn} --stack dev`, "--yes"));
    const replaced = await follow("pulumi up --stack dev --skip-preview", "--yes", "--target-replace", urn);
    expectOk(replaced);
    // Including the key of the other stack.
    expect(replaced.output).toContain("already has 2 keys with this name and customer");
  });

  it("`retainOnDelete` leaves the old key of a replacement", async () => {
    const [program = ""] = code("Protect", production);
    const kept = program.replace("{ protect }", "{ retainOnDelete: true }");
    await declare(kept);
    expectOk(await up("dev"));
    const before = keysIn("ws_main").length;
    await declare(kept.replace('customerId: "checkout"', 'customerId: "other"'));
    expect((await preview("dev")).output).toContain("[retain]");
    expectOk(await up("dev"));
    expect(keysIn("ws_main")).toHaveLength(before + 1);
  });

  it("`replacementTrigger` of a grant fails the preview with the page's words", async () => {
    const [program = ""] = code("Credits", production);
    const forced = (trigger: string) =>
      declare(program.replaceAll("{ protect: true }", `{ replacementTrigger: "${trigger}" }`));
    await forced("a");
    expectOk(await up("dev"));
    await forced("b");
    const outcome = await preview("dev");
    expect(outcome.ok).toBe(false);
    expectPrinted(outcome, printed("Credits", production));
    expect(service.billings()).toHaveLength(2);
  });
});

describe("what the pages say about destroy and failing replacements", () => {
  let scene: Scene;
  const live = () => scene.service.keys({ deleted: false });
  const names = () => live().map(({ name }) => name);
  const run = (line: string) => scene.stack.run([...line.split(" "), "--yes"]);

  const declare = (rotated: string) =>
    scene.declare(`import * as sdk from "pulumi-apikeys";
const workspaceId = "ws_main";
const common = { workspaceId, customerId: "customer" };
new sdk.ApiKey("guarded", common, { protect: true });
new sdk.ApiKey("single", common);
new sdk.ApiKeySet("set", { workspaceId, defaults: { customerId: "customer" }, keys: { acme: {}, beta: {} } });
new sdk.RotatingApiKey("rotating", { ...common, rotateEvery: "90d", keepers: { rotated: "${rotated}" } });
new sdk.WorkspaceSettings("settings", { workspaceId, defaultRateLimitPerSecond: 50 });
new sdk.Scope("orders", { workspaceId, name: "Orders", representation: "orders" });
new sdk.CustomerBilling("credits", { workspaceId, totalCredits: "1000" });
`);

  beforeAll(async () => {
    scene = await setScene("destroyed");
    for (const rotated of ["once", "twice"]) {
      await declare(rotated);
      expectOk(await run("up --skip-preview"));
    }
  });
  afterAll(() => scene?.close());

  it("destroy deletes nothing if a resource is protected; with --skip-preview it deletes the others", async () => {
    const all = names().toSorted();
    expect(all).toEqual(["acme", "beta", "guarded", "rotating", "rotating", "single"]);
    expect((await run("destroy")).ok).toBe(false);
    expect(names().toSorted()).toEqual(all);
    const outcome = await run("destroy --skip-preview");
    expect(outcome.ok).toBe(false);
    expect(names()).toEqual(["guarded"]);
    expect(outcome.output).toMatch(/warning: .*"orders" in workspace ws_main/);
    expect(outcome.output).toMatch(/warning: .*credits of bill_/);
  });

  it("settings, scopes and credits stay in the service", () => {
    const { service } = scene;
    expect(service.workspaces()[0]?.defaultRateLimitPerSecond).toBe(50);
    expect(service.scopes("ws_main").map(({ name }) => name)).toEqual(["Orders"]);
    expect(service.billings()).toHaveLength(1);
  });

  it("`pulumi stack rm` fails for a stack with resources", async () => {
    expect((await run("stack rm dev")).ok).toBe(false);
    expectOk(await run("state unprotect --all"));
    expectOk(await run("destroy"));
    expect(names()).toEqual([]);
  });

  it("a replaced key stays until the resource that uses it is updated", async () => {
    const use = (rotated: string) =>
      scene.declare(`import { ApiKey } from "pulumi-apikeys";
const common = { workspaceId: "ws_main", customerId: "customer" };
const used = new ApiKey("used", { ...common, keepers: { rotated: "${rotated}" } });
new ApiKey("user", { ...common, name: used.key });`);
    await use("once");
    expectOk(await run("up --skip-preview"));
    const [old] = live().filter(({ name }) => name === "used");
    scene.service.inject({ endpoint: "editApiKey", times: 2, fault: { kind: "status", status: 403 } });
    await use("twice");
    for (const ok of [false, false, true]) {
      expect((await run("up --skip-preview")).ok).toBe(ok);
      expect(live().some(({ id }) => id === old?.id)).toBe(!ok);
    }
  });
});

/** The lines that the CLI has added to a stack's config file for its secrets. */
async function secretsSettings(project: Project): Promise<string> {
  const text = await readFile(join(project.dir, "Pulumi.prod.yaml"), "utf8").catch(() => "");
  return text.match(/^(encryptionsalt|secretsprovider|encryptedkey):.*$/gm)?.join("\n") ?? "";
}

describe("the integration test of docs/testing.md", () => {
  it("passes on the CLI that is on PATH, also if its program calls a function", async () => {
    const [test = ""] = code("Integration tests with the stand-in", page("testing.md"));
    const project = await createProject("integration");
    try {
      const { root } = await pulumiCli();
      const calling = test
        .replace("import { ApiKey }", "import { ApiKey, getWorkspace }")
        .replace("  return {", `  await getWorkspace({ id: "ws_main" });\n  return {`);
      expect(calling.match(/getWorkspace/g)).toHaveLength(2);
      await project.write("keys.test.ts", calling);
      const run = await execute("node", ["--test"], {
        cwd: project.dir,
        timeoutMs: 120_000,
        env: { ...shellEnvironment(checkout, [join(root, "bin")]), TMPDIR: project.dir },
      });
      expect(run, run.output).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1\b/) });
    } finally {
      await project.remove();
    }
  });
});
