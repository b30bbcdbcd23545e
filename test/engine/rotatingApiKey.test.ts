import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Outcome } from "../../tools/engine/outcome";
import type { Host } from "../../tools/engine/project";
import { setDaysAhead } from "./clock";
import { expectQuiet, expectSilentUp, stepsFor } from "./expectations";
import { type Scene, setScene } from "./scene";

const program = `import { ApiKey, RotatingApiKey } from "pulumi-apikeys";

const base = { workspaceId: "ws_main", customerId: "customer" };
const leaked = process.env["APIKEYS_STEP"] ?? "";
const ci = new RotatingApiKey("ci", { ...base, enabled: leaked !== "off", rotateEvery: "90d", keepers: { leaked: leaked.replace("off", "") } });
new ApiKey("dependent", { ...base, name: ci.keyId.apply((id) => "after " + id) });

export const key = ci.key;
export const previousKey = ci.previousKey;
`;

describe.each<Host>(["dynamic", "plugin"])("a rotating key in the %s host", (host) => {
  let scene: Scene;
  const ok = (outcome: Outcome) => {
    expect(outcome.ok, outcome.output).toBe(true);
    return outcome;
  };
  const at = (days: number) => setDaysAhead(scene, days);
  const live = () => scene.service.keys({ deleted: false }).filter(({ name }) => name === "ci");
  const writes = () =>
    scene.service.requests.flatMap(({ method, endpoint }) => (method === "GET" ? [] : [endpoint]));
  const outputs = async () => {
    const { key, previousKey } = await scene.stack.outputs();
    expect([key?.secret, previousKey?.secret ?? true]).toEqual([true, true]);
    return [key?.value, previousKey?.value];
  };

  beforeAll(async () => {
    scene = await setScene(`rotating-${host}`, { program, host });
    ok(await scene.stack.up());
  });
  afterAll(() => {
    vi.useRealTimers();
    return scene?.close();
  });

  it("T1 is due for rotation after 90 days, and not before", async () => {
    at(89);
    await expectSilentUp(scene);
    at(91);
    expect((await scene.stack.preview({ expectNoChanges: true })).ok).toBe(false);
  });

  it("T1 is rotated by an update that the preview announces, and its dependents get the new key", async () => {
    const [first] = live();
    scene.service.clearRequests();
    const preview = ok(await scene.stack.preview());
    expect(preview.output).toContain(
      `${first?.id} is due: a new key will be created; ${first?.id} stays valid until`,
    );
    expect(writes()).toEqual([]);
    const up = ok(await scene.stack.up());
    expect(stepsFor(up, "ci").map(({ op }) => op)).toEqual(["update"]);
    expect(writes()).toEqual(["createApiKey", "editApiKey"]);
    const [previous, current] = live();
    expect(previous?.id).toBe(first?.id);
    expect(await outputs()).toEqual([current?.key, previous?.key]);
    expect(scene.service.keys().map(({ name }) => name)).toContain(`after ${current?.id}`);
    await expectSilentUp(scene);
    await expectQuiet(scene);
  });

  it("T2 has edits applied to both keys, and the plugin's preview shows unchanged outputs as known", async () => {
    scene.stack.setEnv("APIKEYS_STEP", "off");
    const preview = ok(await scene.stack.preview());
    expect(preview.changes).toEqual(host === "plugin" ? { update: 1, same: 2 } : { update: 2, same: 1 });
    ok(await scene.stack.up());
    expect(live().map(({ enabled }) => enabled)).toEqual([false, false]);
    scene.stack.setEnv("APIKEYS_STEP", "");
    ok(await scene.stack.up());
  });

  it("T2 fails to rotate again before the overlap is over, and says what to do", async () => {
    scene.stack.setEnv("APIKEYS_STEP", "yes");
    scene.service.clearRequests();
    expect(ok(await scene.stack.preview()).output).toContain(
      "can't be updated: the change of keepers needs a new key",
    );
    const up = await scene.stack.up();
    expect(up.ok).toBe(false);
    expect(up.output).toContain("the change of keepers needs a new key, but the previous key,");
    expect(writes()).toEqual([]);
    scene.stack.setEnv("APIKEYS_STEP", "");
  });

  it("T6 is neither rotated nor deleted by a refresh", async () => {
    at(400);
    scene.service.clearRequests();
    ok(await scene.stack.refresh());
    expect(writes()).toEqual([]);
    expect(live()).toHaveLength(2);
  });

  it("T1 has its previous key deleted by a later update, once the overlap is over", async () => {
    at(98.5);
    const [previous, current] = live();
    const preview = ok(await scene.stack.preview());
    expect(preview.output).toContain(`: ${previous?.id} will be deleted.`);
    ok(await scene.stack.up());
    expect(live().map(({ id }) => id)).toEqual([current?.id]);
    expect(await outputs()).toEqual([current?.key, undefined]);
    await expectSilentUp(scene);
  });

  it("T8 is replaced as a whole if the engine is told to, and destroyed with all its keys", async () => {
    const [before] = live();
    const { resources = [] } = await scene.stack.exportState();
    const target = resources.flatMap(({ urn }) => (urn.endsWith("::ci") ? [urn] : []));
    ok(
      await scene.stack.up({
        args: target.map((urn) => `--target-replace=${urn}`).concat("--target-dependents"),
      }),
    );
    expect(live()).toHaveLength(1);
    expect(live()[0]?.id).not.toBe(before?.id);
    ok(await scene.stack.destroy());
    expect(scene.service.keys({ deleted: false })).toEqual([]);
  });
});
