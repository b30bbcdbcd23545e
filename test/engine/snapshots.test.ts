import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import { describeInAll } from "../inAll";
import { expectSilentUp, stepsFor } from "./expectations";
import type { Scene } from "./scene";
import { at, snapshots } from "./snapshotMaking";
import { acting, restored } from "./snapshotRestoring";

const expectOk = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);
const workspace = ({ service }: Scene, id: string) => service.workspaces().find((one) => one.id === id);
const live = ({ service }: Scene) =>
  Object.fromEntries(service.keys({ deleted: false }).map(({ id, name }) => [id, name]));
const writes = ({ service }: Scene) =>
  service.requests.flatMap(({ method, endpoint }) => (method === "GET" ? [] : [endpoint]));

describe.each(readdirSync(snapshots))("a settled state that version %s wrote", (version) => {
  let scene: Scene;
  const others = ["takenOver", "imported", "byProvider", "byVariable"];
  const keys = ["plain", "scoped", "rewritten", "full", "hidden", ...others];

  beforeAll(async () => {
    scene = await restored(version, "settled");
  });
  afterAll(() => scene?.close());

  it("shows no change in a preview, a refresh and the next update (R3)", async () => {
    expectOk(await scene.stack.preview({ expectNoChanges: true }));
    expectOk(await scene.stack.refresh({ expectNoChanges: true }));
    expectOk(await scene.stack.up({ expectNoChanges: true }));
    expect(writes(scene)).toEqual([]);
  });

  it("takes every change in place, and keeps all ids and secrets (K1, K6)", async () => {
    const secrets = () => scene.service.keys().map(({ id, key }) => [id, key]);
    const before = secrets();
    at(scene, "later");
    const up = await scene.stack.up();
    expectOk(up);
    const updated = [...keys, "restored", "retained", "adopted"];
    expect(acting(up)).toEqual(Object.fromEntries(updated.map((name) => [name, ["update"]])));
    expect(secrets()).toEqual(before);
    const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
    for (const { id, urn, outputs } of resources.filter(({ type }) => type.endsWith(":ApiKey"))) {
      const key = scene.service.key(id ?? "");
      const held = /::(imported|theirs)$/.test(urn) ? undefined : JSON.stringify(key?.key);
      expect(outputs?.["key"]?.plaintext, urn).toBe(held);
    }
    expect(scene.service.key("key_scoped")).toMatchObject({ enabled: true });
    expect(scene.service.key("key_rewritten")).toMatchObject({ name: "rewritten, renamed" });
    expect(workspace(scene, "ws_third")).toMatchObject({ defaultRateLimitPerSecond: 60 });
    expect(workspace(scene, "ws_second")).toMatchObject({ defaultExpiration: 7200 });
    expectOk(await scene.stack.previewRefresh({ expectNoChanges: true }));
  });

  it("is destroyed: its keys are deleted, former settings restored, other objects stay (K10, W5)", async () => {
    const destroy = await scene.stack.destroy();
    expectOk(destroy);
    expect(live(scene)).toEqual({ key_theirs: "theirs" });
    expect(workspace(scene, "ws_third")).toMatchObject({
      defaultKeyPrefix: "old",
      defaultRateLimitPerSecond: 9,
    });
    expect(workspace(scene, "ws_second")).toMatchObject({ defaultExpiration: 7200 });
    expect(scene.service.scopes("ws_main")).toHaveLength(2);
    expect((await scene.stack.exportState()).resources ?? []).toEqual([]);
  });
});

describe.each(readdirSync(snapshots))("an unsettled state that version %s wrote", (version) => {
  let scene: Scene;
  const remaining = {
    drifted: ["update"],
    moved: ["update"],
    unseen: ["update"],
    lost: ["create-replacement", "replace", "delete-replaced"],
    uncertain: ["update"],
  };

  beforeAll(async () => {
    scene = await restored(version, "unsettled");
  });
  afterAll(() => scene?.close());

  it("shows in a preview exactly what is left to do", async () => {
    const preview = await scene.stack.preview();
    expectOk(preview);
    expect(acting(preview)).toEqual({ ...remaining, renewed: ["delete-replaced"] });
    expect(stepsFor(preview, "lost")).toContainEqual(expect.objectContaining({ replacedFor: ["key"] }));
    expect(scene.service.requests).toEqual([]);
  });

  it("is completed by updates, which never grant again by themselves (B3)", async () => {
    const up = await scene.stack.up({ args: ["--continue-on-error"] });
    expect(up.ok).toBe(false);
    expect(up.error).toContain("it is still not known whether the credits were granted");
    expect(scene.service.requests.map(({ endpoint }) => endpoint)).not.toContain("createBilling");
    expect(scene.service.key("key_drifted")).toMatchObject({ enabled: true, scopes: [{ read: true }] });
    expect(workspace(scene, "ws_main")).toMatchObject({ defaultRateLimitPerSecond: 50 });
    expect(workspace(scene, "ws_second")).toMatchObject({ defaultRateLimitPerSecond: 60 });
    at(scene, "healed");
    expectOk(await scene.stack.up());
    expect(Object.values(live(scene)).toSorted()).toEqual(["drifted", "lost", "renewed"]);
    expect(scene.service.key("key_renewed2")).toMatchObject({ deleted: false });
    expect(scene.service.key("key_lost")).toMatchObject({ deleted: true });
    await expectSilentUp(scene);
    expectOk(await scene.stack.previewRefresh({ expectNoChanges: true }));
  });

  it("is destroyed, and restores the settings from before the stack (W5)", async () => {
    expectOk(await scene.stack.destroy());
    expect(live(scene)).toEqual({});
    expect(workspace(scene, "ws_main")).toMatchObject({ defaultRateLimitPerSecond: 7 });
    expect(workspace(scene, "ws_second")).toMatchObject({ defaultRateLimitPerSecond: 8 });
  });
});

for (const version of readdirSync(snapshots)) {
  describeInAll(`an unsettled state that version ${version} wrote, without an update`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await restored(version, "unsettled");
    });
    afterAll(() => scene?.close());

    it("is refreshed without losing hidden state, and destroyed", async () => {
      expectOk(await scene.stack.refresh());
      const { resources = [] } = await scene.stack.exportState();
      const marked = resources.flatMap(({ outputs = {}, id }) =>
        ["__keyLost", "__changed"].flatMap((mark) => (mark in outputs ? [`${id} ${mark}`] : [])),
      );
      expect(marked.toSorted()).toEqual(["key_lost __keyLost", "ws_main __changed"]);
      expect(Object.values(live(scene)).toSorted()).toEqual(["drifted", "lost", "renewed", "renewed"]);
      expectOk(await scene.stack.destroy());
      expect(live(scene)).toEqual({});
      expect(workspace(scene, "ws_second")).toMatchObject({ defaultRateLimitPerSecond: 8 });
    });
  });
}
