import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import { expectSilentUp } from "./expectations";
import type { Scene } from "./scene";
import { sent } from "./setExpectations";
import { at, snapshots } from "./snapshotMaking";
import { acting, restored } from "./snapshotRestoring";

const expectOk = (outcome: Outcome) => expect(outcome.ok, outcome.output).toBe(true);
const liveIds = ({ service }: Scene) =>
  service
    .keys({ deleted: false })
    .map(({ id }) => id)
    .toSorted();

describe.each(readdirSync(snapshots))("a state with sets of keys that version %s wrote", (version) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await restored(version, "sets");
  });
  afterAll(() => scene?.close());
  /** The secrets in a set's state, by alias. */
  const secretsOf = async (name: string): Promise<Record<string, string>> => {
    const { resources = [] } = await scene.stack.exportState({ showSecrets: true });
    const set = resources.find(({ urn }) => urn.endsWith(`::${name}`));
    return JSON.parse(set?.outputs?.["secrets"].plaintext);
  };

  it("shows in a preview, refreshed or not, what is left to do in the unsettled set alone", async () => {
    const preview = await scene.stack.preview();
    expectOk(preview);
    expect(acting(preview)).toEqual({ unsettled: ["update"] });
    expect(sent(scene)).toEqual({});
    const refreshed = await scene.stack.previewRefresh({ diff: true });
    expectOk(refreshed);
    expect(acting(refreshed)).toEqual({
      rotated: ["refresh"],
      settled: ["refresh"],
      unsettled: ["refresh", "update"],
    });
    const shown = refreshed.steps.filter(({ duringRefresh, diffs }) => duringRefresh && diffs.length > 0);
    expect(shown).toEqual([]);
  });

  it("is completed by one update, which replaces lost, reverts drifted and deletes replaced keys (K6)", async () => {
    scene.service.clearRequests();
    expectOk(await scene.stack.up());
    expect(sent(scene)).toEqual({
      listApiKeys: 1,
      createApiKey: 1,
      readApiKey: 1,
      editApiKey: 1,
      deleteApiKey: 3,
    });
    const [replaced] = scene.service.keys({ deleted: false }).filter(({ name }) => name === "lost");
    expect(liveIds(scene)).toEqual(
      [
        "key_byItself",
        "key_drifted",
        "key_full",
        "key_plain",
        "key_renewed2",
        "key_rewritten",
        "key_rotated",
        "key_rotated2",
        "key_takenOver",
        replaced?.id ?? "no key",
      ].toSorted(),
    );
    expect(scene.service.key("key_drifted")).toMatchObject({ enabled: true, scopes: [{ read: true }] });
    expect(await secretsOf("unsettled")).toEqual({
      drifted: "sk_test_drifted",
      lost: replaced?.key,
      renewed: "sk_test_renewed2",
    });
    await expectSilentUp(scene);
  });

  it("takes every change in place, and keeps all ids and secrets (K1, K6)", async () => {
    const before = scene.service.keys().map(({ id, key }) => [id, key]);
    const secrets = await secretsOf("settled");
    at(scene, "later");
    const up = await scene.stack.up();
    expectOk(up);
    expect(acting(up)).toEqual({ rotated: ["update"], settled: ["update"] });
    expect(scene.service.keys().map(({ id, key }) => [id, key])).toEqual(before);
    expect(await secretsOf("settled")).toEqual(secrets);
    expect(scene.service.key("key_plain")?.scopes).toMatchObject([{ read: true, update: true }]);
    expect(scene.service.key("key_byItself")).toMatchObject({ enabled: true, scopes: [] });
    expect(scene.service.key("key_rewritten")).toMatchObject({ name: "rewritten, renamed" });
    expectOk(await scene.stack.previewRefresh({ expectNoChanges: true }));
  });

  it("is destroyed (K10)", async () => {
    expectOk(await scene.stack.destroy());
    expect(liveIds(scene)).toEqual([]);
    expect((await scene.stack.exportState()).resources ?? []).toEqual([]);
  });
});

describe.each(readdirSync(snapshots))(
  "the same state that version %s wrote, without an update",
  (version) => {
    it("is destroyed with the keys that were still to delete", async () => {
      const scene = await restored(version, "sets");
      try {
        expectOk(await scene.stack.destroy());
        expect(liveIds(scene)).toEqual([]);
      } finally {
        await scene.close();
      }
    });
  },
);
