import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import type { Host } from "../../tools/engine/project";
import { describeInAll, itInAll } from "../inAll";
import { expectQuiet, expectSilentUp } from "./expectations";
import { type Scene, setScene } from "./scene";
import { acting } from "./snapshotRestoring";

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
async function held({ stack }: Scene) {
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

describe("a stack with every kind of resource that moves to the plugin, and back", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene("moving", { program, host: "dynamic" });
    scene.service.addKey({ id: "key_theirs", workspaceId: "ws_main", customerId: "theirs", name: "theirs" });
    scene.service.addScope({ workspaceId: "ws_main", representation: "theirs" });
    scene.service.editWorkspace("ws_second", { defaultExpiration: 60 });
    expectOk(await scene.stack.up());
  });
  afterAll(() => scene?.close());

  const move = async (host: Host) => {
    const before = await held(scene);
    await scene.project.setHost(host);
    scene.service.clearRequests();
    const preview = await scene.stack.preview({ expectNoChanges: true });
    expectOk(preview);
    // The engine follows no alias of a resource that is only read: it discards the old one and reads the new one.
    expect(preview.changes).toEqual({ same: expect.any(Number), discard: 3 });
    const up = await scene.stack.up({ expectNoChanges: true });
    expectOk(up);
    // Each `get` reads in the preview and in the update.
    const asked = ["ws_main/api-key/key_theirs", "ws_main/scopes", "ws_second"];
    expect(scene.service.requests.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      asked.flatMap((path) => Array(2).fill(`GET /api/v1/workspace/${path}`)),
    );
    const after = await held(scene);
    expect(after.resources).toEqual(before.resources);
    expect(after.types).toEqual(typesIn[host]);
    // In the program, and not in a file of the package.
    expect(after.declaredAt).toMatch(/^project:\/\/\/index\.js#/);
    for (const secret of ["in-the-dark", ...scene.service.keys().map(({ key }) => key)]) {
      expect(after.state).not.toContain(secret);
    }
  };

  it("grants nothing again in the update that moves it (B3)", async () => {
    const credits = "urn:pulumi:dev::moving::pulumi-nodejs:dynamic/apikeys:CustomerBilling::credits";
    expectOk(await scene.stack.run(["state", "taint", credits, "--yes"]));
    await scene.project.setHost("plugin");
    const preview = await scene.stack.preview();
    expect(preview.error).toContain(
      "this grant is already in state, and replacing the resource would grant it again",
    );
    expectOk(await scene.stack.run(["state", "untaint", credits, "--yes"]));
    await scene.project.setHost("dynamic");
  });

  it("moves without a change or a write, and keeps all ids and secrets", () => move("plugin"));

  it("can then be refreshed in the plugin, also without the program", async () => {
    await expectQuiet(scene);
    expectOk(await scene.stack.refresh({ expectNoChanges: true, runProgram: false }));
  });

  it("can then be updated in the plugin", async () => {
    scene.stack.setEnv("APIKEYS_STEP", "later");
    const up = await scene.stack.up();
    expectOk(up);
    expect(up.changes).toMatchObject({ update: 2 });
    await expectQuiet(scene);
  });

  it("moves back in the same way", () => move("dynamic"));

  itInAll("can then be refreshed, updated and destroyed like a stack that never moved", async () => {
    await expectQuiet(scene);
    scene.stack.setEnv("APIKEYS_STEP", undefined);
    expectOk(await scene.stack.up());
    await expectQuiet(scene);
    expectOk(await scene.stack.destroy());
    expect(scene.service.keys({ deleted: false })).toMatchObject([{ id: "key_theirs" }]);
  });
});

describeInAll("keys that were imported with the plugin, in a stack that moves to the dynamic host", () => {
  const program = `import { ApiKey } from "pulumi-apikeys";

const moved = process.env["APIKEYS_STEP"] === "moved";
const theirs = { workspaceId: "ws_main", customerId: "theirs" };
new ApiKey("imported", { ...theirs, name: "one" });
new ApiKey("byOption", { ...theirs, name: "other" }, moved ? {} : { import: "ws_main/key_other" });
const ours = { workspaceId: "ws_main", customerId: "ours", name: "ours" };
moved ? new ApiKey("renamed", ours, { aliases: [{ name: "created" }] }) : new ApiKey("created", ours);
`;
  const marked = { imported: ["update"], byOption: ["update"] };
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene("moving-imported", { program, host: "plugin" });
    const theirs = { workspaceId: "ws_main", customerId: "theirs" };
    scene.service.addKey({ ...theirs, id: "key_one", name: "one" });
    scene.service.addKey({ ...theirs, id: "key_other", name: "other" });
    const key = ["apikeys:index:ApiKey", "imported", "ws_main/key_one"];
    expectOk(await scene.stack.run(["import", ...key, "--yes", "--skip-preview", "--generate-code=false"]));
    expectOk(await scene.stack.up());
    await scene.project.setHost("dynamic");
    scene.stack.setEnv("APIKEYS_STEP", "moved");
    scene.service.clearRequests();
  });
  afterAll(() => scene?.close());

  it("take one update without a request, which adds what that host needs; other keys don't change", async () => {
    const preview = await scene.stack.preview();
    expectOk(preview);
    expect(acting(preview)).toEqual(marked);
    const up = await scene.stack.up();
    expectOk(up);
    expect(acting(up)).toEqual(marked);
    expect(scene.service.requests).toEqual([]);
  });

  it("can then be refreshed and destroyed without the program", async () => {
    await expectSilentUp(scene);
    expectOk(await scene.stack.refresh({ expectNoChanges: true, runProgram: false }));
    expectOk(await scene.stack.run(["state", "unprotect", "--all", "--yes"]));
    expectOk(await scene.stack.destroy({ runProgram: false }));
    expect(scene.service.keys({ deleted: false })).toEqual([]);
  });
});

describe("stack config apikeys:host", () => {
  const program = `import { ApiKey } from "pulumi-apikeys";
new ApiKey("one", { workspaceId: "ws_main", customerId: "ours" });
`;
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene("moving-config", { program });
  });
  afterAll(() => scene?.close());

  it("fails the preview for an unknown value, and names the right ones", async () => {
    await scene.stack.setConfig("apikeys:host", "plug-in");
    const { ok, error } = await scene.stack.preview();
    expect(ok).toBe(false);
    expect(error).toContain(
      'Stack config apikeys:host is "plug-in". Set it to "plugin", or to "dynamic", which is the default.',
    );
  });

  it("fails the preview if Pulumi.yaml does not say where the plugin is", async () => {
    await scene.stack.setConfig("apikeys:host", "plugin");
    scene.stack.setEnv("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true");
    const { ok, error } = await scene.stack.preview();
    expect(ok).toBe(false);
    expect(error).toContain(
      "no resource plugin 'pulumi-resource-apikeys' found in the workspace or on your $PATH",
    );
  });
});
