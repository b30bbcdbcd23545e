import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { StandIn } from "../../standin";
import { execute, shellEnvironment } from "../../tools/engine/command";
import { checkout, makeWorkFolder } from "../../tools/engine/project";
import { moduleFolder, pulumiCli, whyNoGo } from "../../tools/engine/pulumiCli";
import { expectQuiet, expectSilentUp } from "./expectations";
import { createFixture } from "./fixture";

const workspaces = [
  { id: "ws_main", name: "Main", defaultKeyPrefix: "shop", defaultRateLimitPerSecond: 7 },
  { id: "ws_bare", name: "Bare" },
];

const odd = `Müller & Söhne "quoted" \${x} %{y}\\\n2`;

/** Twenty different keys. */
function addKeys(service: StandIn) {
  const inMain = { workspaceId: "ws_main", customerId: "cus_1" };
  const stock = { representation: "a/b c", update: true, del: true };
  const scopes = [stock, { representation: "orders", read: true, create: true }];
  const special = [
    { name: "ci", scopes },
    { name: "off", enabled: false },
    { name: "chosen", prefix: "shop", expiresAt: 1_900_000_000_000 },
    { name: odd },
    { name: "twice" },
    { name: "twice", customerId: "cus_2" },
    { name: "class" },
    { name: "2nd key" },
  ];
  const plain = Array.from({ length: 12 }, (_, place) => ({
    name: `partner-${place}`,
    customerId: `partner_${place}`,
    enabled: place % 3 > 0,
    scopes: scopes.slice(place % 3),
  }));
  for (const [place, key] of [...special, ...plain].entries())
    service.addKey({ ...inMain, ...key, id: `key_${place + 1}` });
}

it("K8 R19 `pulumi do` lists, creates, patches and deletes; `pulumi import` takes a whole workspace from lists, with code that shows no change", async () => {
  const fixture = await createFixture("import-many", {
    program: "export {};",
    tenants: [{ accessToken: "team-access-token", workspaces }],
  });
  const tools = await makeWorkFolder("engine", "language-host");
  onTestFinished(() => tools.remove());
  const { service, project, stack } = fixture;
  for (const representation of ["orders", "a/b c"])
    service.addScope({ workspaceId: "ws_main", representation, name: `Name of ${representation}` });
  addKeys(service);
  await buildCodeGenerator(tools.path);
  const { root } = await pulumiCli();
  stack.setEnv("PATH", shellEnvironment(checkout, [tools.path, join(root, "bin")])["PATH"]);
  const archive = "pulumi-resource-apikeys-v0.1.0-linux-amd64.tar.gz";
  const plugin = "node_modules/pulumi-apikeys/plugin";
  const packed = await execute("tar", ["-czf", archive, "-C", plugin, "."], { cwd: project.dir });
  expect(packed.code, packed.output).toBe(0);
  const pulumi = async (...args: readonly string[]) => {
    fixture.service.clearRequests();
    const outcome = await fixture.stack.run(args);
    expect(outcome.ok, outcome.output).toBe(true);
    return outcome;
  };
  const list = async (kind: string, ...query: readonly string[]) => {
    const { stdout } = await pulumi("do", `apikeys:index:${kind}`, "list", ...query);
    return JSON.parse(stdout) as { id: string; name: string }[];
  };
  const writes = () => fixture.service.requests.filter(({ method }) => method !== "GET");
  const live = () => fixture.service.keys({ deleted: false });
  await pulumi("plugin", "install", "resource", "apikeys", "0.1.0", "--file", archive);

  expect(await list("ApiKey", "--workspace-id", "ws_main")).toEqual(
    fixture.service.keys().map(({ id, name }) => ({ id: `ws_main/${id}`, name })),
  );
  expect(await list("Scope")).toMatchObject([{ name: "Name of orders" }, { name: "Name of a/b c" }]);
  expect(await list("WorkspaceSettings")).toEqual([
    { id: "ws_main", name: "Main" },
    { id: "ws_bare", name: "Bare" },
  ]);

  // A stack without a program.
  await fixture.project.write("Pulumi.yaml", "name: import-many\n");
  const key = (...args: readonly string[]) => pulumi("do", "apikeys:index:ApiKey", ...args);
  await key("create", "trial", "--workspace-id", "ws_main", "--customer-id", "cus_9", "--yes");
  const trial = () => live().find(({ customerId }) => customerId === "cus_9");
  expect(trial()).toMatchObject({ name: "trial", enabled: true });
  const id = `ws_main/${trial()?.id}`;
  expect((await key("read", id)).output).toMatch(/name +: "trial"/);
  await key("patch", "trial", "--enabled=false", "--yes");
  expect(trial()).toMatchObject({ name: "trial", enabled: false });
  await pulumi(...["do", "--stateless", "apikeys:index:ApiKey", "patch", id, "--name", "later", "--yes"]);
  expect(trial()).toMatchObject({ name: "later", enabled: false });
  const found = await pulumi(
    ...["do", "apikeys:index:getApiKeys", "--workspace-id", "ws_main", "--customer-id", "cus_9"],
  );
  expect(JSON.parse(found.stdout)).toMatchObject({ apiKeys: [{ name: "later", deleted: false }] });
  await key("delete", "trial", "--yes");
  expect(trial()).toBeUndefined();

  await fixture.project.write(
    "Pulumi.yaml",
    "name: import-many\nruntime: nodejs\nconfig:\n  apikeys:host: plugin\n",
  );
  const options = ["--yes", "--skip-preview", "--protect=false"];
  await pulumi("import", "apikeys:index:ApiKey", "ci", "ws_main/key_1", "--out", "ci.ts", ...options);
  const resources = [];
  for (const kind of ["ApiKey", "Scope", "WorkspaceSettings"]) {
    for (const { id, name } of await list(kind)) {
      // The generator fails on other names, and each resource needs its own.
      const isPlain = /^[\w-]+$/.test(name) && name !== "twice";
      const own = isPlain ? name : id.slice(id.indexOf("/") + 1);
      if (name !== "ci") resources.push({ type: `apikeys:index:${kind}`, id, name: own });
    }
  }
  expect(resources).toHaveLength(23);
  await fixture.project.write("import.json", JSON.stringify({ resources }));
  const imported = await pulumi("import", "--file", "import.json", "--out", "all.ts", ...options);
  expect(imported.output).toContain("= 23 imported");
  const warnings = imported.output.match(/warning: .*/g) ?? [];
  expect(warnings.filter((line) => !line.includes("pulumi-language-nodejs"))).toEqual([]);
  expect(writes()).toEqual([]);
  const [one, all] = await Promise.all(
    ["ci.ts", "all.ts"].map((file) => readFile(join(fixture.project.dir, file), "utf8")),
  );
  expect(one).toContain(`const ci = new apikeys.ApiKey("ci", {
    customerId: "cus_1",
    enabled: true,
    name: "ci",
    scopes: [
        {
            del: true,
            representation: "a/b c",
            update: true,
        },
        {
            create: true,
            read: true,
            representation: "orders",
        },
    ],
    workspaceId: "ws_main",
});`);
  expect(all).not.toMatch(/__|prefix:|expiresAt|existingKey|protect/);
  await fixture.declare('import "./ci";\nimport "./all";\n');
  await expectSilentUp(fixture);
  await expectQuiet(fixture);

  const destroy = await fixture.stack.destroy();
  expect(destroy.ok, destroy.output).toBe(true);
  expect(destroy.changes).toMatchObject({ delete: 25 });
  expect(live()).toEqual([]);
  expect(fixture.service.scopes("ws_main")).toHaveLength(2);
  expect(fixture.service.workspaces()[0]).toMatchObject({ defaultRateLimitPerSecond: 7 });
}, 600_000);

/**
 * Builds into a folder, which must then be on PATH, what `pulumi import` needs to write TypeScript. The generator of
 * Pulumi's Node.js language host is in the Go modules of the CLI; the host itself is not. This one generates code but runs
 * no programs; the one in nodeLanguageHost runs them.
 */
async function buildCodeGenerator(folder: string): Promise<void> {
  const env = { ...process.env, GOWORK: "off" };
  const noGo = await whyNoGo(env);
  if (noGo !== undefined) throw new Error(`The code generator can't be built: ${noGo}`);
  const args = ["build", "-mod=readonly", "-o", join(folder, "pulumi-language-nodejs"), "./languagehost"];
  const built = await execute("go", args, { cwd: moduleFolder, env });
  if (built.code !== 0) throw new Error(`The code generator can't be built:\n${built.output}`);
}
