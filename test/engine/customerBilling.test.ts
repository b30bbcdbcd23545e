import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSilentUp, onlyLine } from "./expectations";
import { type Scene, type SceneOptions, sceneOfTest } from "./scene";

const hundred = `totalCredits: "100"`;

/** A program with one grant: its name, arguments and options as source text. */
type Program = (name?: string, args?: string, options?: string) => string;

const forms: readonly (readonly [form: string, program: Program, host: SceneOptions["host"]])[] = [
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

const granted = ({ service }: Scene) => service.billings().length;

async function urnIn({ stack }: Scene): Promise<string> {
  const { resources = [] } = await stack.exportState();
  return resources.find(({ type }) => type.endsWith(":CustomerBilling"))?.urn ?? "";
}

async function update({ stack }: Scene, ...args: readonly string[]) {
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
  scene: Scene,
  { name = "held", args = [], commands = ["preview", "up"] }: Refusal = {},
) {
  const before = granted(scene);
  for (const command of commands) {
    expect(onlyLine(await scene.stack[command]({ args }), name)).toMatch(
      /credits were already granted|this grant is already in state/,
    );
    expect(granted(scene)).toBe(before);
  }
}

describe.each(forms)("the grant of %s", (_form, program, host) => {
  it("B6 is granted once, whatever forces its replacement, and once more for another value of `grant`", async () => {
    const triggered = (value: string) => program("held", hundred, `replacementTrigger: "${value}"`);
    const scene = await sceneOfTest("grant", { host, program: triggered("1") });
    await update(scene);
    const urn = await urnIn(scene);
    await expectRefused(scene, { args: [`--replace=${urn}`], commands: ["up"] });
    await expectRefused(scene, { args: [`--target-replace=${urn}`], commands: ["up"] });
    await scene.stack.run(["state", "taint", urn, "--yes"]);
    await expectRefused(scene, { commands: ["up"] });
    await scene.stack.run(["state", "untaint", urn, "--yes"]);
    await scene.declare(triggered("2"));
    await expectRefused(scene);
    await scene.declare(program("held", `${hundred}, grant: "again"`));
    await update(scene, `--target-replace=${urn}`);
    expect(granted(scene)).toBe(2);
    await expectSilentUp(scene);
  });

  it("B6 is granted once under another name, and keeps its record with aliases or by its id", async () => {
    const scene = await sceneOfTest("grant-renamed", { host, program: program() });
    await update(scene);
    await scene.declare(program("renamed"));
    await expectRefused(scene, { name: "renamed" });
    await scene.declare(program("renamed", hundred, `aliases: [{ name: "held" }]`));
    await expectSilentUp(scene);
    await scene.declare(program("adopted", `billingId: "${scene.service.billings()[0]?.id}"`));
    await update(scene);
    expect(granted(scene)).toBe(1);
  });

  it("B3 B6 is not sent again after a lost answer, whatever would replace it", async () => {
    const scene = await sceneOfTest("grant-lost", { host, program: program() });
    scene.service.inject({ endpoint: "createBilling", fault: { kind: "resetAfter" } });
    expect((await scene.stack.up()).ok).toBe(false);
    expect(granted(scene)).toBe(1);
    await scene.declare(program("held", hundred, `replaceOnChanges: ["*"]`));
    await expectRefused(scene, { args: [`--replace=${await urnIn(scene)}`], commands: ["up"] });
    await scene.declare(program("renamed"));
    await expectRefused(scene, { name: "renamed" });
  });
});

it("B6 is not read before each update of a Node.js program with the plugin, so an update can target another resource", async () => {
  const sdk = (more = "") => `
    import { ApiKey, CustomerBilling } from "pulumi-apikeys";
    new CustomerBilling("held", { workspaceId: "ws_main", ${hundred} });
    ${more}`;
  const scene = await sceneOfTest("grant-targets", { program: sdk(), host: "plugin" });
  await update(scene);
  const { steps } = await scene.stack.preview();
  expect(steps.filter(({ op }) => op !== "same")).toEqual([]);
  await scene.declare(sdk(`new ApiKey("new", { workspaceId: "ws_main", customerId: "internal" });`));
  const other = (await urnIn(scene)).replace("CustomerBilling::held", "ApiKey::new");
  await update(scene, `--target=${other}`);
  expect(scene.service.keys()).toHaveLength(1);
});

it("B6 grants nothing if state can't be read, and the error says why; state is read again, because the engine may be writing it", async () => {
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
  const scene = await sceneOfTest("grant-unread", { program: program("Infinity") });
  for (const command of ["preview", "up"] as const) {
    expect(onlyLine(await scene.stack[command](), "held")).toMatch(
      /the state of the stack can't be read \(.*no such function.*\).* Nothing was granted\. Run `pulumi up` again\.$/,
    );
  }
  expect(granted(scene)).toBe(0);
  await scene.declare(program("3"));
  await update(scene);
  expect(granted(scene)).toBe(1);
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

it("B6 is granted once in a component that is a provider of its own, where no program reads the stack's state", async () => {
  const program = (name: string) => `
    import * as pulumi from "@pulumi/pulumi";
    new pulumi.ComponentResource("teams:index:Team", "${name}", {}, {}, true);`;
  const scene = await sceneOfTest("grant-component", { program: program("checkout") });
  const folder = join(scene.project.dir, "teams");
  await mkdir(folder);
  await scene.project.write("teams/pulumi-resource-teams", component);
  await chmod(join(folder, "pulumi-resource-teams"), 0o755);
  await scene.project.setHost("plugin", { teams: "teams" });
  await update(scene);
  const replaced = await scene.stack.up({ args: ["--replace", await urnIn(scene)] });
  expect(replaced.ok).toBe(false);
  expect(replaced.output).toContain("the credits were already granted");
  await scene.declare(program("payment"));
  for (const command of ["preview", "up"] as const) {
    const { ok, output } = await scene.stack[command]();
    expect(ok).toBe(false);
    expect(output).toContain("this grant is already in state");
  }
  expect(granted(scene)).toBe(1);
});
