import { describe, type TestContext, test, vi } from "vitest";
import { arrival, begin, type Ending, end, existingKey, live, messageOf, slow, writes } from "./ending";
import { accessToken, openPluginScene, type Scene, type SceneOptions } from "./fixture";
import { type Held, HostFailure, type Properties } from "./host";
import type { PluginHost } from "./plugin";
import { quickTimers } from "./quickTimers";

type Stage = Scene<PluginHost>;

/** Deleted keys stay readable to the test, so that their secrets can be looked for. */
async function stage({ onTestFinished, expect }: TestContext, options: SceneOptions = {}): Promise<Stage> {
  const scene = await openPluginScene({ variant: { delete: "marks" }, ...options });
  onTestFinished(async () => {
    const printed = await scene.close();
    for (const text of [accessToken, existingKey, ...scene.standIn.secrets()])
      expect(printed).not.toContain(text);
  });
  return scene;
}

const warnings = ({ host }: Stage) =>
  host.logged.filter(({ severity }) => severity === "warning").map(({ message }) => message);
const secondsSince = (start: number) => (performance.now() - start) / 1_000;

/** What an operation leaves in state, even if it fails. */
async function keptBy(operation: Promise<Held>): Promise<Held & { readonly message: string }> {
  try {
    return { ...(await operation), message: "done" };
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error;
    return { id: error.kept?.id ?? "", state: error.kept?.properties ?? {}, message: error.message };
  }
}
const idsOf = ({ state }: Held) => Object.values((state["ids"] ?? {}) as Record<string, string>).sort();
const liveIds = (at: Stage) =>
  live(at)
    .map(({ id }) => id)
    .sort();
const many = (count: number, entry: Properties = {}): Properties => ({
  workspaceId: "ws_main",
  defaults: { customerId: "cus_1", ...entry },
  keys: Object.fromEntries(Array.from({ length: count }, (_, place) => [`k${place}`, {}])),
});

describe.concurrent("after Cancel", () => {
  test("R20 after Cancel, the plugin starts no create and no update, but still reads and deletes", async (context) => {
    const { expect } = context;
    const at = await stage(context);
    at.standIn.editWorkspace("ws_main", { defaultKeyPrefix: "before" });
    const [held, dropped] = await Promise.all(
      ["held", "dropped"].map(async (name) => {
        const { inputs } = await at.key.check({ workspaceId: "ws_second", customerId: "cus_1", name });
        return at.key.create(inputs);
      }),
    );
    at.standIn.clearRequests();
    await at.host.cancel();

    const begun = await begin(at, "key", "migrated", "scope", "settings", "grant");
    const update = await messageOf(at.key.update(held as Held, { ...held?.state, name: "new" }));
    for (const [name, message] of Object.entries({ ...begun, update }))
      expect(message, name).toMatch(/nothing was sent, because the run was canceled/);
    expect(writes(at)).toEqual([]);
    expect(await messageOf(at.key.read(held as Held))).toBe("done");
    expect(await messageOf(at.key.delete(dropped as Held))).toBe("done");
    expect(writes(at)).toEqual(["deleteApiKey"]);
    expect(warnings(at)).toEqual([]);
  });

  test("R20 after Cancel, running operations finish, and state has their results", async (context) => {
    const { expect } = context;
    const at = await stage(context, { variant: { delete: "marks", enabledOnCreate: "ignored" } });
    slow(at, "createApiKey", "createApiKey", "editWorkspace");
    const { inputs } = await at.key.check({ workspaceId: "ws_main", customerId: "cus_1", name: "whole" });
    const half = at.host.resource("ApiKey", "half");
    const { inputs: less } = await half.check({ ...inputs, name: "half", enabled: false });
    const settings = begin(at, "settings");
    const made = Promise.all([keptBy(at.key.create(inputs)), keptBy(half.create(less))]);
    await arrival(at, "createApiKey", "editWorkspace");
    await vi.waitFor(() => expect(writes(at)).toHaveLength(3), { timeout: 10_000, interval: 5 });
    await at.host.cancel();

    const [whole, other] = await made;
    expect(whole.message).toBe("done");
    expect(other.message).toMatch(/was created with id \S+, but .*because the run was canceled/);
    expect([whole.id, other.id].sort()).toEqual(liveIds(at));
    for (const { id, state } of [whole, other]) expect(state["key"]).toBe(at.standIn.key(id)?.key);
    expect(await settings).toEqual({ settings: "done" });
    const start = performance.now();
    process.kill(at.host.pid, "SIGINT");
    await at.host.ended;
    expect(secondsSince(start)).toBeLessThan(1);
  });

  test("R20 after Cancel, a set stops early with the service's keys in state, and the next update does the rest", async (context) => {
    const { expect } = context;
    const at = await stage(context, { latencyMs: 30 });
    const set = at.host.resource("ApiKeySet");
    const { inputs } = await set.check(many(60));
    const creating = keptBy(set.create(inputs));
    await vi.waitFor(() => expect(writes(at).length).toBeGreaterThan(8), { timeout: 10_000, interval: 5 });
    await at.host.cancel();
    const created = await creating;
    expect(created.message).toMatch(/^Creating the keys of workspace ws_main: \d\d of 60 failed/);
    expect(created.message).toContain("Skipped: the run was canceled.");
    expect(idsOf(created).length).toBeGreaterThan(4);
    expect(idsOf(created).length).toBeLessThan(30);
    expect(idsOf(created)).toEqual(liveIds(at));
    expect(warnings(at)).toEqual([]);

    const later = await at.laterHost();
    const again = later.resource("ApiKeySet");
    const held = await again.update(created, inputs);
    expect(idsOf(held)).toEqual(liveIds(at));
    expect(idsOf(held)).toHaveLength(60);

    const { inputs: changed } = await again.check({ ...many(40, { prefix: "new" }) }, inputs);
    at.standIn.clearRequests();
    const updating = keptBy(again.update(held, changed));
    await vi.waitFor(() => expect(writes(at).length).toBeGreaterThan(8), { timeout: 10_000, interval: 5 });
    await later.cancel();
    const updated = await updating;
    const toDelete = (updated.state["__toDelete"] ?? []) as { readonly id: string }[];
    expect([...idsOf(updated), ...toDelete.map(({ id }) => id)].sort()).toEqual(liveIds(at));
    expect(writes(at)).not.toContain("deleteApiKey");
  });

  test("R20 after Cancel, a set finishes only the running edit, and the next update renames and deletes", async (context) => {
    const { expect } = context;
    const at = await stage(context, { variant: {} });
    const set = at.host.resource("ApiKeySet");
    const declared = { workspaceId: "ws_main", defaults: { customerId: "cus_1" } };
    const { inputs } = await set.check({ ...declared, keys: { old: { name: "x" }, gone: {}, edit: {} } });
    const held = await set.create(inputs);
    const { inputs: next, failures } = await set.check(
      { ...declared, keys: { new: { name: "x", renamedFrom: "old" }, edit: { enabled: false } } },
      inputs,
    );
    expect(failures).toEqual([]);
    at.standIn.clearRequests();
    slow(at, "editApiKey");
    const updating = keptBy(set.update(held, next));
    await arrival(at, "editApiKey");
    await at.host.cancel();
    const kept = await updating;
    expect(kept.message).toMatch(/^Updating the keys of workspace ws_main: 1 of 2 failed/);
    expect(kept.message).toContain("Skipped: the run was canceled.");
    expect(kept.state).toMatchObject({ ids: held.state["ids"], __failed: true });
    expect(Object.keys(kept.state["keys"] as Properties).toSorted()).toEqual(["edit", "gone", "old"]);
    expect(writes(at)).toEqual(["editApiKey"]);

    const { old, edit } = held.state["ids"] as Record<string, string>;
    const again = (await at.laterHost()).resource("ApiKeySet");
    expect((await again.diff(kept, next)).changes).toBe("some");
    const after = await again.update(kept, next);
    expect(after.state["ids"]).toEqual({ new: old, edit });
    expect(after.state).not.toHaveProperty("__failed");
    expect(liveIds(at)).toEqual(idsOf(after));
    expect(writes(at)).toEqual(["editApiKey", "deleteApiKey"]);
  });
});

describe.each<Ending>(["SIGINT", "engine exit"])("%s in the plugin", { concurrent: true }, (ending) => {
  test(`R20 ${ending} ends the plugin at once between operations`, async (context) => {
    const at = await stage(context);
    const start = performance.now();
    end(at, ending);
    await at.host.ended;
    context.expect(secondsSince(start)).toBeLessThan(1);
    context.expect(at.host.output.stderr).toBe("");
  });

  for (const isCancelled of ending === "SIGINT" ? [false, true] : [false]) {
    const when = isCancelled ? "after Cancel, " : "";
    test(`R20 ${ending} ${when}during creates of the plugin rolls back what it can, and names the rest with its id`, async (context) => {
      const { expect } = context;
      const at = await stage(context);
      const posts = ["createApiKey", "migrateApiKey", "createBilling"] as const;
      slow(at, ...posts);
      const begun = begin(at, "key", "migrated", "grant");
      await arrival(at, ...posts);
      if (isCancelled) await at.host.cancel();
      end(at, ending);

      expect(await begun).toEqual({
        key: expect.stringMatching(/^The result could not be saved to state because .*(interrupted|exited)/),
        migrated: "done",
        grant: "done",
      });
      await at.host.ended;
      const [migrated, ...others] = live(at);
      expect([migrated?.key, others]).toEqual([existingKey, []]);
      expect(writes(at).toSorted()).toEqual([...posts, "deleteApiKey"].toSorted());
      // Without an engine, nothing receives the warnings.
      if (ending === "engine exit") return;
      expect(warnings(at).toSorted()).toEqual([
        expect.stringContaining(
          `100 credits in workspace ws_main (${at.standIn.billings()[0]?.id}): the run ended`,
        ),
        expect.stringContaining(`Key "old" in workspace ws_main (${migrated?.id}): the run ended`),
      ]);
      expect(warnings(at).join()).toContain("may be in use; import it with `pulumi import apikeys:index:");
    });
  }
});

test("R20 engine exit in the plugin rolls back, although nobody reads its debug lines any more", async (context) => {
  const { expect } = context;
  const at = await stage(context, { env: { APIKEYS_DEBUG: "1" } });
  slow(at, "createApiKey");
  const begun = begin(at, "key");
  await arrival(at, "createApiKey");
  at.host.deafen();
  end(at, "engine exit");
  expect((await begun)["key"]).toMatch(/^The result could not be saved to state because .*exited/);
  await at.host.ended;
  expect(live(at)).toEqual([]);
  expect(writes(at)).toEqual(["createApiKey", "deleteApiKey"]);
});

describe.concurrent("SIGINT in the plugin", () => {
  test("R20 SIGINT in the plugin before a write keeps anything from being written", async (context) => {
    const { expect } = context;
    const at = await stage(context);
    slow(at, "listScopes", "readWorkspace");
    const begun = begin(at, "scope", "settings");
    await arrival(at, "listScopes", "readWorkspace");
    process.kill(at.host.pid, "SIGINT");
    for (const message of Object.values(await begun))
      expect(message).toMatch(/nothing was sent, because the run was interrupted/);
    await at.host.ended;
    expect(writes(at)).toEqual([]);
  });

  test("R20 SIGINT in the plugin during the create of a set deletes all keys that it created", async (context) => {
    const { expect } = context;
    const at = await stage(context, { latencyMs: 30 });
    const set = at.host.resource("ApiKeySet");
    const { inputs } = await set.check(many(60));
    const created = messageOf(set.create(inputs));
    await vi.waitFor(() => expect(writes(at).length).toBeGreaterThan(8), { timeout: 10_000, interval: 5 });
    process.kill(at.host.pid, "SIGINT");
    expect(await created).toMatch(/^The result could not be saved to state because/);
    await at.host.ended;
    expect(liveIds(at)).toEqual([]);
    expect(writes(at).filter((one) => one === "createApiKey").length).toBeLessThan(60);
  });

  test("R20 SIGINT in the plugin names a request without an answer before the engine kills the plugin", async (context) => {
    const { expect } = context;
    const at = await stage(context, { env: quickTimers({ 4000: 100, 500: 500 }) });
    at.standIn.inject({ endpoint: "createBilling", fault: { kind: "hang", carriedOut: true } });
    const begun = begin(at, "grant");
    await arrival(at, "createBilling");
    process.kill(at.host.pid, "SIGINT");
    await vi.waitFor(() => expect(warnings(at)).toHaveLength(1), { timeout: 5_000 });
    expect(warnings(at)[0]).toMatch(
      /^100 credits in workspace ws_main: the run ended before the service answered/,
    );
    process.kill(at.host.pid, "SIGKILL");
    await begun;
  });
});
