import { expect, it } from "vitest";
import type { Host } from "../../tools/engine/project";
import type { Outcome } from "../../tools/engine/stack";
import { actingIn, expectQuiet, expectSilentUp, sentTo } from "./expectations";
import { createFixture, type Fixture } from "./fixture";

const expectOk = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);

const program = `import * as pulumi from "@pulumi/pulumi";
import { ApiKey, ApiKeySet, CustomerBilling, Provider, RotatingApiKey, Scope, WorkspaceSettings } from "pulumi-apikeys";

const later = process.env["APIKEYS_STEP"] === "later";
const base = { workspaceId: "ws_main", customerId: "customer" };
const provider = new Provider("acme", { accessToken: process.env["APIKEYS_ACCESS_TOKEN"], allowHttp: true });

const ci = new ApiKey("ci", { ...base, scopes: [{ representation: "orders", read: true, update: later }] });
new ApiKey("dependent", { ...base, name: ci.maskedKey.apply((masked) => "for " + masked) });
new ApiKey("hidden", { ...base, metadata: pulumi.secret({ note: "note-in-the-dark" }) });
new ApiKey("byProvider", base, { provider });
ApiKey.get("theirs", "key_theirs", { workspaceId: "ws_main" });
Scope.get("theirScope", "theirs", { workspaceId: "ws_main" });
WorkspaceSettings.get("theirSettings", "ws_second");
const set = new ApiKeySet("set", {
  workspaceId: "ws_main",
  defaults: { customerId: "customer" },
  keys: { acme: {}, beta: { name: pulumi.secret("beta-in-the-dark"), enabled: !later } },
});
new RotatingApiKey("rotating", { ...base, rotateEvery: "90d" });
new WorkspaceSettings("settings", { workspaceId: "ws_main", defaultRateLimitPerSecond: 5, onDestroy: "restore" });
new Scope("orders", { workspaceId: "ws_main", name: "Orders", representation: "orders" });
new CustomerBilling("credits", { workspaceId: "ws_main", totalCredits: "100" });

export const key = ci.key;
export const acme = set.key("acme");
`;

/** Each resource in state with its secrets, whatever its host, the types of all, and where the program declares one. */
async function held({ stack }: Fixture) {
  const [plain, revealed] = await Promise.all(
    [false, true].map((showSecrets) => stack.exportState({ showSecrets })),
  );
  const { resources = [] } = revealed ?? {};
  return {
    state: JSON.stringify(plain),
    declaredAt: resources.find(({ urn }) => urn.endsWith("::ci"))?.sourcePosition,
    types: [...new Set(resources.map(({ type }) => type))]
      .filter((type) => /apikeys|nodejs/.test(type))
      .sort(),
    resources: Object.fromEntries(
      resources
        .filter(({ type }) => !type.startsWith("pulumi:"))
        .map(({ urn, id, outputs }) => [urn.split("::").at(-1), { id, outputs }]),
    ),
  };
}

const kinds = ["ApiKey", "ApiKeySet", "CustomerBilling", "RotatingApiKey", "Scope", "WorkspaceSettings"];
const typesIn: Readonly<Record<Host, readonly string[]>> = {
  dynamic: [
    ...kinds.map((kind) => `pulumi-nodejs:dynamic/apikeys:${kind}`),
    "pulumi:providers:pulumi-nodejs",
  ],
  plugin: [...kinds.map((kind) => `apikeys:index:${kind}`), "pulumi:providers:apikeys"],
};

it("R2 K6 B3 a stack with every kind of resource moves to the plugin, and back, without a change, a write or a grant", async () => {
  const fixture = await createFixture("moving", { program, host: "dynamic" });
  const { service, stack, project } = fixture;
  service.addKey({ id: "key_theirs", workspaceId: "ws_main", customerId: "theirs", name: "theirs" });
  service.addScope({ workspaceId: "ws_main", representation: "theirs" });
  service.editWorkspace("ws_second", { defaultExpiration: 60 });
  expectOk(await stack.up());

  const move = async (host: Host) => {
    const before = await held(fixture);
    await project.setHost(host);
    service.clearRequests();
    const preview = await stack.preview({ expectNoChanges: true });
    expectOk(preview);
    // The engine follows no alias of a resource that is only read: it discards the old one and reads the new one.
    expect(preview.changes).toEqual({ same: expect.any(Number), discard: 3 });
    expectOk(await stack.up({ expectNoChanges: true }));
    // Each `get` reads in the preview and in the update.
    const asked = ["ws_main/api-key/key_theirs", "ws_main/scopes", "ws_second"];
    expect(service.requests.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      asked.flatMap((path) => Array(2).fill(`GET /api/v1/workspace/${path}`)),
    );
    const after = await held(fixture);
    expect(after.resources).toEqual(before.resources);
    expect(after.types).toEqual(typesIn[host]);
    // In the program, and not in a file of the package.
    expect(after.declaredAt).toMatch(/^project:\/\/\/index\.js#/);
    for (const secret of ["in-the-dark", ...service.keys().map(({ key }) => key)])
      expect(after.state).not.toContain(secret);
  };

  const credits = "urn:pulumi:dev::moving::pulumi-nodejs:dynamic/apikeys:CustomerBilling::credits";
  expectOk(await stack.run(["state", "taint", credits, "--yes"]));
  await project.setHost("plugin");
  expect((await stack.preview()).error).toContain("this grant is already in state");
  expectOk(await stack.run(["state", "untaint", credits, "--yes"]));
  await project.setHost("dynamic");

  await move("plugin");
  await expectQuiet(fixture);
  expectOk(await stack.refresh({ expectNoChanges: true, runProgram: false }));
  stack.setEnv("APIKEYS_STEP", "later");
  const up = await stack.up();
  expectOk(up);
  expect(up.changes).toMatchObject({ update: 2 });
  await expectQuiet(fixture);
  await move("dynamic");
});

it("R2 keys that were imported with the plugin take one update without a request in the dynamic host, which adds what it needs", async () => {
  const program = `import { ApiKey } from "pulumi-apikeys";

const moved = process.env["APIKEYS_STEP"] === "moved";
const theirs = { workspaceId: "ws_main", customerId: "theirs" };
new ApiKey("imported", { ...theirs, name: "one" });
new ApiKey("byOption", { ...theirs, name: "other" }, moved ? {} : { import: "ws_main/key_other" });
const ours = { workspaceId: "ws_main", customerId: "ours", name: "ours" };
moved ? new ApiKey("renamed", ours, { aliases: [{ name: "created" }] }) : new ApiKey("created", ours);
`;
  const fixture = await createFixture("moving-imported", { program, host: "plugin" });
  const { service, stack } = fixture;
  const theirs = { workspaceId: "ws_main", customerId: "theirs" };
  service.addKey({ ...theirs, id: "key_one", name: "one" });
  service.addKey({ ...theirs, id: "key_other", name: "other" });
  const key = ["apikeys:index:ApiKey", "imported", "ws_main/key_one"];
  expectOk(await stack.run(["import", ...key, "--yes", "--skip-preview", "--generate-code=false"]));
  expectOk(await stack.up());
  await fixture.project.setHost("dynamic");
  stack.setEnv("APIKEYS_STEP", "moved");
  service.clearRequests();
  for (const command of ["preview", "up"] as const) {
    const outcome = await stack[command]();
    expectOk(outcome);
    expect(actingIn(outcome)).toEqual({ imported: ["update"], byOption: ["update"] });
  }
  expect(sentTo(service)).toEqual([]);
  await expectSilentUp(fixture);
  expectOk(await stack.refresh({ expectNoChanges: true, runProgram: false }));
  expectOk(await stack.run(["state", "unprotect", "--all", "--yes"]));
  expectOk(await stack.destroy({ runProgram: false }));
  expect(service.keys({ deleted: false })).toEqual([]);
});

it("R8 stack config apikeys:host fails the preview if it has another value, or if Pulumi.yaml doesn't say where the plugin is", async () => {
  const one = `import { ApiKey } from "pulumi-apikeys";
new ApiKey("one", { workspaceId: "ws_main", customerId: "ours" });
`;
  const { stack } = await createFixture("moving-config", { program: one });
  stack.setEnv("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true");
  for (const [host, said] of [
    ["plug-in", 'APIKEYS1002: Stack config apikeys:host is "plug-in".'],
    ["plugin", "no resource plugin 'pulumi-resource-apikeys' found in the workspace or on your $PATH"],
  ] as const) {
    await stack.setConfig("apikeys:host", host);
    const { ok, error } = await stack.preview();
    expect(ok).toBe(false);
    expect(error).toContain(said);
  }
});
