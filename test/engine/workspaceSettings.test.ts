import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StandIn } from "../../standin";
import { quickTimers } from "../host/quickTimers";
import { describeInAll, itInAll } from "../inAll";
import { errorsFor, expectQuiet, expectSilentUp, onlyLine, stepsFor } from "./expectations";
import { programOf } from "./kindProgram";
import { credentials, hurried, type Scene, setScene } from "./scene";

const program = programOf("WorkspaceSettings");
const theirs = {
  defaultKeyPrefix: "old",
  defaultAllowedIPs: ["10.0.0.1", "192.0.2.0/24"],
  defaultRateLimitPerSecond: 7,
  defaultExpiration: 3600,
};

describe("the settings of a workspace that already has values", () => {
  let scene: Scene;
  const held = () => scene.service.workspaces().find(({ id }) => id === "ws_main");
  const declare = (text: string) => scene.declare(program({ main: `{ ...base, ${text} }` }));
  const patches = () => scene.service.requests.filter(({ method }) => method === "PATCH");

  beforeAll(async () => {
    scene = await setScene("settings", {
      program: program({ main: "{ ...base, defaultRateLimitPerSecond: 7, defaultKeyPrefix: 'old' }" }),
    });
    scene.service.editWorkspace("ws_main", theirs);
  });
  afterAll(() => scene?.close());

  it("W2 are adopted without a write if they are already as declared, and only declared ones are shown", async () => {
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(scene.service.requests.map(({ endpoint }) => endpoint)).toEqual(["readWorkspace"]);
    expect(held()).toMatchObject(theirs);
    const [step] = stepsFor(up, "main");
    const shown = Object.keys(step?.new?.inputs ?? {}).filter((name) => !name.startsWith("__"));
    expect(shown.sort()).toEqual([
      "defaultKeyPrefix",
      "defaultRateLimitPerSecond",
      "onDestroy",
      "workspaceId",
    ]);
  });

  it.each([
    { patchFields: "merges", from: 7, to: 50 },
    { patchFields: "replaces", from: 50, to: 60 },
  ] as const)(
    "W1 change in one declared field, and the others stay, on a server whose PATCH $patchFields fields",
    async ({ patchFields, from, to }) => {
      scene.service.setDialect({ patchFields });
      scene.service.clearRequests();
      await declare(`defaultRateLimitPerSecond: ${to}, defaultKeyPrefix: "old"`);
      const up = await scene.stack.up();
      expect(up.ok, up.output).toBe(true);
      const [step] = stepsFor(up, "main");
      expect(step).toMatchObject({ op: "update", diffs: ["defaultRateLimitPerSecond"] });
      expect(step?.changed).toEqual({ defaultRateLimitPerSecond: { old: from, new: to } });
      const values = { ...theirs, defaultRateLimitPerSecond: to };
      expect(patches()).toMatchObject([{ body: values }]);
      expect(held()).toMatchObject(values);
      await expectQuiet(scene);
    },
  );

  it("W1 have no drift in undeclared fields, and a field that is no longer declared stays unchanged", async () => {
    scene.service.editWorkspace("ws_main", { defaultExpiration: 60, defaultAllowedIPs: [] });
    await declare("defaultRateLimitPerSecond: 60");
    scene.service.clearRequests();
    const up = await scene.stack.up({ refresh: true });
    expect(up.ok, up.output).toBe(true);
    expect(stepsFor(up, "main").map(({ op, diffs }) => ({ op, diffs }))).toEqual([
      { op: "refresh", diffs: [] },
      { op: "update", diffs: ["defaultKeyPrefix"] },
    ]);
    expect(patches()).toEqual([]);
    expect(held()).toMatchObject({ defaultKeyPrefix: "old", defaultExpiration: 60, defaultAllowedIPs: [] });
    scene.service.editWorkspace("ws_main", { defaultKeyPrefix: "elsewhere" });
    await expectQuiet(scene);
  });

  it("W5 are destroyed without a request if onDestroy has its default", async () => {
    scene.service.clearRequests();
    const before = held();
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(scene.service.requests).toEqual([]);
    expect(held()).toEqual(before);
  });
});

describe('settings with onDestroy "restore"', () => {
  let scene: Scene;
  const names = ["whole", "changed", "empty", "retained", "left", "entered"];
  const ours = { defaultKeyPrefix: "new", defaultRateLimitPerSecond: 50, defaultAllowedIPs: ["10.9.9.9"] };
  const text = JSON.stringify(ours).slice(1, -1);
  const declared = (name: string, more = `onDestroy: "restore"`) =>
    `{ workspaceId: "ws_${name}", ${text}, ${more} }`;
  const resources = {
    ...Object.fromEntries(names.slice(0, 3).map((name) => [name, declared(name)])),
    retained: declared("retained", ""),
    moved: declared("left"),
  };
  const held = (name: string) => scene.service.workspaces().find(({ id }) => id === `ws_${name}`);

  beforeAll(async () => {
    const workspaces = names.map((name) => ({
      id: `ws_${name}`,
      ...(name === "empty" ? { defaultRateLimitPerSecond: 3 } : theirs),
    }));
    const tenants = [{ accessToken: "token-of-restored", workspaces }];
    scene = await setScene("settings-restored", { tenants, program: program(resources), env: hurried });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
    expect(names.slice(0, 5).map(held)).toMatchObject(names.slice(0, 5).map(() => ours));
  });
  afterAll(() => scene?.close());

  itInAll("W5 take a change of onDestroy itself without a write", async () => {
    await scene.declare(program({ ...resources, retained: declared("retained", `onDestroy: "retain"`) }));
    await expectSilentUp(scene);
    await scene.declare(program({ ...resources, whole: declared("whole", "") }));
    const retained = await scene.stack.up();
    expect(stepsFor(retained, "whole")).toMatchObject([{ op: "update", diffs: ["onDestroy"] }]);
    expect(scene.service.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("W6 W1 are restored in the old workspace if workspaceId changes, and in a field that is left out", async () => {
    const less = `{ workspaceId: "ws_whole", onDestroy: "restore", defaultRateLimitPerSecond: 50 }`;
    await scene.declare(program({ ...resources, moved: declared("entered"), whole: less }));
    const up = await scene.stack.up();
    expect(up, up.output).toMatchObject({ ok: true, changes: { replace: 1, update: 1 } });
    const [shown] = stepsFor(up, "moved").filter(({ op }) => op === "replace");
    expect(shown).toMatchObject({ replacedFor: ["workspaceId"] });
    expect(held("entered")).toMatchObject(ours);
    expect(held("left")).toMatchObject(theirs);
    expect(held("whole")).toMatchObject({ ...theirs, defaultRateLimitPerSecond: 50 });
  });

  it("W5 are restored by destroy if they had a value and nobody has changed them since; a warning names the rest", async () => {
    scene.service.editWorkspace("ws_changed", { defaultKeyPrefix: "theirs now" });
    scene.service.clearRequests();
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(held("whole")).toMatchObject(theirs);
    expect(held("entered")).toMatchObject(theirs);
    expect(held("changed")).toMatchObject({ ...theirs, defaultKeyPrefix: "theirs now" });
    expect(held("empty")).toMatchObject({ ...ours, defaultRateLimitPerSecond: 3 });
    expect(held("retained")).toMatchObject(ours);
    const restoring = (name: string) => `warning: Restoring the defaults of workspace ws_${name}`;
    expect(destroy.stdout).toContain(
      `${restoring("changed")}: not restored, but left as they are: defaultKeyPrefix (has changed since this resource wrote it; before: "old").`,
    );
    expect(destroy.stdout).toContain(
      `${restoring("empty")}: not restored, but left as they are: defaultKeyPrefix (had no value before), defaultAllowedIPs (had no value before).`,
    );
    expect(destroy.stdout).not.toContain(restoring("whole"));
    const asked = scene.service.requests.filter(({ path }) => path.includes("ws_retained"));
    expect(asked).toEqual([]);
  });
});

describeInAll("settings that destroy can't restore", () => {
  let scene: Scene;
  const before = { defaultRateLimitPerSecond: 7, defaultExpiration: 3600 };
  const held = () => scene.service.workspaces().find(({ id }) => id === "ws_main");
  const resource = '{ ...base, onDestroy: "restore", defaultRateLimitPerSecond: 50, defaultExpiration: 60 }';
  const declared = program({ main: resource });
  const state = async () => {
    const { resources = [] } = await scene.stack.exportState();
    return resources.filter(({ urn }) => urn.endsWith("::main")).map(({ outputs }) => outputs);
  };
  const tenants = [
    { name: "acme", accessToken: "token-of-acme", workspaces: [{ id: "ws_main", ...before }] },
    { name: "globex", accessToken: "token-of-globex", workspaces: [{ id: "ws_theirs" }] },
  ];

  beforeAll(async () => {
    const env = (service: StandIn) => ({ ...credentials(service), ...quickTimers() });
    scene = await setScene("settings-kept", { tenants, env, program: declared });
    const up = await scene.stack.up();
    expect(up.ok, up.output).toBe(true);
  });
  afterAll(() => scene?.close());

  beforeEach(() => scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", "token-of-acme"));

  it("W5 stay in state with another tenant's token, to which the workspace looks deleted", async () => {
    const kept = await state();
    expect(kept).toMatchObject([{ __before: before }]);
    scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", "token-of-globex");
    const line = onlyLine(await scene.stack.destroy(), "main");
    expect(line).toContain("Restoring the defaults of workspace ws_main: the service answered 404");
    expect(line).toContain("It stays in state");
    expect(line).toContain("The access token is the likely cause");
    expect(line).toContain("pulumi state delete");
    expect(await state()).toEqual(kept);
  });

  it.each([
    ["an empty object", { status: 200, body: {} }],
    ["a 202", { status: 202, body: { workspace: { id: "ws_main", ...before } } }],
    ["an HTML page", { status: 200, body: "<html>Please sign in</html>" }],
  ])("W5 stay in state if the restore is answered with %s and not applied", async (_what, answer) => {
    const kept = await state();
    const times = Number.POSITIVE_INFINITY;
    scene.service.inject({ endpoint: "editWorkspace", times, fault: { kind: "status", ...answer } });
    const line = onlyLine(await scene.stack.destroy(), "main");
    scene.service.clearFaults();
    expect(line).toContain("defaultRateLimitPerSecond: should be 7 again, the service has 50");
    expect(line).toContain("defaultExpiration: should be 3600 again, the service has 60");
    expect(line).toContain("It stays in state");
    expect(await state()).toEqual(kept);
  });

  it("W5 are restored by the next destroy once the service applies the restore", async () => {
    const destroy = await scene.stack.destroy();
    expect(destroy.ok, destroy.output).toBe(true);
    expect(held()).toMatchObject(before);
    expect(await state()).toEqual([]);
  });
});

describe("settings that can't be written", () => {
  let scene: Scene;
  const state = async () => {
    const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
    return resources.map(({ urn, id, inputs, outputs }) => ({ urn, id, inputs, outputs }));
  };
  const tenants = [
    { name: "acme", accessToken: "token-of-acme", workspaces: [{ id: "ws_main" }, { id: "ws_second" }] },
    { name: "globex", accessToken: "token-of-globex", workspaces: [{ id: "ws_theirs" }] },
  ];
  beforeAll(async () => {
    scene = await setScene("settings-refused", { tenants });
  });
  afterAll(() => scene?.close());

  itInAll(
    "W3 W4 fail the preview with all wrong inputs at once, and name an address by its index",
    async () => {
      await scene.declare(
        program({
          bad: `{ ...base, defaultAllowedIPs: ["10.0.0.1", "10.0.0.999"], defaultRateLimitPerSecond: 1.5, onDestroy: "keep" } as any`,
        }),
      );
      const lines = errorsFor(await scene.stack.preview(), "bad").join("\n");
      expect(lines).toContain("defaultAllowedIPs[1]: must be an IP address or a CIDR block");
      expect(lines).toContain("defaultRateLimitPerSecond: must be a whole number");
      expect(lines).toContain('onDestroy: must be "retain" or "restore"');
      await scene.declare(program({ nothing: "base" }));
      const nothing = onlyLine(await scene.stack.preview(), "nothing");
      expect(nothing).toContain("declare at least one of defaultKeyPrefix, defaultAllowedIPs");
      expect(scene.service.requests).toEqual([]);
    },
  );

  it("W6 W4 fail in one line that names the workspace: an unknown one, another tenant's, one that refuses 0", async () => {
    const rate = (workspace: string, value: number) =>
      `{ workspaceId: "${workspace}", defaultRateLimitPerSecond: ${value} }`;
    await scene.declare(
      program({ unknown: rate("ws_nobodys", 5), foreign: rate("ws_theirs", 5), zero: rate("ws_main", 0) }),
    );
    scene.service.editWorkspace("ws_main", { defaultRateLimitPerSecond: 9 });
    const up = await scene.stack.up({ args: ["--continue-on-error"] });
    const said = (name: string) =>
      up.diagnostics.find(({ urn, severity }) => severity === "error" && urn?.endsWith(`::${name}`))?.message;
    for (const [name, workspace] of [
      ["unknown", "ws_nobodys"],
      ["foreign", "ws_theirs"],
    ] as const) {
      const line = said(name);
      expect(line).toContain(`Setting the defaults of workspace ${workspace}: the service answered 404`);
      expect(line).toContain("Nothing was changed");
      expect(line).toContain(
        `Check the id, and that the access token is allowed to read workspace ${workspace}`,
      );
    }
    expect(said("zero")).toContain("Setting the defaults of workspace ws_main: the service answered 400");
    expect(said("zero")).toContain("one of the two numbers must be above 0");
    expect(JSON.stringify(await scene.stack.exportState())).not.toContain("apikeys:WorkspaceSettings");
  });

  itInAll(
    "W6 stay in state if a refresh can't read the workspace, which is an error that names it",
    async () => {
      await scene.declare(program({ main: "{ ...base, defaultRateLimitPerSecond: 5 }" }));
      expect(await scene.stack.up()).toMatchObject({ ok: true });
      scene.stack.setEnv("APIKEYS_ACCESS_TOKEN", "token-of-globex");
      const before = await state();
      const line = onlyLine(await scene.stack.refresh(), "main");
      expect(line).toContain("Reading the defaults of workspace ws_main: the service answered 404");
      expect(line).toContain("State is unchanged");
      expect(await state()).toEqual(before);
    },
  );
});
