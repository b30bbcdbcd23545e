import { describe, type TestContext, test, vi } from "vitest";
import { arrival, begin, end, existingKey, lastWords, live, slow, writes } from "./ending";
import { quickTimers } from "./quickTimers";
import { openScene, type Scene, type SceneOptions } from "./scene";

/** Deleted keys stay readable to the test, so that their secrets can be looked for. */
async function scene({ onTestFinished }: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const opened = await openScene({ variant: { delete: "marks" }, ...options });
  onTestFinished(async () => void (await opened.close()));
  return opened;
}

const forEver = { times: Number.POSITIVE_INFINITY };

describe("the messages of a dynamic host whose run ends early", { concurrent: true }, () => {
  test.for([
    { kind: "status", status: 403 },
    { kind: "status", status: 404 },
    { kind: "resetBefore" },
  ] as const)("name a new key that can't be deleted: $kind $status", async (fault, context) => {
    const { expect } = context;
    const at = await scene(context);
    slow(at, "createApiKey");
    at.standIn.inject({ endpoint: "deleteApiKey", fault, ...forEver });
    const begun = begin(at, "key");
    await arrival(at, "createApiKey");
    await end(at, "SIGINT");

    const [left] = live(at);
    const { key } = await begun;
    expect(key).toContain(
      `exists in the service with id ${left?.id}, but the run ended before it could be saved to state`,
    );
    expect(key).toContain("Delete it; the next update creates another one.");
    expect(await lastWords(at)).toEqual([
      expect.stringContaining(`exists in the service with id ${left?.id}`),
    ]);
  });

  test("name every request that has no answer within 4 seconds, before the engine kills the host", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    const posts = ["createApiKey", "migrateApiKey", "editWorkspace", "createBilling"] as const;
    at.standIn.editWorkspace("ws_main", { defaultKeyPrefix: "before" });
    at.standIn.inject({ endpoint: posts, fault: { kind: "hang", carriedOut: true }, ...forEver });
    const begun = begin(at, "key", "migrated", "settings", "grant");
    await arrival(at, ...posts);
    await end(at, "SIGINT");
    await vi.waitFor(() => expect(at.host.output.stderr.match(/the run ended/g)).toHaveLength(4), {
      timeout: 10_000,
    });
    process.kill(at.host.pid, "SIGKILL");

    await begun;
    const words = (await lastWords(at)).toSorted();
    expect(words).toEqual([
      expect.stringMatching(
        /Creating key "ci" in workspace ws_main: .*It is not known whether the key was created.* created since 20.*delete it/,
      ),
      expect.stringMatching(
        /Granting 100 credits in workspace ws_main: .* at 20.*next update would grant the credits again.*set billingId/,
      ),
      expect.stringMatching(/Migrating key "old" in workspace ws_main: .*pulumi import.*don't delete it/),
      expect.stringContaining('could be saved to state: {"defaultKeyPrefix":"before"}. Restore them by hand'),
    ]);
    expect(writes(at).toSorted()).toEqual([...posts].toSorted());
  });

  test("name a key whose deletion is not answered in time, before the engine kills the host", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    slow(at, "createApiKey");
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "hang" }, ...forEver });
    const begun = begin(at, "key");
    await arrival(at, "createApiKey");
    await end(at, "SIGTERM");
    await vi.waitFor(() => expect(at.host.output.stderr).toContain("exists in the service with id"), {
      timeout: 10_000,
    });
    process.kill(at.host.pid, "SIGKILL");

    await begun;
    expect(await lastWords(at)).toEqual([
      expect.stringContaining(`exists in the service with id ${live(at)[0]?.id}`),
    ]);
  });

  test("name on stderr what a lost answer may have created, because no engine reads the error", async (context) => {
    const { expect } = context;
    const at = await scene(context, { env: quickTimers({ 30000: 1_500 }) });
    const posts = ["createApiKey", "migrateApiKey", "createBilling"] as const;
    at.standIn.inject({ endpoint: posts, fault: { kind: "hang", carriedOut: true }, ...forEver });
    const begun = begin(at, "key", "migrated", "grant");
    await arrival(at, ...posts);
    await end(at, "SIGINT");

    await begun;
    const words = (await lastWords(at)).join("\n");
    const [key, migrated] = ["ci", "old"].map((name) => live(at).find((one) => one.name === name));
    expect(migrated?.key).toBe(existingKey);
    expect(words).toMatch(new RegExp(`New in the workspace's list: ${key?.id} .*delete it`));
    expect(words).toMatch(new RegExp(`New in the workspace's list: ${migrated?.id} .*don't delete it`));
    expect(words).toMatch(/Granting 100 credits in workspace ws_main: the result is not in state/);
    expect(writes(at).toSorted()).toEqual([...posts].toSorted());
  });

  test("don't keep a new key from being deleted if nobody reads stderr any more", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    slow(at, "createApiKey", "migrateApiKey", "createBilling");
    // So the first message is written to the closed pipe before the key is deleted.
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status: 503 }, times: 2 });
    const begun = begin(at, "key", "migrated", "grant");
    await arrival(at, "createApiKey", "migrateApiKey", "createBilling");
    at.host.deafen();
    await end(at, "engine exit");

    await begun;
    await at.host.ended;
    expect(live(at).map(({ key }) => key)).toEqual([existingKey]);
    expect(writes(at).filter((endpoint) => endpoint === "deleteApiKey")).toHaveLength(3);
  });
});
