import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import type { Host } from "../../tools/engine/project";
import { expectSilentUp } from "./expectations";
import type { Scene } from "./scene";
import { at, snapshots } from "./snapshotMaking";
import { acting, restored } from "./snapshotRestoring";

const expectOk = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);
const secrets = ({ service }: Scene) => service.keys().map(({ id, key }) => [id, key]);
const writes = ({ service }: Scene) =>
  service.requests.flatMap(({ method, endpoint }) => (method === "GET" ? [] : [endpoint]));
/** Outputs by the name of the resource, with their secrets. */
const outputs = async ({ stack }: Scene) => {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  const ours = resources.filter(({ type }) => !type.startsWith("pulumi:"));
  return Object.fromEntries(ours.map(({ urn, id, outputs }) => [urn.split("::").at(-1), { id, outputs }]));
};
const there: readonly Host[] = ["plugin", "dynamic"];

describe.each(readdirSync(snapshots))("a settled state that version %s wrote", (version) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await restored(version, "settled");
  });
  afterAll(() => scene?.close());

  it.each(there)("moves to the %s host without a change, and keeps all outputs and secrets", async (host) => {
    const before = await outputs(scene);
    await scene.project.setHost(host);
    const preview = await scene.stack.preview({ expectNoChanges: true });
    expectOk(preview);
    expect(acting(preview)).toEqual({
      theirs: ["discard"],
      theirScope: ["discard"],
      theirSettings: ["discard"],
    });
    expectOk(await scene.stack.up({ expectNoChanges: true }));
    expect(await outputs(scene)).toEqual(before);
    expectOk(await scene.stack.refresh({ expectNoChanges: true, runProgram: false }));
    expect(writes(scene)).toEqual([]);
  });

  it("moves in an update that changes every resource in place, and is destroyed without the program", async () => {
    const before = secrets(scene);
    at(scene, "later");
    await scene.project.setHost("plugin");
    expectOk(await scene.stack.up());
    expect(secrets(scene)).toEqual(before);
    expectOk(await scene.stack.previewRefresh({ expectNoChanges: true }));
    expectOk(await scene.stack.destroy({ runProgram: false }));
    expect(scene.service.keys({ deleted: false })).toMatchObject([{ id: "key_theirs" }]);
    expect((await scene.stack.exportState()).resources ?? []).toEqual([]);
  });
});

describe.each(readdirSync(snapshots))("an unsettled state that version %s wrote", (version) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await restored(version, "unsettled");
  });
  afterAll(() => scene?.close());

  it("shows the same that is left to do in either host", async () => {
    const dynamic = await scene.stack.preview();
    await scene.project.setHost("plugin");
    const plugin = await scene.stack.preview();
    for (const outcome of [dynamic, plugin]) expectOk(outcome);
    expect(acting(plugin)).toEqual(acting(dynamic));
  });

  it("is completed by the update that moves it, which grants nothing again (B3)", async () => {
    const up = await scene.stack.up({ args: ["--continue-on-error"] });
    expect(up.ok).toBe(false);
    expect(up.error).toContain("it is still not known whether the credits were granted");
    expect(writes(scene)).not.toContain("createBilling");
    at(scene, "healed");
    expectOk(await scene.stack.up());
    const live = scene.service.keys({ deleted: false }).map(({ name }) => name);
    expect(live.toSorted()).toEqual(["drifted", "lost", "renewed"]);
    await expectSilentUp(scene);
  });

  it("moves back", async () => {
    await scene.project.setHost("dynamic");
    await expectSilentUp(scene);
    expectOk(await scene.stack.destroy());
    expect(scene.service.keys({ deleted: false })).toEqual([]);
    expect(scene.service.workspaces()).toMatchObject(
      [7, 8, 9].map((defaultRateLimitPerSecond) => ({ defaultRateLimitPerSecond })),
    );
  });
});

describe.each(readdirSync(snapshots))("a state with sets of keys that version %s wrote", (version) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await restored(version, "sets");
  });
  afterAll(() => scene?.close());

  it("shows the same that is left to do in either host", async () => {
    await scene.project.setHost("plugin");
    const preview = await scene.stack.preview();
    expectOk(preview);
    expect(acting(preview)).toEqual({ unsettled: ["update"] });
  });

  it("is completed by the update that moves it", async () => {
    expectOk(await scene.stack.up());
    await expectSilentUp(scene);
    const live = scene.service.keys({ deleted: false }).map(({ name }) => name?.trim());
    expect(live).toHaveLength(10);
  });

  it("moves back, and then takes changes in place", async () => {
    const before = secrets(scene);
    await scene.project.setHost("dynamic");
    await expectSilentUp(scene);
    at(scene, "later");
    const up = await scene.stack.up();
    expectOk(up);
    expect(acting(up)).toEqual({ rotated: ["update"], settled: ["update"] });
    expect(secrets(scene)).toEqual(before);
    expectOk(await scene.stack.destroy());
    expect(scene.service.keys({ deleted: false })).toEqual([]);
  });
});
