import { describe, type TestContext, test, vi } from "vitest";
import { arrival, end, endings, existingKey, lastWords, live, messageOf, writes } from "./ending";
import type { HostedResource, Properties } from "./host";
import { openScene, type Scene, type SceneOptions } from "./scene";

interface Stage extends Scene {
  readonly set: HostedResource;
}

/** Deleted keys stay readable to the test, so that their secrets can be looked for. */
async function stage({ onTestFinished }: TestContext, options: SceneOptions = {}): Promise<Stage> {
  const scene = await openScene({ variant: { delete: "marks" }, latencyMs: 30, ...options });
  onTestFinished(async () => void (await scene.close()));
  return { ...scene, set: scene.host.resource("ApiKeySet") };
}

async function declared({ set }: Stage, keys: Properties, olds?: Properties): Promise<Properties> {
  const inputs = { workspaceId: "ws_main", defaults: { customerId: "cus_1" }, keys };
  return (await set.check(inputs, olds)).inputs;
}

const many = (count: number, entry: Properties = {}): Properties =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`k${place}`, entry]));
const forEver = { times: Number.POSITIVE_INFINITY };
const arrived = ({ standIn }: Stage, endpoint: string) =>
  standIn.requests.filter((request) => request.endpoint === endpoint).length;
const ids = (state: Properties) => Object.values(state["ids"] as Record<string, string>);

describe.each(endings)("%s while the dynamic host works on a set", { concurrent: true }, (ending) => {
  test("K11 during its create: created keys are deleted, existing ones never", async (context) => {
    const { expect } = context;
    const at = await stage(context);
    const there = at.standIn.addKey({ workspaceId: "ws_main", customerId: "cus_1", name: "there" });
    const adopted = { adopted: { existingId: there.id, scopes: [], enabled: false } };
    const inputs = await declared(at, { first: { existingKey }, ...adopted, ...many(100) });
    const created = messageOf(at.set.create(inputs));
    await vi.waitFor(() => expect(arrived(at, "createApiKey")).toBeGreaterThan(20), {
      interval: 5,
      timeout: 10_000,
    });
    await end(at, ending);

    expect(await created).toMatch(
      /^The result could not be saved to state because (the run was|the Pulumi engine exited)/,
    );
    const words = (await lastWords(at)).filter((line) => !line.includes("to adopt"));
    const [first, migrated, ...others] = live(at);
    expect(first).toMatchObject({ id: there.id, enabled: false });
    expect([migrated?.key, others]).toEqual([existingKey, []]);
    expect(words).toHaveLength(1);
    expect(words[0]).toMatch(`exists in the service with id ${migrated?.id}, but the run ended`);
    expect(words[0]).toContain("don't delete it");
    // Only the creates that were already running went on.
    expect(arrived(at, "createApiKey")).toBeLessThan(80);
    expect(arrived(at, "deleteApiKey")).toBe(arrived(at, "createApiKey"));
  });

  test("during its update: created keys are deleted, those in state stay", async (context) => {
    const { expect } = context;
    const at = await stage(context);
    const before = await declared(at, { ...many(20), gone: {} });
    const held = await at.set.create(before);
    // Replaces 20, adds 80, removes one.
    const inputs = await declared(at, many(100, { prefix: "new" }), before);
    at.standIn.clearRequests();
    const updated = messageOf(at.set.update(held, inputs));
    await vi.waitFor(() => expect(arrived(at, "createApiKey")).toBeGreaterThan(20), {
      interval: 5,
      timeout: 10_000,
    });
    await end(at, ending);

    expect(await updated).toMatch(/^The result could not be saved to state because/);
    expect(await lastWords(at)).toEqual([]);
    expect(
      live(at)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids(held.state).sort());
    expect(arrived(at, "createApiKey")).toBeLessThan(80);
  });
});

describe("the messages of a dynamic host whose run ends early during the create of a set", {
  concurrent: true,
}, () => {
  test("name every new key that can't be deleted, in a line of its own", async (context) => {
    const { expect } = context;
    const at = await stage(context);
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status: 403 }, ...forEver });
    const created = messageOf(at.set.create(await declared(at, many(60))));
    await vi.waitFor(() => expect(arrived(at, "createApiKey")).toBeGreaterThan(30), {
      interval: 5,
      timeout: 10_000,
    });
    await end(at, "SIGINT");

    await created;
    const words = await lastWords(at);
    const left = live(at).map(({ id }) => id);
    expect(left.length).toBeGreaterThan(20);
    for (const id of left) expect(words.filter((line) => line.includes(`with id ${id},`))).toHaveLength(1);
    expect(words).toHaveLength(left.length);
  });

  test("name exactly the keys whose deletion is not answered in time, before the engine kills the host", async (context) => {
    const { expect } = context;
    const at = await stage(context);
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "hang" }, after: 10, ...forEver });
    const created = messageOf(at.set.create(await declared(at, many(60))));
    await vi.waitFor(() => expect(arrived(at, "createApiKey")).toBeGreaterThan(30), {
      interval: 5,
      timeout: 10_000,
    });
    await end(at, "SIGINT");
    const named = () =>
      [...at.host.output.stderr.matchAll(/^warning: .*exists in the service with id ([^,]+),/gm)].map(
        ([, id]) => id,
      );
    const left = () => live(at).map(({ id }) => id);
    await vi.waitFor(() => expect(named().sort()).toEqual(left().sort()), { timeout: 10_000 });
    process.kill(at.host.pid, "SIGKILL");

    await created;
    await lastWords(at);
    expect(named().sort()).toEqual(left().sort());
    expect(arrived(at, "createApiKey") - left().length).toBe(10);
  });

  test("name every created key and every unanswered create, before the engine kills the host", async (context) => {
    const { expect } = context;
    const at = await stage(context);
    at.standIn.inject({
      endpoint: "createApiKey",
      fault: { kind: "hang", carriedOut: true },
      after: 4,
      ...forEver,
    });
    const created = messageOf(at.set.create(await declared(at, many(60))));
    await arrival(at, "createApiKey");
    await vi.waitFor(() => expect(arrived(at, "createApiKey")).toBe(20), { interval: 5, timeout: 10_000 });
    await end(at, "SIGINT");
    await vi.waitFor(() => expect(at.host.output.stderr.match(/the run ended/g)).toHaveLength(20), {
      timeout: 10_000,
    });
    process.kill(at.host.pid, "SIGKILL");

    await created;
    const words = await lastWords(at);
    expect(words.filter((line) => /exists in the service with id key_/.test(line))).toHaveLength(4);
    expect(words.filter((line) => /It is not known whether the key was created/.test(line))).toHaveLength(16);
    expect(writes(at)).toEqual(Array.from({ length: 20 }, () => "createApiKey"));
  });
});
