import { describe, type TestContext, test, vi } from "vitest";
import { end, endings, existingKey, lastWords, live, messageOf } from "./ending";
import { openScene, type Scene, type SceneOptions } from "./fixture";
import type { HostedResource, Properties } from "./host";

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
const arrived = ({ standIn }: Stage, endpoint: string) =>
  standIn.requests.filter((request) => request.endpoint === endpoint).length;
const ids = (state: Properties) => Object.values(state["ids"] as Record<string, string>);

describe.each(endings)("%s while the dynamic host works on a set", { concurrent: true }, (ending) => {
  test(`R20 K11 ${ending} during the create of a set: created keys are deleted, existing ones never`, async (context) => {
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
    end(at, ending);

    expect(await created).toMatch(
      /^The result could not be saved to state because (the run was|the Pulumi engine exited)/,
    );
    await lastWords(at);
    const [first, migrated, ...others] = live(at);
    expect(first).toMatchObject({ id: there.id, enabled: false });
    expect([migrated?.key, others]).toEqual([existingKey, []]);
    // Only the creates that were already running went on.
    expect(arrived(at, "createApiKey")).toBeLessThan(80);
    expect(arrived(at, "deleteApiKey")).toBe(arrived(at, "createApiKey"));
  });

  test(`R20 ${ending} during the update of a set: nothing is deleted, and no further key is created`, async (context) => {
    const { expect } = context;
    const at = await stage(context);
    const before = await declared(at, { ...many(10), gone: {} });
    const held = await at.set.create(before);
    // Replaces 10, adds 20, removes one.
    const inputs = await declared(at, many(30, { prefix: "new" }), before);
    at.standIn.clearRequests();
    const updated = messageOf(at.set.update(held, inputs));
    await vi.waitFor(() => expect(arrived(at, "createApiKey")).toBeGreaterThan(5), {
      interval: 5,
      timeout: 10_000,
    });
    end(at, ending);

    await updated;
    await lastWords(at);
    const known = ids(held.state);
    const made = live(at).filter(({ id }) => !known.includes(id));
    expect(made.length).toBeGreaterThan(5);
    expect(made.length + known.length).toBe(live(at).length);
    expect(arrived(at, "createApiKey")).toBeLessThan(30);
  });
});
