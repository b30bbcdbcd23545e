import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { itInAll } from "../inAll";
import { expectQuiet, expectSilentUp, stepsFor } from "./expectations";
import { programOf } from "./programs";
import { hurried, type Scene, setScene } from "./scene";

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
      scene.service.setVariant({ patchFields });
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
