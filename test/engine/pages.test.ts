import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { definitions } from "../../provider/resources";
import { startStandIn } from "../../standin";
import { execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, createProject, loadProgram, type Project } from "../../tools/engine/project";
import { pulumiCli } from "../../tools/engine/pulumiCli";
import { createStack, type Outcome, type StateDeployment } from "../../tools/engine/stack";
import { page } from "../package/docsText";
import { blocks, codeFiles, commandLines, section } from "../package/readmeText";
import { expectQuiet, onlyError, stepsFor } from "./expectations";
import { createFixture, runApikeys } from "./fixture";

const environments = page("environments.md");
const production = page("production.md");
const troubleshooting = page("troubleshooting.md");
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

/** The stacks of a shop, with several services, as the pages show them. */
async function shop() {
  const tokens = { ours: "token-of-the-stack", emea: "token-of-emea", apac: "token-of-apac" };
  const ids = { ours: ["ws_dev", "ws_prod", "ws_main"], emea: ["ws_emea"], apac: ["ws_apac"] };
  const tenant = (name: keyof typeof ids) => ({
    accessToken: tokens[name],
    workspaces: ids[name].map((id) => ({ id })),
  });
  const service = await startStandIn({ tenants: [tenant("ours"), tenant("emea"), tenant("apac")] });
  const project = await createProject("shop");
  onTestFinished(async () => {
    await Promise.all([service.close(), project.remove()]);
  });
  const stack = await createStack(project, {
    program: loadProgram(project.dir),
    stackName: "prod",
    env: {
      APIKEYS_ACCESS_TOKEN: tokens.ours,
      EMEA_ACCESS_TOKEN: tokens.emea,
      APAC_ACCESS_TOKEN: tokens.apac,
    },
  });
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
  for (const { file = "", text } of codeFiles("yaml", section("A whole example", environments))) {
    const added = file === "Pulumi.prod.yaml" ? await secretsSettings(project) : "";
    await project.write(file, text.replace(/https:\/\/[\w.]+\.example\.com/g, service.url) + added);
  }
  await declare(code("A whole example", environments)[0]);
  const [init = ""] = commandLines(environments);
  expectOk(await follow(init));
  return { service, project, declare, follow, up, preview, stateOf, keysIn };
}

it("docs/environments.md: an environment for each stack, whose exported key another stack reads as a secret", async () => {
  const { service, project, follow, up, preview, keysIn } = await shop();
  const [, update = "", look = ""] = commandLines(environments);
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

  expectOk(await follow("pulumi stack init empty"));
  const outcome = await preview("empty");
  expect(outcome.ok).toBe(false);
  expect(outcome.output).toContain("workspaceId");

  const [, reader = ""] = code("Another stack", page("secrets.md"));
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

it("docs/environments.md: a Provider for each service works, and so does a component that passes its Provider on", async () => {
  const { declare, up, keysIn } = await shop();
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

it("docs/production.md: `protect` fails the preview of a replacement with the page's words; without it, the replacement is shown", async () => {
  const { declare, follow, up, preview, stateOf } = await shop();
  const [program = ""] = code("Protect", production);
  const replaced = program.replace('customerId: "checkout"', 'customerId: "other"');
  for (const name of ["dev", "prod"]) {
    await declare(program);
    expectOk(await up(name));
    await declare(replaced);
    const outcome = await preview(name);
    expect(outcome.ok).toBe(name === "dev");
    const heading = name === "dev" ? "Reviewing replacements" : "Protect";
    expectPrinted(outcome, printed(heading, production));
  }

  // A replacement that only the command forces shows no input, and warns of the old key.
  await declare(program);
  const { resources = [] } = await stateOf("dev");
  const urn = resources.find(({ urn }) => urn.endsWith("::checkout"))?.urn ?? "";
  const forced = await preview("dev", "--target-replace", urn);
  expect(forced.output).toMatch(/checkout replace\s*$/m);
  expectOk(await follow(`pulumi state taint ${urn} --stack dev`, "--yes"));
  expect((await preview("dev")).output).toContain("checkout replace [diff: ~taint]");
  expectOk(await follow(`pulumi state untaint ${urn} --stack dev`, "--yes"));
  const forcedUp = await follow("pulumi up --stack dev --skip-preview", "--yes", "--target-replace", urn);
  expectOk(forcedUp);
  // Including the key of the other stack.
  expect(forcedUp.output).toContain("already has a key with the name and customer of a new one");
});

it("docs/production.md: `retainOnDelete` leaves the old key of a replacement", async () => {
  const { declare, up, preview, keysIn } = await shop();
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

it("docs/production.md: `replacementTrigger` of a grant fails the preview with the page's words", async () => {
  const { service, declare, up, preview } = await shop();
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

it("docs/production.md: destroy deletes nothing if a resource is protected; with --skip-preview, it deletes the others", async () => {
  const fixture = await createFixture("destroyed");
  const { service } = fixture;
  const run = (line: string) => fixture.stack.run([...line.split(" "), "--yes"]);
  const names = () =>
    service
      .keys({ deleted: false })
      .map(({ name }) => name)
      .toSorted();
  for (const rotated of ["once", "twice"]) {
    await fixture.declare(`import * as sdk from "pulumi-apikeys";
const workspaceId = "ws_main";
const common = { workspaceId, customerId: "customer" };
new sdk.ApiKey("guarded", common, { protect: true });
new sdk.ApiKeySet("set", { workspaceId, defaults: { customerId: "customer" }, keys: { acme: {}, beta: {} } });
new sdk.RotatingApiKey("rotating", { ...common, rotateEvery: "90d", keepers: { rotated: "${rotated}" } });
new sdk.Scope("orders", { workspaceId, name: "Orders", representation: "orders" });
new sdk.CustomerBilling("credits", { workspaceId, totalCredits: "1000" });
`);
    expectOk(await run("up --skip-preview"));
  }
  const all = ["acme", "beta", "guarded", "rotating", "rotating"];
  expect((await run("destroy")).ok).toBe(false);
  expect(names()).toEqual(all);
  const outcome = await run("destroy --skip-preview");
  expect(outcome.ok).toBe(false);
  expect(names()).toEqual(["guarded"]);
  expect(outcome.output).toMatch(/warning: .*"orders" in workspace ws_main/);
  expect(outcome.output).toMatch(/warning: .*credits of bill_/);
  expect(service.scopes("ws_main").map(({ name }) => name)).toEqual(["Orders"]);
  expect(service.billings()).toHaveLength(1);
  expect((await run("stack rm dev")).ok).toBe(false);
  expectOk(await run("state unprotect --all"));
  expectOk(await run("destroy"));
  expect(names()).toEqual([]);
});

it("docs/production.md: a replaced key stays until the resource that uses it is updated", async () => {
  const fixture = await createFixture("used");
  const { service } = fixture;
  const use = (rotated: string) =>
    fixture.declare(`import { ApiKey } from "pulumi-apikeys";
const common = { workspaceId: "ws_main", customerId: "customer" };
const used = new ApiKey("used", { ...common, keepers: { rotated: "${rotated}" } });
new ApiKey("user", { ...common, name: used.key });`);
  await use("once");
  expectOk(await fixture.stack.up());
  const [old] = service.keys({ deleted: false }).filter(({ name }) => name === "used");
  service.inject({ endpoint: "editApiKey", times: 2, fault: { kind: "status", status: 403 } });
  await use("twice");
  for (const ok of [false, false, true]) {
    expect((await fixture.stack.up()).ok).toBe(ok);
    expect(service.keys({ deleted: false }).some(({ id }) => id === old?.id)).toBe(!ok);
  }
});

it("docs/testing.md: the integration test passes on the CLI that is on PATH, also if its program calls a function", async () => {
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

it("docs/pipelines.md: its commands preview, create, and fail if something was changed outside Pulumi; `ignoreChanges` leaves a field", async () => {
  const program = (more = "", options = "{}") => `
    import { ApiKey } from "pulumi-apikeys";
    new ApiKey("ci", { workspaceId: "ws_main", customerId: "customer", ${more} }, ${options});`;
  const fixture = await createFixture("pipelines", { program: program() });
  const run = (command: string) => fixture.stack.run(command.split(" ").slice(1));
  const key = () => fixture.service.keys({ deleted: false })[0];
  const update = () => run("pulumi up --refresh --yes");
  const drift = () => run("pulumi preview --refresh --expect-no-changes");
  const preview = await run("pulumi preview --refresh --diff");
  expectOk(preview);
  expect(preview.stdout).toContain("+ pulumi-nodejs:dynamic/apikeys:ApiKey: (create)");
  expectOk(await update());
  expectOk(await drift());
  fixture.service.editKey(key()?.id ?? "", { enabled: false });
  const found = await drift();
  expect(found.ok).toBe(false);
  expect(found.output).toContain("no changes were expected");
  await fixture.declare(program('name: "ours"', '{ ignoreChanges: ["enabled"] }'));
  expectOk(await update());
  expect(key()).toMatchObject({ name: "ours", enabled: false });
  expectOk(await drift());
});

const [showIds = "", deletion = "", clear = ""] = commandLines(troubleshooting).map((line) =>
  line.replace(/^pulumi /, ""),
);
const ciProgram = `
import { ApiKey } from "pulumi-apikeys";
new ApiKey("ci", { workspaceId: "ws_main", customerId: "customer-1" });
`;

it("docs/troubleshooting.md: a key that is not in state is found, and deleted by an import or by the page's request", async () => {
  const fixture = await createFixture("orphan", { program: ciProgram });
  const { service, stack } = fixture;
  service.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
  expect(onlyError(await stack.up(), "ci")).toContain("It is not known whether the key was created");
  const orphan = service.keys()[0]?.id ?? "";
  const [search = ""] = blocks("ts", troubleshooting);
  await fixture.declare(`${ciProgram}${search}`);
  // The program lists keys before it creates its own, so only the second update lists that one.
  for (const up of [await stack.up(), await stack.up()]) expectOk(up);
  const keys = service.keys();
  expect(keys).toHaveLength(2);
  expect((await stack.outputs())["candidates"]?.value).toEqual(
    keys.map(({ id, createdAt, maskedKey }) => ({ id, createdAt, maskedKey })),
  );
  const shown = await stack.run(showIds.split(" "));
  expectOk(shown);
  expect(keys.filter(({ id }) => !shown.stdout.includes(`ID: ${id}`)).map(({ id }) => id)).toEqual([orphan]);

  service.addKey({ id: "key_1", workspaceId: "ws_main", name: "left behind" });
  const [, method = "", header = "", address = ""] = /^curl -X (\w+) -H "(.+)" "(.+)"$/.exec(deletion) ?? [];
  const [name = "", value = ""] = header.replace("$APIKEYS_ACCESS_TOKEN", service.accessToken).split(": ");
  const url = address.replace("$APIKEYS_BASE_URL", service.url);
  expect((await fetch(url, { method, headers: { [name]: value } })).status).toBe(200);
  expect(service.key("key_1")).toBeUndefined();

  const [file = ""] = blocks("json", page("api-key.md"));
  await fixture.project.write("keys.json", file.replace("key_reports", orphan));
  expectOk(await stack.import("keys.json", "--protect=false"));
  const up = await stack.up();
  expectOk(up);
  expect(stepsFor(up, "reports").map(({ op }) => op)).toEqual(["delete"]);
  expect(service.keys().map(({ name, id }) => [name, id === orphan])).toEqual([["ci", false]]);
});

it("docs/troubleshooting.md: the pending operation of an interrupted create is warned of, and removed with reads alone", async () => {
  const fixture = await createFixture("interrupted", { program: ciProgram });
  const { service, stack, project } = fixture;
  expectOk(await stack.up());
  // `pulumi stack import` would drop the pending operation.
  const file = join(".pulumi-state", ".pulumi", "stacks", project.name, `${stack.name}.json`);
  const state = JSON.parse(await readFile(join(project.dir, file), "utf8"));
  const { latest } = state.checkpoint;
  const key = latest.resources.find(({ type }: { type: string }) => type.endsWith(":ApiKey"));
  const { id: _, outputs: __, ...begun } = key;
  latest.pending_operations = [{ resource: { ...begun, urn: `${key.urn}-interrupted` }, type: "creating" }];
  await project.write(file, JSON.stringify(state));
  expect((await stack.up()).output).toMatch(/pending/i);
  expect((await stack.exportState()).pending_operations).toHaveLength(1);
  service.clearRequests();
  expectOk(await stack.run([...clear.split(" "), "--yes"]));
  expect((await stack.exportState()).pending_operations ?? []).toEqual([]);
  expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
});

it("K8 docs/api-key.md: an ApiKey is imported, without a request, and the preview shows no change", async () => {
  const fixture = await createFixture("import-page", { program: "export {};" });
  const text = page("api-key.md");
  const [importing = "", previewing = ""] = commandLines(section("Keys that exist already", text));
  const follow = (line: string, ...more: readonly string[]) =>
    fixture.stack.run([...line.split(" ").slice(1), ...more]);
  const [file = ""] = blocks("json", text);
  const [{ id, inputs }] = JSON.parse(file).resources;
  const { workspaceId, customerId, name } = inputs;
  fixture.service.addKey({ id, workspaceId, customerId, name });
  await fixture.project.write("keys.json", file);
  const imported = await follow(importing, "--yes");
  expect(imported.ok, imported.output).toBe(true);
  expect(fixture.service.requests).toEqual([]);
  const args = JSON.stringify({ workspaceId, customerId });
  await fixture.declare(`import { ApiKey } from "pulumi-apikeys";\nnew ApiKey("${name}", ${args});`);
  const refreshed = await follow(previewing, "--expect-no-changes");
  expect(refreshed.ok, refreshed.output).toBe(true);
});

it("K12 docs/adopting.md: its steps adopt 300 keys, and the page shows what they print", async () => {
  const fixture = await createFixture("many-adopted");
  const { service, project, stack } = fixture;
  const steps = section("Adopting 300 keys", page("adopting.md"))
    .split("\n")
    .map((line) => line.trim());
  const args = steps.find((line) => line.startsWith("$ npx "))?.split(" ") ?? [];
  const [, added = ""] = /^\$ echo '(.*)' >> index.ts$/m.exec(steps.join("\n")) ?? [];
  const shown = steps.filter((line) => line.startsWith("pulumi-apikeys adopt: "));
  const [previewed = ""] = steps.filter((line) => line.includes(" to adopt, without a secret"));
  const names = ["acme", ...Array.from({ length: 299 }, (_, place) => `customer-${place}`)];
  const orders = { representation: "orders", read: true, update: true };
  for (const name of names)
    service.addKey({ workspaceId: "ws_main", customerId: "cus_1", name, scopes: [orders] });
  const before = service.keys();
  const written = await runApikeys(fixture, ...args.slice(args.indexOf("adopt"), args.indexOf(">")));
  expect(shown).toHaveLength(2);
  expect(written.stderr.trimEnd().split("\n")).toEqual(shown);
  await project.write("keys.ts", written.stdout);
  await fixture.declare(`${added}\n`);
  const preview = await stack.run(["preview"]);
  expect(preview.changes).toEqual({ create: 2 });
  expect(preview.output).toContain(previewed.replace("…", ""));
  expect(previewed).not.toBe("");
  await project.write("keys.ts", written.stdout.replace(/\}\);(?=\s+export)/, "}, { protect: true });"));
  service.clearRequests();
  const up = await stack.up();
  expect(up, up.output).toMatchObject({ ok: true, changes: { create: 2 } });
  expect(service.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(service.keys()).toEqual(before);
  await expectQuiet(fixture);
  expect((await stack.run(["destroy", "--yes"])).ok).toBe(false);
  expect(service.keys()).toEqual(before);
});

const kebab = (kind: string) => kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();

it.each([...Object.keys(definitions).map(kebab), "functions"])(
  "docs/%s.md: its programs can be previewed",
  async (name) => {
    const fixture = await createFixture("shop", {
      config: () => ({ "shop:legacyKey": { value: "sk_legacy_value", secret: true } }),
    });
    fixture.service.addKey({ id: "key_theirs", workspaceId: "ws_main", name: "theirs" });
    fixture.service.addScope({ workspaceId: "ws_main", representation: "refunds" });
    const programs = blocks("ts", page(`${name}.md`));
    expect(programs).not.toEqual([]);
    for (const program of programs) {
      await fixture.declare(program);
      const outcome = await fixture.stack.preview();
      expectOk(outcome);
      expect(outcome.steps.length).toBeGreaterThan(0);
    }
  },
);

/** The lines that the CLI has added to a stack's config file for its secrets. */
async function secretsSettings(project: Project): Promise<string> {
  const text = await readFile(join(project.dir, "Pulumi.prod.yaml"), "utf8").catch(() => "");
  return text.match(/^(encryptionsalt|secretsprovider|encryptedkey):.*$/gm)?.join("\n") ?? "";
}
