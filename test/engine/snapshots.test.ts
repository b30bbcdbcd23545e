import { describe, expect, it } from "vitest";
import { revealed } from "../../tools/engine/stack";
import { actingIn, expectSilentUp, sentTo, stepsFor } from "./expectations";
import type { Fixture } from "./fixture";
import { at, expectOk, restored, versions } from "./snapshots";

const workspace = ({ service }: Fixture, id: string) => service.workspaces().find((one) => one.id === id);
const live = ({ service }: Fixture) =>
  service
    .keys({ deleted: false })
    .map(({ name }) => name)
    .toSorted();
const secrets = ({ service }: Fixture) => service.keys().map(({ id, key }) => [id, key]);
const writes = ({ service }: Fixture) =>
  service.requests.flatMap(({ method, endpoint }) => (method === "GET" ? [] : [endpoint]));
/** Outputs by the name of the resource, in plain text. */
const outputs = async ({ stack }: Fixture) => {
  const { resources = [] } = await stack.exportState({ showSecrets: true });
  const ours = resources.filter(({ type }) => !type.startsWith("pulumi:"));
  return Object.fromEntries(
    ours.map(({ urn, id, outputs }) => [
      urn.split("::").at(-1),
      { id, outputs: revealed(outputs) as typeof outputs },
    ]),
  );
};

describe.each(versions)("a state that version %s wrote", (version) => {
  it("R1 R3 a settled state shows no change in either host, takes each change in place, and is destroyed", async () => {
    const fixture = await restored(version, "settled");
    const before = await outputs(fixture);
    expectOk(await fixture.stack.refresh({ expectNoChanges: true }));
    for (const host of ["dynamic", "plugin"] as const) {
      await fixture.project.setHost(host);
      expectOk(await fixture.stack.preview({ expectNoChanges: true }));
      expectOk(await fixture.stack.up({ expectNoChanges: true }));
      expectOk(await fixture.stack.refresh({ expectNoChanges: true, runProgram: false }));
      expect(await outputs(fixture)).toEqual(before);
      expect(JSON.stringify(await fixture.stack.exportState())).not.toContain("in the dark");
      await fixture.project.setHost("dynamic");
    }
    expect(writes(fixture)).toEqual([]);

    const held = secrets(fixture);
    at(fixture, "later");
    const up = await fixture.stack.up();
    expectOk(up);
    const updated = ["full", "hidden", "takenOver", "imported", "byProvider", "set", "rotated", "restored"];
    // The other host reads again what is only read.
    const moved = { theirs: ["discard"] };
    expect(actingIn(up)).toEqual({
      ...Object.fromEntries(updated.map((name) => [name, ["update"]])),
      ...moved,
    });
    expect(secrets(fixture)).toEqual(held);
    const now = await outputs(fixture);
    for (const name of ["full", "hidden", "takenOver", "byProvider"]) {
      const { id, outputs } = now[name] ?? {};
      expect(outputs?.["key"], name).toBe(fixture.service.key(id ?? "")?.key);
    }
    expect(fixture.service.key("key_full")).toMatchObject({ enabled: true, name: "full, renamed" });
    expect(fixture.service.key("key_rewritten")).toMatchObject({ name: "rewritten, renamed" });
    expect(workspace(fixture, "ws_second")).toMatchObject({ defaultRateLimitPerSecond: 60 });
    expectOk(await fixture.stack.previewRefresh({ expectNoChanges: true }));

    expectOk(await fixture.stack.destroy());
    expect(live(fixture)).toEqual(["theirs"]);
    expect(workspace(fixture, "ws_second")).toMatchObject({
      defaultKeyPrefix: "old",
      defaultRateLimitPerSecond: 8,
    });
    expect(fixture.service.scopes("ws_main")).toHaveLength(1);
    expect((await fixture.stack.exportState()).resources ?? []).toEqual([]);
  });

  it("R1 B3 an unsettled state shows what is left to do in either host, and is completed without a second grant", async () => {
    const fixture = await restored(version, "unsettled");
    for (const host of ["plugin", "dynamic"] as const) {
      await fixture.project.setHost(host);
      const preview = await fixture.stack.preview();
      expectOk(preview);
      expect(actingIn(preview)).toEqual({
        ...Object.fromEntries(
          ["drifted", "moved", "unseen", "uncertain", "set"].map((name) => [name, ["update"]]),
        ),
        lost: ["create-replacement", "replace", "delete-replaced"],
        renewed: ["delete-replaced"],
      });
      expect(stepsFor(preview, "lost")).toContainEqual(expect.objectContaining({ replacedFor: ["key"] }));
    }
    expect(sentTo(fixture.service)).toEqual([]);

    const up = await fixture.stack.up({ args: ["--continue-on-error"] });
    expect(up.error).toContain("it is still not known whether the credits were granted");
    expect(writes(fixture)).not.toContain("createBilling");
    for (const id of ["key_drifted", "key_driftedInSet"])
      expect(fixture.service.key(id)).toMatchObject({ enabled: true, scopes: [{ read: true }] });
    expect(workspace(fixture, "ws_main")).toMatchObject({ defaultRateLimitPerSecond: 50 });
    expect(workspace(fixture, "ws_second")).toMatchObject({ defaultRateLimitPerSecond: 60 });
    at(fixture, "healed");
    expectOk(await fixture.stack.up());
    const names = ["drifted", "lost", "renewed"].flatMap((name) => [name, `${name}InSet`]);
    expect(live(fixture)).toEqual(names.toSorted());
    for (const id of ["key_lost", "key_lostInSet"])
      expect(fixture.service.key(id)).toMatchObject({ deleted: true });
    for (const id of ["key_renewed2", "key_renewedInSet2"])
      expect(fixture.service.key(id)).toMatchObject({ deleted: false });
    await expectSilentUp(fixture);
    expectOk(await fixture.stack.previewRefresh({ expectNoChanges: true }));
    expectOk(await fixture.stack.destroy());
    expect(live(fixture)).toEqual([]);
    expect(workspace(fixture, "ws_main")).toMatchObject({ defaultRateLimitPerSecond: 7 });
  });

  it("R1 an unsettled state keeps its hidden properties in a refresh, and is destroyed without an update", async () => {
    const fixture = await restored(version, "unsettled");
    expectOk(await fixture.stack.refresh());
    const { resources = [] } = await fixture.stack.exportState();
    const marked = resources.flatMap(({ outputs = {}, id }) =>
      ["__keyLost", "__before"].flatMap((mark) => (mark in outputs ? [`${id} ${mark}`] : [])),
    );
    expect(marked.toSorted()).toEqual(["key_lost __keyLost", "ws_main __before", "ws_second __before"]);
    expectOk(await fixture.stack.destroy());
    expect(live(fixture)).toEqual([]);
    expect(workspace(fixture, "ws_second")).toMatchObject({ defaultRateLimitPerSecond: 8 });
  });
});
