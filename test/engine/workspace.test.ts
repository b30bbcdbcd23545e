import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { shellEnvironment } from "../../tools/engine/command";
import { checkout, type Host, makeWorkFolder, packedPackage } from "../../tools/engine/project";
import { userCli } from "../../tools/engine/pulumiCli";
import { isAll } from "../all";
import { createFixture } from "./fixture";

it("a program says in one line what it lacks if only a component package depends on pulumi-apikeys, as pnpm links it", async () => {
  const { project, stack, service } = await createFixture("workspace", {
    byCli: true,
    withPackage: false,
    program: `import { keyOf } from "component";\nkeyOf("ci");\n`,
  });
  const { path: component } = await makeWorkFolder("engine", "component");
  const inComponent = join(component, "node_modules", "pulumi-apikeys");
  await mkdir(join(project.dir, "node_modules"));
  await cp((await packedPackage()).folder, inComponent, { recursive: true });
  await writeFile(
    join(component, "index.js"),
    `const { ApiKey } = require("pulumi-apikeys");
exports.keyOf = (name) => new ApiKey(name, { workspaceId: "ws_main", customerId: "cus_1" });`,
  );
  await writeFile(
    join(component, "package.json"),
    JSON.stringify({ name: "component", dependencies: { "pulumi-apikeys": "*" } }),
  );
  await writeFile(join(component, "index.d.ts"), "export function keyOf(name: string): unknown;");
  await symlink(component, join(project.dir, "node_modules", "component"));
  stack.setEnv("PATH", shellEnvironment(checkout, [await userCli()])["PATH"]);

  const hidden = await stack.preview();
  expect(hidden.ok).toBe(false);
  expect(hidden.output).toMatch(
    /APIKEYS1002: The program's own package\.json does not have pulumi-apikeys\./,
  );
  expect(hidden.output).not.toContain("Cannot find module");

  await symlink(inComponent, join(project.dir, "node_modules", "pulumi-apikeys"));
  const up = await stack.up();
  expect(up.ok, up.output).toBe(true);
  expect(service.keys()).toHaveLength(1);
});

it.runIf(isAll).each<Host>(["dynamic", "plugin"])(
  "a program works that a bundler has put into one file with the package, in the host %s",
  async (host) => {
    const { project, stack, service } = await createFixture("bundled", {
      ...{ byCli: true, host },
      program: `import { ApiKeySet, getWorkspaceOutput } from "pulumi-apikeys";
        const workspaceId = getWorkspaceOutput({ id: "ws_main" }).id;
        export const key = new ApiKeySet("set", { workspaceId, keys: { a: { customerId: "cus_1" } } }).key("a");`,
    });
    const [source, bundled] = ["index.ts", "bundled.js"].map((file) => join(project.dir, file));
    await build({
      ...{ entryPoints: [source as string], outfile: bundled as string, external: ["@pulumi/pulumi"] },
      ...{ bundle: true, minify: true, platform: "node", logLevel: "error" },
    });
    await rm(source as string);
    await project.write("package.json", JSON.stringify({ name: "bundled", main: "bundled.js" }));
    const up = await stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(service.keys()).toHaveLength(1);
    const again = await stack.preview({ args: ["--refresh", "--expect-no-changes"] });
    expect(again.ok, again.output).toBe(true);
  },
);
