import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { type StandIn, startStandIn } from "../../standin";
import { execute } from "../../tools/engine/command";
import { checkout, createProject, loadProgram, type Project } from "../../tools/engine/project";
import { pulumiCli } from "../../tools/engine/pulumiCli";
import { createStack, type EngineStack } from "../../tools/engine/stack";
import { isAll, someOf } from "../all";

/** A program that names the plugin and its version, as generated SDKs do. */
const program = (read: boolean) => `
import * as pulumi from "@pulumi/pulumi";

const args = { workspaceId: "ws_main", customerId: "customer", scopes: [{ representation: "orders", read: ${read} }] };
const ci = new pulumi.CustomResource("apikeys:index:ApiKey", "ci", { ...args, key: undefined }, { version: "${version}" });
export const key = (ci as unknown as { key: pulumi.Output<string> }).key;
`;
const inPackage = "node_modules/pulumi-apikeys/plugin";
const settings = `name: installed
runtime: nodejs
plugins:
  providers:
    - name: apikeys
      path: ${inPackage}
`;

beforeAll(async () => {
  if (!isAll) return;
  const packed = await execute("npm", ["run", "--silent", "plugin:package"], { cwd: checkout });
  expect(packed.code, packed.output).toBe(0);
});

const kinds = ["npm package", "script", "executable"] as const;
describe.each(someOf(kinds, (kind) => kind === "npm package"))("the plugin installed as %s", (kind) => {
  let service: StandIn;
  let project: Project;
  let stack: EngineStack;

  beforeAll(async () => {
    service = await startStandIn();
    project = await createProject("installed", { withPackage: kind === "npm package" });
    await project.write("index.ts", program(false));
    if (kind === "npm package") await project.write("Pulumi.yaml", settings);
    stack = await createStack(project, {
      program: loadProgram(project.dir),
      env: { APIKEYS_BASE_URL: service.url, APIKEYS_ACCESS_TOKEN: service.accessToken },
    });
    stack.setEnv("NODE_COMPILE_CACHE", undefined);
    // The executable must work without Node.js, and without its options.
    if (kind === "executable") stack.setEnv("PATH", join((await pulumiCli()).root, "bin"));
    if (kind === "executable") stack.setEnv("NODE_OPTIONS", "--require=./none.js");
    if (kind !== "npm package") await install(kind, stack);
    if (kind === "script") await project.write(".pulumi-home/package.json", '{"type":"module"}');
  });
  afterAll(() => Promise.all([service?.close(), project?.remove()]));

  it("an installed plugin creates, updates, then shows no change, and destroys", async () => {
    expect(await stack.preview()).toMatchObject({ ok: true, changes: { create: 2 } });
    const up = await stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { create: 2 } });
    const { key } = await stack.outputs();
    expect(key).toEqual({ value: service.keys()[0]?.key, secret: true });

    await project.write("index.ts", program(true));
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1, same: 1 } });
    expect(await stack.preview({ expectNoChanges: true })).toMatchObject({ ok: true });
    expect(await stack.destroy()).toMatchObject({ ok: true, changes: { delete: 2 } });
    expect(service.keys()).toEqual([]);
  });

  it.runIf(kind === "npm package")("an installed plugin hands its schema to the CLI", async () => {
    const { stdout } = await stack.run(["package", "get-schema", `./${inPackage}/pulumi-resource-apikeys`]);
    expect(JSON.parse(stdout)).toMatchObject({ name: "apikeys", version });
  });

  it("an installed plugin keeps compiled code for its next start, unless it is an executable", () => {
    const installed =
      kind === "npm package" ? inPackage : `.pulumi-home/plugins/resource-apikeys-v${version}`;
    expect(existsSync(join(project.dir, installed, "compiled"))).toBe(kind !== "executable");
  });
});

/** Installs the archive, which must have the name that the CLI downloads. */
async function install(kind: "script" | "executable", stack: EngineStack) {
  const folder = join(checkout, "dist-plugin", kind);
  const system = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform as string];
  const processor = process.arch === "x64" ? "amd64" : process.arch;
  const name = `pulumi-resource-apikeys-v${version}-${system}-${processor}.tar.gz`;
  expect(await readdir(folder)).toEqual([name]);
  const args = ["plugin", "install", "resource", "apikeys", version, "--file", join(folder, name)];
  expect(await stack.run(args)).toMatchObject({ ok: true });
}
