import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { shellEnvironment } from "../../tools/engine/command";
import { checkout, makeWorkFolder, packedPackage } from "../../tools/engine/project";
import { userCli } from "../../tools/engine/pulumiCli";
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
