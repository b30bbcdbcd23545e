import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Scene, setScene } from "./scene";

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
const program = (name: string) => `
  import * as pulumi from "@pulumi/pulumi";
  new pulumi.ComponentResource("teams:index:Team", "${name}", {}, {}, true);
`;

let scene: Scene;
beforeAll(async () => {
  scene = await setScene("component-provider", { program: program("checkout") });
  const folder = join(scene.project.dir, "teams");
  await mkdir(folder);
  await scene.project.write("teams/pulumi-resource-teams", component);
  await chmod(join(folder, "pulumi-resource-teams"), 0o755);
  await scene.project.setHost("plugin", { teams: "teams" });
});
afterAll(() => scene?.close());

it("B6 grants once in a component that is a provider of its own, where no program reads the stack's state", async () => {
  const up = await scene.stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(scene.service.billings()).toHaveLength(1);
  const { resources = [] } = await scene.stack.exportState();
  const grant = resources.find(({ type }) => type === "apikeys:index:CustomerBilling")?.urn ?? "";
  const replaced = await scene.stack.up({ args: ["--replace", grant] });
  expect(replaced.ok).toBe(false);
  expect(replaced.output).toContain("the credits were already granted");
  await scene.declare(program("payment"));
  for (const command of ["preview", "up"] as const) {
    const { ok, output } = await scene.stack[command]();
    expect(ok).toBe(false);
    expect(output).toContain("this grant is already in state");
  }
  expect(scene.service.billings()).toHaveLength(1);
});
