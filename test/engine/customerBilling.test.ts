import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSilentUp, onlyError } from "./expectations";
import { createFixture, type Fixture, type FixtureOptions } from "./fixture";

const hundred = `totalCredits: "100"`;

/** A program with one grant: its name, arguments and options as source text. */
type Program = (name?: string, args?: string, options?: string) => string;

const forms: readonly (readonly [form: string, program: Program, host: FixtureOptions["host"]])[] = [
  [
    "a Node.js program",
    (name = "held", args = hundred, options = "") => `
      import { CustomerBilling } from "pulumi-apikeys";
      new CustomerBilling("${name}", { workspaceId: "ws_main", ${args} }, { ${options} });`,
    "dynamic",
  ],
  [
    // As a program in another language, in which nothing reads state.
    "a program without this package, with the plugin",
    (name = "held", args = hundred, options = "") => `
      import * as pulumi from "@pulumi/pulumi";
      const args = { workspaceId: "ws_main", ${args} };
      new pulumi.CustomResource("apikeys:index:CustomerBilling", "${name}", args, { ${options} });`,
    "plugin",
  ],
];

const granted = ({ service }: Fixture) => service.billings().length;

async function urnIn({ stack }: Fixture): Promise<string> {
  const { resources = [] } = await stack.exportState();
  return resources.find(({ type }) => type.endsWith(":CustomerBilling"))?.urn ?? "";
}

async function update({ stack }: Fixture, ...args: readonly string[]) {
  const up = await stack.up({ args });
  expect(up.ok, up.output).toBe(true);
}

interface Refusal {
  /** Default: "held". */
  readonly name?: string;
  readonly args?: string[];
  /** Default: both. */
  readonly commands?: readonly ("preview" | "up")[];
}

/** The commands fail for this resource, and nothing is granted. */
async function expectRefused(
  fixture: Fixture,
  { name = "held", args = [], commands = ["preview", "up"] }: Refusal = {},
) {
  const before = granted(fixture);
  for (const command of commands) {
    expect(onlyError(await fixture.stack[command]({ args }), name)).toContain(
      "this grant is already in state",
    );
    expect(granted(fixture)).toBe(before);
  }
}

describe.each(forms)("the grant of %s", (_form, program, host) => {
  it("B6 a grant is made once, whatever forces its replacement, and once more for another value of `grant`", async () => {
    const triggered = (value: string) => program("held", hundred, `replacementTrigger: "${value}"`);
    const fixture = await createFixture("grant", { host, program: triggered("1") });
    await update(fixture);
    const urn = await urnIn(fixture);
    await expectRefused(fixture, { args: [`--replace=${urn}`], commands: ["up"] });
    await expectRefused(fixture, { args: [`--target-replace=${urn}`], commands: ["up"] });
    await fixture.stack.run(["state", "taint", urn, "--yes"]);
    await expectRefused(fixture, { commands: ["up"] });
    await fixture.stack.run(["state", "untaint", urn, "--yes"]);
    await fixture.declare(triggered("2"));
    await expectRefused(fixture);
    await fixture.declare(program("held", `${hundred}, grant: "again"`));
    await update(fixture, `--target-replace=${urn}`);
    expect(granted(fixture)).toBe(2);
    await expectSilentUp(fixture);
  });

  it("B6 a grant is made once under another name, and keeps its record with aliases or by its id", async () => {
    const fixture = await createFixture("grant-renamed", { host, program: program() });
    await update(fixture);
    await fixture.declare(program("renamed"));
    await expectRefused(fixture, { name: "renamed" });
    // A hook's error begins a line; Pulumi's words stand before a check failure.
    const { output } = await fixture.stack.preview();
    expect(output).toMatch(host === "plugin" ? / has a problem: APIKEYS1004: grant: / : /^ *APIKEYS1004: /m);
    await fixture.declare(program("renamed", hundred, `aliases: [{ name: "held" }]`));
    await expectSilentUp(fixture);
    await fixture.declare(program("adopted", `billingId: "${fixture.service.billings()[0]?.id}"`));
    await update(fixture);
    expect(granted(fixture)).toBe(1);
  });

  it("B3 B6 a grant is not sent again after a lost answer, whatever would replace it", async () => {
    const fixture = await createFixture("grant-lost", { host, program: program() });
    fixture.service.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
    expect((await fixture.stack.up()).ok).toBe(false);
    expect(granted(fixture)).toBe(1);
    await fixture.declare(program("held", hundred, `replaceOnChanges: ["*"]`));
    await expectRefused(fixture, { args: [`--replace=${await urnIn(fixture)}`], commands: ["up"] });
    await fixture.declare(program("renamed"));
    await expectRefused(fixture, { name: "renamed" });
  });
});

it("B6 a grant of a Node.js program with the plugin is not read before each update, so an update can target another resource", async () => {
  const sdk = (more = "") => `
    import { ApiKey, CustomerBilling } from "pulumi-apikeys";
    new CustomerBilling("held", { workspaceId: "ws_main", ${hundred} });
    ${more}`;
  const fixture = await createFixture("grant-targets", { program: sdk(), host: "plugin" });
  await update(fixture);
  const { steps } = await fixture.stack.preview();
  expect(steps.filter(({ op }) => op !== "same")).toEqual([]);
  await fixture.declare(sdk(`new ApiKey("new", { workspaceId: "ws_main", customerId: "internal" });`));
  const other = (await urnIn(fixture)).replace("CustomerBilling::held", "ApiKey::new");
  await update(fixture, `--target=${other}`);
  expect(fixture.service.keys()).toHaveLength(1);
});

it("B6 a program that can't read its state grants nothing, after several attempts, and the error says why", async () => {
  /** The engine fails this many reads of the state. */
  const program = (times: string) => `
    import * as pulumi from "@pulumi/pulumi";
    import { CustomerBilling } from "pulumi-apikeys";
    const monitor = pulumi.runtime.getMonitor() as any;
    const asked = monitor.invoke.bind(monitor);
    let left = ${times};
    monitor.invoke = (request: any, ...rest: any[]) => {
      if (!request.getTok().endsWith(":readStackResourceOutputs") || left-- <= 0) return asked(request, ...rest);
      rest.at(-1)({ details: "no such function" });
    };
    new CustomerBilling("held", { workspaceId: "ws_main", ${hundred} });`;
  const fixture = await createFixture("grant-unread", { program: program("Infinity") });
  for (const command of ["preview", "up"] as const) {
    expect(onlyError(await fixture.stack[command](), "held")).toMatch(
      /the state of the stack can't be read \(.*no such function.*\)\..* Nothing was granted\. Run `pulumi up` again\.$/,
    );
  }
  expect(granted(fixture)).toBe(0);
  await fixture.declare(program("3"));
  await update(fixture);
  expect(granted(fixture)).toBe(1);
});

/** A component that programs of any language can use: it runs in a provider of its own. */
const component = `#!/usr/bin/env node
const pulumi = require("@pulumi/pulumi");
const { CustomerBilling } = require("pulumi-apikeys");

class Team extends pulumi.ComponentResource {
  constructor(name, options) {
    super("teams:index:Team", name, {}, options);
    const args = { workspaceId: "ws_main", totalCredits: "100", grant: "2026" };
    new CustomerBilling(\`\${name}-credits\`, args, { parent: this });
    this.registerOutputs({});
  }
}

const construct = async (name, _type, _inputs, options) => ({ urn: new Team(name, options).urn, state: {} });
pulumi.provider.main({ version: "1.0.0", construct }, process.argv.slice(2));
`;

it("B6 a grant in a component that is a provider of its own is made once, although no program reads the stack's state", async () => {
  const program = (name: string) => `
    import * as pulumi from "@pulumi/pulumi";
    new pulumi.ComponentResource("teams:index:Team", "${name}", {}, {}, true);`;
  const fixture = await createFixture("grant-component", { program: program("checkout") });
  const folder = join(fixture.project.dir, "teams");
  await mkdir(folder);
  await fixture.project.write("teams/pulumi-resource-teams", component);
  await chmod(join(folder, "pulumi-resource-teams"), 0o755);
  await fixture.project.setHost("plugin", { teams: "teams" });
  await update(fixture);
  const replaced = await fixture.stack.up({ args: ["--replace", await urnIn(fixture)] });
  expect(replaced.ok).toBe(false);
  expect(replaced.output).toContain("this grant is already in state");
  await fixture.declare(program("payment"));
  for (const command of ["preview", "up"] as const) {
    const { ok, output } = await fixture.stack[command]();
    expect(ok).toBe(false);
    expect(output).toContain("this grant is already in state");
  }
  expect(granted(fixture)).toBe(1);
});
