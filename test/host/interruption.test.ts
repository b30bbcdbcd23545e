import { describe, type TestContext, test, vi } from "vitest";
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
import { openScene, type Scene, type SceneOptions } from "./fixture";

/** Deleted keys stay readable to the test, so that their secrets can be looked for. */
async function scene({ onTestFinished }: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const opened = await openScene({ variant: { delete: "marks" }, ...options });
  onTestFinished(async () => void (await opened.close()));
  return opened;
}

const notSaved =
  /^The result could not be saved to state because (the run was interrupted|the Pulumi engine exited)/;
const always = { times: Number.POSITIVE_INFINITY };
const nothingSent = /nothing was sent, because (the run was interrupted|the Pulumi engine exited)/;

describe.each(endings)("%s in the dynamic host", { concurrent: true }, (ending) => {
  test(`R20 ${ending} before a write: the dynamic host writes and prints nothing`, async (context) => {
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
    end(at, ending);

    for (const [name, message] of Object.entries({ ...(await begun), update: await update })) {
      expect(message, name).toMatch(nothingSent);
      expect(message, name).toMatch(/Nothing was (created|changed)|State is unchanged/);
    }
    expect(await lastWords(at)).toEqual([]);
    expect(writes(at)).toEqual([]);
  });

  test(`R20 ${ending} in a pause that the service asked for: neither the key nor the grant is sent`, async (context) => {
    const { expect } = context;
    const at = await scene(context);
    at.standIn.inject({
      endpoint: "createApiKey",
      fault: { kind: "status", status: 429, headers: { "retry-after": "120" } },
    });
    const key = begin(at, "key");
    await arrival(at, "createApiKey");
    const grant = begin(at, "grant");
    end(at, ending);

    // The signal may come before the answer that asks for the pause.
    expect((await key)["key"]).toMatch(
      /(nothing was sent|the request was not sent again), because|answered 429 .*Nothing was created/,
    );
    expect((await grant)["grant"]).toMatch(/nothing was sent, because .*Nothing was granted/);
    expect(await lastWords(at)).toEqual([]);
    expect(writes(at)).toEqual(["createApiKey"]);
    expect(at.standIn.keys()).toEqual([]);
  });

  test(`R20 ${ending} during creates: the dynamic host rolls back what it can, and names the rest with its id`, async (context) => {
    const { expect } = context;
    const at = await scene(context);
    const posts = ["createApiKey", "migrateApiKey", "createScope", "editWorkspace", "createBilling"] as const;
    slow(at, ...posts);
    at.standIn.editWorkspace("ws_main", { defaultKeyPrefix: "before" });
    const begun = begin(at, "key", "migrated", "scope", "settings", "grant");
    await arrival(at, ...posts);
    end(at, ending);

    expect(await begun).toMatchObject({
      key: expect.stringMatching(notSaved),
      migrated: "done",
      grant: "done",
    });
    const words = (await lastWords(at)).toSorted();
    const [migrated, ...others] = live(at);
    expect([migrated?.key, others]).toEqual([existingKey, []]);
    expect(words).toEqual([
      expect.stringContaining(
        `100 credits in workspace ws_main (${at.standIn.billings()[0]?.id}): the run ended`,
      ),
      expect.stringContaining(
        `Key "old" in workspace ws_main (${migrated?.id}): the run ended before the result`,
      ),
      expect.stringMatching(/^warning: Workspace settings \(ws_main\): .*defaultKeyPrefix "before"/),
    ]);
    expect(words[1]).toMatch(/Don't delete the key .* import it as an ApiKey with `pulumi import --file`/);
    expect(writes(at).toSorted()).toEqual([...posts, "deleteApiKey"].toSorted());
  });

  test(`R20 ${ending} during an update and a delete of the dynamic host: both finish`, async (context) => {
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
    end(at, ending);

    expect(await done).toEqual(["done", "done"]);
    expect(await lastWords(at)).toEqual([]);
    expect(live(at).map(({ name }) => name)).toEqual(["renamed"]);
    expect(writes(at).toSorted()).toEqual(["deleteApiKey", "editApiKey"]);
  });

  test(`R20 ${ending} between operations: the dynamic host ends, and prints nothing`, async (context) => {
    const { expect } = context;
    const at = await scene(context);
    expect(await begin(at, "key")).toEqual({ key: "done" });
    end(at, ending);
    expect(await lastWords(at)).toEqual([]);
    expect(live(at)).toHaveLength(1);
  });
});

describe("the dynamic host, once its run is over", { concurrent: true }, () => {
  test("R20 the dynamic host names a new key that can't be deleted once its run is over", async (context) => {
    const { expect } = context;
    const at = await scene(context);
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

  test("R20 the dynamic host names every create that has no answer within 4 seconds, before it is killed", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    const posts = ["createApiKey", "migrateApiKey", "editWorkspace", "createBilling"] as const;
    at.standIn.inject({ endpoint: posts, fault: { kind: "hang", carriedOut: true }, ...always });
    const begun = begin(at, "key", "migrated", "settings", "grant");
    await arrival(at, ...posts);
    end(at, "SIGINT");
    await vi.waitFor(() => expect(at.host.output.stderr.match(/the run ended/g)).toHaveLength(4), {
      timeout: 10_000,
    });
    process.kill(at.host.pid, "SIGKILL");

    await begun;
    const unanswered = "the run ended before the service answered";
    expect((await lastWords(at)).toSorted()).toEqual([
      expect.stringMatching(`100 credits in workspace ws_main: ${unanswered}.*set billingId`),
      expect.stringMatching(`Key "ci" in workspace ws_main: ${unanswered}.*Delete a new key`),
      expect.stringMatching(`Key "old" in workspace ws_main: ${unanswered}.*Don't delete the key`),
      expect.stringMatching(
        `Workspace settings: ${unanswered}.*Restore the former values of workspace ws_main`,
      ),
    ]);
    expect(writes(at).toSorted()).toEqual([...posts].toSorted());
  });

  test("R20 the dynamic host repeats no DELETE once its run is over: the next update may have kept the key", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    const { inputs } = await at.key.check({ workspaceId: "ws_main", customerId: "cus_1", name: "ci" });
    const held = await at.key.create(inputs);
    at.standIn.inject({
      endpoint: "deleteApiKey",
      fault: { kind: "status", status: 429, headers: { "retry-after": "120" } },
    });
    const deleted = messageOf(at.key.delete(held));
    await arrival(at, "deleteApiKey");
    end(at, "engine exit");

    // The end may come before the answer.
    expect(await deleted).toMatch(
      /the request was not sent again, because the Pulumi engine exited|answered 429/,
    );
    await lastWords(at);
    expect(writes(at)).toEqual(["createApiKey", "deleteApiKey"]);
  });

  test("R20 the dynamic host deletes a new key even if nobody reads stderr any more", async (context) => {
    const { expect } = context;
    const at = await scene(context);
    slow(at, "createApiKey", "migrateApiKey", "createBilling");
    // So the first message is written to the closed pipe before the key is deleted.
    at.standIn.inject({ endpoint: "deleteApiKey", fault: { kind: "status", status: 503 }, times: 2 });
    const begun = begin(at, "key", "migrated", "grant");
    await arrival(at, "createApiKey", "migrateApiKey", "createBilling");
    at.host.deafen();
    end(at, "engine exit");

    await begun;
    await at.host.ended;
    expect(live(at).map(({ key }) => key)).toEqual([existingKey]);
    expect(writes(at).filter((endpoint) => endpoint === "deleteApiKey")).toHaveLength(3);
  });
});
