import { describe, type TestContext, test } from "vitest";
import {
  arrival,
  begin,
  end,
  endings,
  existingKey,
  lastWords,
  live,
  messageOf,
  slow,
  writes,
} from "./ending";
import { openScene, type Scene, type SceneOptions } from "./scene";

/** Deleted keys stay readable to the test, so that their secrets can be looked for. */
async function scene({ onTestFinished }: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const opened = await openScene({ variant: { delete: "marks" }, ...options });
  onTestFinished(async () => void (await opened.close()));
  return opened;
}

const nothingSent = /nothing was sent, because (the run was interrupted|the Pulumi engine exited)/;

describe.each(endings)("%s in the dynamic host", { concurrent: true }, (ending) => {
  test("before a write: nothing is written, and nothing is printed", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    const held = await at.key.create(
      (await at.key.check({ workspaceId: "ws_second", customerId: "cus_1", name: "theirs" })).inputs,
    );
    const { inputs } = await at.key.check({ ...held.state, name: "renamed" }, held.state);
    at.standIn.clearRequests();
    slow(at, "listApiKeys", "listScopes", "readWorkspace", "readApiKey");
    const begun = begin(at, "key", "migrated", "scope", "settings");
    const update = messageOf(at.key.update(held, inputs));
    await arrival(at, "listApiKeys", "listScopes", "readWorkspace", "readApiKey");
    await end(at, ending);

    for (const [name, message] of Object.entries({ ...(await begun), update: await update })) {
      expect(message, name).toMatch(nothingSent);
      expect(message, name).toMatch(/Nothing was (created|changed)|State is unchanged/);
    }
    expect(await lastWords(at)).toEqual([]);
    expect(writes(at)).toEqual([]);
  });

  test("in a pause that the service asked for: neither the key nor the grant is sent afterwards", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    at.standIn.inject({ endpoint: "createApiKey", fault: { kind: "rateLimited", retryAfter: 120 } });
    const key = begin(at, "key");
    await arrival(at, "createApiKey");
    const grant = begin(at, "grant");
    await end(at, ending);

    // The signal may come before the answer that asks for the pause.
    expect((await key)["key"]).toMatch(
      /(nothing was sent|the request was not sent again), because|answered 429 .*Nothing was created/,
    );
    expect((await grant)["grant"]).toMatch(/nothing was sent, because .*Nothing was granted/);
    expect(await lastWords(at)).toEqual([]);
    expect(writes(at)).toEqual(["createApiKey"]);
    expect(at.standIn.keys()).toEqual([]);
  });

  test("during creates: what can be rolled back is rolled back, and the rest is named with its id", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    const posts = ["createApiKey", "migrateApiKey", "createScope", "editWorkspace", "createBilling"] as const;
    slow(at, ...posts);
    at.standIn.editWorkspace("ws_main", { defaultKeyPrefix: "before" });
    const begun = begin(at, "key", "migrated", "scope", "settings", "grant");
    await arrival(at, ...posts);
    await end(at, ending);

    const messages = await begun;
    for (const [name, message] of Object.entries(messages)) {
      expect(message, name).toMatch(
        /^The result could not be saved to state because .*clear-pending-creates/,
      );
    }
    const words = (await lastWords(at)).toSorted();
    const [migrated, ...others] = live(at);
    expect([migrated?.key, others]).toEqual([existingKey, []]);
    expect(words).toEqual([
      expect.stringMatching(
        /^warning: Granting 100 credits in workspace ws_main: the credits were granted as bill_/,
      ),
      expect.stringContaining(`exists in the service with id ${migrated?.id}`),
      expect.stringMatching(
        /^warning: Setting the defaults of workspace ws_main: .*saved to state: {"defaultKeyPrefix":"before"}\. Restore them by hand/,
      ),
    ]);
    expect(words[0]).toContain(`granted as ${at.standIn.billings()[0]?.id}, but the result is not in state`);
    expect(words[1]).toMatch(/don't delete it; import it as an ApiKey with `pulumi import --file`/);
    expect(writes(at).toSorted()).toEqual([...posts, "deleteApiKey"].toSorted());
  });

  test("during the verification of new keys: a created key is deleted, a migrated one never", async (context) => {
    const { expect } = context;
    const at = await scene(context, { variant: { delete: "marks", createAnswer: "brief" } });
    at.standIn.inject({ endpoint: "readApiKey", fault: { kind: "hang" }, times: Number.POSITIVE_INFINITY });
    const begun = begin(at, "key", "migrated");
    await arrival(at, "createApiKey", "migrateApiKey", "readApiKey");
    await end(at, ending);

    await begun;
    const words = await lastWords(at);
    expect(live(at).map(({ key }) => key)).toEqual([existingKey]);
    expect(words).toEqual([expect.stringContaining(`exists in the service with id ${live(at)[0]?.id}`)]);
    expect(writes(at).toSorted()).toEqual(["createApiKey", "deleteApiKey", "migrateApiKey"]);
  });

  test("during an update and a delete: both finish", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    const make = async (name: string) =>
      at.key.create((await at.key.check({ workspaceId: "ws_main", customerId: "cus_1", name })).inputs);
    const [changed, dropped] = [await make("changed"), await make("dropped")];
    const { inputs } = await at.key.check({ ...changed.state, name: "renamed" }, changed.state);
    at.standIn.clearRequests();
    slow(at, "editApiKey", "deleteApiKey");
    const done = Promise.all([messageOf(at.key.update(changed, inputs)), messageOf(at.key.delete(dropped))]);
    await arrival(at, "editApiKey", "deleteApiKey");
    await end(at, ending);

    expect(await done).toEqual(["done", "done"]);
    expect(await lastWords(at)).toEqual([]);
    expect(live(at).map(({ name }) => name)).toEqual(["renamed"]);
    expect(writes(at).toSorted()).toEqual(["deleteApiKey", "editApiKey"]);
  });

  test("between operations: the process ends, and prints nothing", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    expect(await begin(at, "key")).toEqual({ key: "done" });
    await end(at, ending);
    expect(await lastWords(at)).toEqual([]);
    expect(live(at)).toHaveLength(1);
  });
});
