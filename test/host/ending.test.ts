/** How a run ends while a host is at work: by two signals, or because the engine exits. */
import { describe, type TestContext, test, vi } from "vitest";
import type { Endpoint } from "../../standin";
import { type Fixture, type FixtureOptions, openFixture, openPluginFixture } from "./fixture";
import { HostFailure, type Properties, type Resource } from "./host";
import { quickTimers } from "./quickTimers";

/** The value of a key that may already be in use. */
const existingKey = "sk_live_somebody_uses_this_0123456789";
const always = { times: Number.POSITIVE_INFINITY };
const notSaved = /^The result could not be saved to state because .*(the run was interrupted|engine exited)/;
const key = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };
const patience = { timeout: 10_000, interval: 5 };

/** Deleted keys stay readable to the test, so that their secrets can be looked for. */
async function opened<F extends Fixture>(
  open: (options: FixtureOptions) => Promise<F>,
  { onTestFinished }: TestContext,
  options: FixtureOptions = {},
): Promise<F> {
  const at = await open({ variant: { delete: "marks" }, ...options });
  onTestFinished(async () => void (await at.close()));
  return at;
}

type Ending = "SIGINT" | "engine exit";
function end({ host }: Fixture, ending: Ending): void {
  if (ending === "engine exit") host.desert();
  else process.kill(host.pid, ending);
}

const declarations = {
  key: ["ApiKey", key],
  migrated: ["ApiKey", { ...key, name: "old", existingKey }],
  scope: ["Scope", { workspaceId: "ws_main", name: "Orders", representation: "orders" }],
  settings: ["WorkspaceSettings", { workspaceId: "ws_main", defaultKeyPrefix: "sk", onDestroy: "restore" }],
  grant: ["CustomerBilling", { workspaceId: "ws_main", totalCredits: "100" }],
} as const satisfies Readonly<Record<string, readonly [string, Properties]>>;

/** Starts to create all at once. Returns the engine's answer for each: "done", or why it failed. */
async function begin({ host }: Fixture, ...names: readonly (keyof typeof declarations)[]) {
  const results = names.map(async (name) => {
    const [kind, declared] = declarations[name];
    const { inputs } = await host.resource(kind).check(declared);
    return [name, await messageOf(host.resource(kind).create(inputs))] as const;
  });
  return Object.fromEntries(await Promise.all(results)) as Record<string, string>;
}

/** The state that an operation leaves, even if it fails. */
async function keptBy(operation: Promise<unknown>): Promise<Resource & { readonly message: string }> {
  try {
    return { ...((await operation) as Resource), message: "done" };
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error;
    return { id: error.kept?.id ?? "", state: error.kept?.properties ?? {}, message: error.message };
  }
}
const messageOf = async (operation: Promise<unknown>) => (await keptBy(operation)).message;

const create = async (at: Fixture, name: string, more: Properties = {}) =>
  at.key.create((await at.key.check({ ...key, name, ...more })).inputs);

/** Answers to this endpoint take a second or two, so that there is time to act while they are under way. */
function slow({ standIn }: Fixture, ...endpoints: readonly Endpoint[]): void {
  for (const endpoint of endpoints) {
    const bytesPerSecond = endpoint.startsWith("list") ? 10 : 250;
    standIn.inject({ endpoint, fault: { kind: "drip", bytesPerSecond } });
  }
}

/** The requests that may change something, in the order of their arrival. */
const writes = ({ standIn }: Fixture) =>
  standIn.requests.filter(({ method }) => method !== "GET").map(({ endpoint }) => endpoint);
const count = (at: Fixture, endpoint: Endpoint) => writes(at).filter((one) => one === endpoint).length;

/** Waits until a request to each of these has arrived at the service. */
async function arrival({ standIn }: Fixture, ...endpoints: readonly Endpoint[]): Promise<void> {
  await vi.waitFor(() => {
    const waiting = endpoints.filter((one) => !standIn.requests.some(({ endpoint }) => endpoint === one));
    if (waiting.length > 0) throw new Error(`${waiting} did not arrive`);
  }, patience);
}
const creates = (at: Fixture, most: number) =>
  vi.waitFor(() => {
    if (count(at, "createApiKey") <= most) throw new Error("there are too few creates");
  }, patience);

const live = ({ standIn }: Fixture) => standIn.keys({ deleted: false });
const liveIds = (at: Fixture) => live(at).map(({ id }) => id);
const idsOf = ({ state }: Resource) => Object.values((state["ids"] ?? {}) as Record<string, string>);

/** The lines that the host wrote until its end. */
async function lastWords({ host }: Fixture): Promise<readonly string[]> {
  await host.ended;
  const lines = host.output.stderr.split("\n").filter((line) => line !== "");
  return lines.map((line) => line.replace(/^warning: /, "")).toSorted();
}

const set = (keys: Properties, entry: Properties = {}): Properties => ({
  ...{ workspaceId: "ws_main", defaults: { customerId: "cus_1", ...entry } },
  keys,
});
const many = (size: number): Properties =>
  Object.fromEntries(Array.from({ length: size }, (_, place) => [`k${place}`, {}]));

const hosts = [
  ["the dynamic host", openFixture],
  ["the plugin", openPluginFixture],
] as const;
const endings = hosts.flatMap(([host, open]) =>
  (["SIGINT", "engine exit"] as const).map((ending) => ({ host, open, ending })),
);

describe.each(endings)("$ending in $host", { concurrent: true }, ({ host, open, ending }) => {
  /** Without an engine, nothing receives the plugin's warnings. */
  const isHeard = ending === "SIGINT" || host === "the dynamic host";

  test(`R20 ${ending} before a write: ${host} writes and prints nothing`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context);
    const held = await create(at, "theirs", { workspaceId: "ws_second" });
    at.standIn.clearRequests();
    slow(at, "listApiKeys", "listScopes", "readWorkspace", "readApiKey");
    const begun = begin(at, "key", "migrated", "scope", "settings");
    const update = messageOf(at.key.update(held, { ...held.state, name: "renamed" }));
    await arrival(at, "listApiKeys", "listScopes", "readWorkspace", "readApiKey");
    end(at, ending);

    for (const [name, message] of Object.entries({ ...(await begun), update: await update })) {
      expect(message, name).toMatch(/nothing more was sent, because .*(was interrupted|engine exited)/);
      expect(message, name).toMatch(/Nothing was (created|changed)|State is unchanged/);
    }
    expect(await lastWords(at)).toEqual([]);
    expect(writes(at)).toEqual([]);
  });

  test(`R20 ${ending} during creates: ${host} rolls back what it can, and names the rest with its id`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context);
    const posts = ["createApiKey", "migrateApiKey", "createScope", "editWorkspace", "createBilling"] as const;
    slow(at, ...posts);
    const begun = begin(at, "key", "migrated", "scope", "settings", "grant");
    await arrival(at, ...posts);
    end(at, ending);

    expect(await begun).toMatchObject({
      ...{ key: expect.stringMatching(notSaved), migrated: expect.stringMatching(notSaved), grant: "done" },
    });
    const words = await lastWords(at);
    const [migrated, ...others] = live(at);
    expect([migrated?.key, others]).toEqual([existingKey, []]);
    expect(writes(at).toSorted()).toEqual([...posts, "deleteApiKey"].toSorted());
    if (!isHeard) return;
    const [billing] = at.standIn.billings();
    expect(words).toEqual([
      expect.stringContaining(`100 credits in workspace ws_main (${billing?.id}): the run ended`),
      expect.stringContaining(`Key "old" in workspace ws_main (${migrated?.id}): the run ended`),
    ]);
    expect(words[1]).toMatch(/may be in use: declare its id as existingId/);
  });

  test(`R20 ${ending} during an update and a delete: ${host} finishes both`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context);
    const [changed, dropped] = [await create(at, "changed"), await create(at, "dropped")];
    const { inputs } = await at.key.check({ ...changed.state, name: "renamed" }, changed.state);
    at.standIn.clearRequests();
    slow(at, "editApiKey", "deleteApiKey");
    const done = Promise.all([messageOf(at.key.update(changed, inputs)), messageOf(at.key.delete(dropped))]);
    await arrival(at, "editApiKey", "deleteApiKey");
    end(at, ending);

    expect(await done).toEqual(["done", "done"]);
    expect(await lastWords(at)).toEqual([]);
    expect(live(at).map(({ name }) => name)).toEqual(["renamed"]);
    expect(writes(at).toSorted()).toEqual(["deleteApiKey", "editApiKey"]);
  });

  test(`R20 ${ending} between operations: ${host} ends at once, and prints nothing`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context);
    await create(at, "ci");
    const start = performance.now();
    end(at, ending);
    expect(await lastWords(at)).toEqual([]);
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(live(at)).toHaveLength(1);
  });

  test(`R20 K11 ${ending} during the create of a set: ${host} deletes created keys, never existing ones`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context, { latencyMs: 30 });
    const there = at.standIn.addKey({ ...key, name: "there" });
    const adopted = { existingId: there.id, scopes: [], enabled: false };
    const sets = at.host.resource("ApiKeySet");
    const { inputs } = await sets.check(set({ first: { existingKey }, adopted, ...many(100) }));
    const created = messageOf(sets.create(inputs));
    await creates(at, 20);
    end(at, ending);

    expect(await created).toMatch(notSaved);
    await at.host.ended;
    const [first, migrated, ...others] = live(at);
    expect(first).toMatchObject({ id: there.id, enabled: false });
    expect([migrated?.key, others]).toEqual([existingKey, []]);
    // Only the creates that were already running went on.
    expect(count(at, "createApiKey")).toBeLessThan(80);
    expect(count(at, "deleteApiKey")).toBe(count(at, "createApiKey"));
  });

  test(`R20 ${ending} during the update of a set: ${host} deletes nothing, and creates no further key`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context, { latencyMs: 30 });
    const sets = at.host.resource("ApiKeySet");
    const { inputs: before } = await sets.check(set({ ...many(10), gone: {} }));
    const held = await sets.create(before);
    // Replaces 10, adds 20, removes one.
    const { inputs } = await sets.check(set(many(30), { prefix: "new" }), before);
    at.standIn.clearRequests();
    const updated = messageOf(sets.update(held, inputs));
    await creates(at, 5);
    end(at, ending);

    await updated;
    await at.host.ended;
    expect(liveIds(at)).toEqual(expect.arrayContaining(idsOf(held)));
    expect(count(at, "createApiKey")).toBeLessThan(30);
  });
});

describe.each(hosts)("%s, once its run is over", { concurrent: true }, (host, open) => {
  test(`R20 ${host} names a new key that can't be deleted once its run is over`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context);
    slow(at, "createApiKey");
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status: 403 }, ...always });
    const begun = begin(at, "key");
    await arrival(at, "createApiKey");
    end(at, "SIGINT");

    expect((await begun)["key"]).toMatch(notSaved);
    expect(await lastWords(at)).toEqual([
      expect.stringContaining(`Key "ci" in workspace ws_main (${live(at)[0]?.id}): the run ended before`),
    ]);
  });

  test(`R20 ${host} names every create that has no answer, before it is killed`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context, { env: quickTimers({ 4000: 100, 500: 500, 30000: 30000 }) });
    const posts = ["createApiKey", "migrateApiKey", "editWorkspace", "createBilling"] as const;
    at.standIn.inject({ endpoint: posts, fault: { kind: "hang", carriedOut: true }, ...always });
    const begun = begin(at, "key", "migrated", "settings", "grant");
    await arrival(at, ...posts);
    end(at, "SIGINT");
    const printed = () => at.host.output.stderr.match(/the run ended/g)?.length ?? 0;
    await vi.waitUntil(() => printed() === 3, patience);
    process.kill(at.host.pid, "SIGKILL");

    await begun;
    const unanswered = "the run ended before the result could be saved";
    expect(await lastWords(at)).toEqual([
      expect.stringMatching(`100 credits in workspace ws_main: ${unanswered}.*set billingId`),
      expect.stringMatching(`Key "ci" in workspace ws_main: ${unanswered}.*Delete a new key`),
      expect.stringMatching(`Key "old" in workspace ws_main: ${unanswered}.*Don't delete the key`),
    ]);
    expect(writes(at).toSorted()).toEqual([...posts].toSorted());
  });

  test(`R20 ${host} deletes a new key even if nobody reads its output any more`, async (context) => {
    const { expect } = context;
    const at = await opened(open, context, { env: { APIKEYS_DEBUG: "1" } });
    slow(at, "createApiKey", "migrateApiKey", "createBilling");
    const begun = begin(at, "key", "migrated", "grant");
    await arrival(at, "createApiKey", "migrateApiKey", "createBilling");
    at.host.deafen();
    end(at, "engine exit");

    expect((await begun)["key"]).toMatch(notSaved);
    await at.host.ended;
    expect(live(at).map((one) => one.key)).toEqual([existingKey]);
    expect(count(at, "deleteApiKey")).toBe(1);
  });
});

describe.concurrent("R20: after the first Ctrl-C, the plugin begins nothing new, and the results of what was under way are saved", () => {
  test("R20 after Cancel, the plugin starts no create and no update, but still reads and deletes", async (context) => {
    const { expect } = context;
    const at = await opened(openPluginFixture, context);
    const [held, dropped] = [await create(at, "held"), await create(at, "dropped")];
    at.standIn.clearRequests();
    await at.host.cancel();

    const begun = await begin(at, "key", "migrated", "scope", "settings", "grant");
    const update = await messageOf(at.key.update(held, { ...held.state, name: "new" }));
    for (const [name, message] of Object.entries({ ...begun, update }))
      expect(message, name).toMatch(/nothing more was sent, because the run was canceled/);
    expect(writes(at)).toEqual([]);
    expect(await messageOf(at.key.read(held))).toBe("done");
    expect(await messageOf(at.key.delete(dropped))).toBe("done");
    expect(writes(at)).toEqual(["deleteApiKey"]);
    expect(at.host.output.stderr).not.toContain("warning");
  });

  test("R20 after Cancel, a create stops waiting for a busy service, and its message names the 429", async (context) => {
    const { expect } = context;
    const at = await opened(openPluginFixture, context);
    const busy = { kind: "status", status: 429, headers: { "retry-after": "300" } } as const;
    at.standIn.inject({ endpoint: "createApiKey", fault: busy });
    const begun = begin(at, "key");
    await arrival(at, "createApiKey");
    await at.host.cancel();

    expect((await begun)["key"]).toMatch(
      /^Creating key "ci" in workspace ws_main: the service answered 429.* and asked to wait 300 s; nothing more was sent, because the run was canceled\..*Run the command again later\.$/s,
    );
    expect(writes(at)).toEqual(["createApiKey"]);
  });

  test("R20 after Cancel, running operations finish, and state has their results", async (context) => {
    const { expect } = context;
    const variant = { delete: "marks", enabledOnCreate: "ignored" } as const;
    const at = await opened(openPluginFixture, context, { variant });
    slow(at, "createApiKey", "createApiKey", "editWorkspace");
    const settings = begin(at, "settings");
    const made = Promise.all([keptBy(create(at, "whole")), keptBy(create(at, "half", { enabled: false }))]);
    await arrival(at, "createApiKey", "editWorkspace");
    await creates(at, 1);
    await at.host.cancel();

    const [whole, half] = await made;
    expect(whole.message).toBe("done");
    expect(half.message).toMatch(/^Creating key .*because the run was canceled/);
    expect([whole.id, half.id].sort()).toEqual(liveIds(at).sort());
    for (const { id, state } of [whole, half]) expect(state["key"]).toBe(at.standIn.key(id)?.key);
    expect(await settings).toEqual({ settings: "done" });
  });

  test("R20 after Cancel, a set stops early with the service's keys in state, and the next update does the rest", async (context) => {
    const { expect } = context;
    const at = await opened(openPluginFixture, context, { latencyMs: 30 });
    const sets = at.host.resource("ApiKeySet");
    const { inputs } = await sets.check(set(many(60)));
    const creating = keptBy(sets.create(inputs));
    await creates(at, 8);
    await at.host.cancel();
    const created = await creating;
    expect(created.message).toMatch(/^Creating the keys of workspace ws_main: \d\d of 60 failed/);
    expect(created.message).toContain("Skipped: the run was canceled.");
    expect(idsOf(created).length).toBeLessThan(30);
    expect(idsOf(created).sort()).toEqual(liveIds(at).sort());

    const later = await at.laterHost();
    const again = later.resource("ApiKeySet");
    const held = await again.update(created, inputs);
    expect(idsOf(held).sort()).toEqual(liveIds(at).sort());
    expect(idsOf(held)).toHaveLength(60);

    const { inputs: changed } = await again.check(set(many(40), { prefix: "new" }), inputs);
    at.standIn.clearRequests();
    const updating = keptBy(again.update(held, changed));
    await creates(at, 8);
    await later.cancel();
    const updated = await updating;
    const toDelete = (updated.state["toDelete"] ?? []) as readonly string[];
    expect([...idsOf(updated), ...toDelete].sort()).toEqual(liveIds(at).sort());
    expect(writes(at)).not.toContain("deleteApiKey");
  });
});
