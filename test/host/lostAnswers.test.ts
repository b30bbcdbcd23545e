import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fault, StoredKey } from "../../standin";
import { someOf } from "../all";
import type { Held, HostedResource, Properties } from "./host";
import { declared, failureOf, stored } from "./keyActs";
import { quickTimers } from "./quickTimers";
import { accessToken, openScene, type Scene } from "./scene";

const existingKey = "sk_live_Zx81kdPq33";
const losses: readonly Fault[] = [
  { kind: "resetAfter" },
  { kind: "errorAfter" },
  { kind: "errorAfter", status: 408 },
  { kind: "truncated" },
  { kind: "garbled" },
  { kind: "emptyBody" },
  { kind: "hang", carriedOut: true },
  { kind: "hugeBody", bytes: 5_000_000 },
];
const some = someOf(losses, ({ kind }) => ["resetAfter", "truncated", "hang"].includes(kind));

describe("a key whose answer was lost", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeEach(async () => {
    scene = await openScene({ env: quickTimers() });
    key = scene.key;
  });
  afterEach(async () => {
    const printed = await scene.close();
    expect(printed).not.toContain(accessToken);
    expect(printed).not.toContain(existingKey);
  });

  const lists = () => scene.standIn.requests.filter(({ endpoint }) => endpoint === "listApiKeys").length;
  const posts = () =>
    scene.standIn.requests.filter(({ endpoint }) => /^(create|migrate)ApiKey$/.test(endpoint)).length;
  const ids = () => scene.standIn.keys().map(({ id }) => id);
  const warned = (text: RegExp) => vi.waitFor(() => expect(scene.host.output.stderr).toMatch(text));
  const inputs = (more: Properties = {}) => declared(scene, more);
  async function others(...names: string[]): Promise<Held[]> {
    return Promise.all(names.map(async (name) => key.create(await inputs({ name }))));
  }

  describe("on create", () => {
    test.each(some)("is named in the error, alone, and left where it is: %o", async (fault) => {
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci" });
      const mine = await others("a", "b");
      scene.standIn.inject({ endpoint: "createApiKey", fault });
      const before = ids();
      const { message, kept } = await failureOf(key.create(await inputs()));
      expect(kept).toBeUndefined();
      const [made] = scene.standIn.keys().filter(({ id }) => !before.includes(id));
      expect(message).toContain(
        `the key is not in state, and its secret is lost. New in the workspace's list: ${made?.id} ("ci", created ${made?.createdAt}). If no other stack or person created it, delete it`,
      );
      expect(message).not.toContain(made?.key);
      for (const id of before) expect(message).not.toContain(id);
      expect(mine).toHaveLength(2);
      expect(posts()).toBe(3);
      expect(scene.standIn.key(made?.id ?? "")?.deleted).toBe(false);
    });

    test("is named whatever the service rewrote", async () => {
      scene.standIn.setDialect({ names: "lowerCased", absent: "null", timestamps: "null", ids: "numeric" });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs({ name: "Night Build" })));
      expect(message).toContain(`New in the workspace's list: ${ids()[0]} ("night build").`);
    });

    test("is named without those of other names that others made meanwhile", async () => {
      await others("first");
      for (const name of ["x", "y"]) scene.standIn.addKey({ workspaceId: "ws_main", name });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      const made = ids().at(-1);
      expect(message).toMatch(new RegExp(`list: ${made} \\([^)]*\\)\\. If no other stack`));
    });

    test("is not named where nothing was made, and up may run again", async () => {
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetBefore" } });
      const { message } = await failureOf(key.create(await inputs()));
      expect(message).toContain("The workspace's list shows no new key: run `pulumi up` again.");
      expect(scene.standIn.keys()).toEqual([]);
    });

    test("is not sent again, however often an error hook repeats it; another name is", async () => {
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      const again = await failureOf(key.create(await inputs()));
      expect(again).toMatchObject({ message, kept: undefined });
      expect(posts()).toBe(1);
      await others("other");
      expect(posts()).toBe(2);
    });

    test("is found in a list that lags", async () => {
      scene.standIn.setDialect({ listLag: 2 });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      expect(message).toContain(`New in the workspace's list: ${ids()[0]}`);
    });

    test("is told of even without a list, which keeps no create from going on", async () => {
      scene.standIn.inject({
        endpoint: "listApiKeys",
        times: Infinity,
        fault: { kind: "status", status: 403 },
      });
      await others("made");
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      expect(message).toMatch(
        /list of keys could not be read \(the service answered 403[^)]*\): look for a key with this name and customer, created since 2\S+Z; if there is one, delete it/,
      );
    });

    test("is one of its namesakes where only the list before could not be read", async () => {
      scene.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 } });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      expect(message).toContain("The keys that existed before could not be listed (the service answered 403");
      expect(message).toContain(`The workspace has ${ids()[0]} ("ci"`);
    });

    test("that answers as a key which was there before is not taken for that one", async () => {
      const [other] = await others("other");
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "otherRecord" } });
      const { message, kept } = await failureOf(key.create(await inputs()));
      expect(kept).toBeUndefined();
      expect(message).toContain(`the service answered with a different key, ${other?.id}`);
      expect(message).toContain(`New in the workspace's list: ${ids()[1]} ("ci"`);
    });

    test.each([
      { dialect: {}, status: 500 },
      { dialect: {}, status: 404 },
      { dialect: { createAnswer: "brief" }, status: 500 },
    ] as const)(
      "that answers as a key which was there before is not taken for that one without a list before either: %o",
      async ({ dialect, status }) => {
        const [other] = await others("other");
        scene.standIn.editKey(other?.id ?? "", { customerId: "cus_9" });
        const again = await openScene({
          env: { ...quickTimers(), APIKEYS_BASE_URL: scene.standIn.url },
        });
        scene.standIn.setDialect(dialect);
        const times = status === 500 ? 4 : 1;
        scene.standIn.inject({ endpoint: "listApiKeys", times, fault: { kind: "status", status } });
        scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "otherRecord" } });
        const { message, kept } = await failureOf(again.key.create(await inputs()));
        await again.close();
        expect(kept).toBeUndefined();
        expect(message).toContain(`the service answered with a different key, ${other?.id}`);
        expect(message).toContain(`The workspace has ${ids()[1]} ("ci"`);
      },
    );

    test("that was made years ago is not named where a list that is cut shows it only now", async () => {
      scene.standIn.setDialect({ listLimit: 2 });
      const createdAt = "2024-02-19T08:00:00.000Z";
      const [first] = ["a", "b", "ci"].map(
        (name) => scene.standIn.addKey({ workspaceId: "ws_main", name, customerId: "cus_1", createdAt }).id,
      );
      await others("first");
      scene.standIn.deleteKey(first ?? "");
      for (const endpoint of ["createApiKey", "migrateApiKey"] as const) {
        scene.standIn.inject({ endpoint, fault: { kind: "status", status: 502 } });
        const lost = await failureOf(
          key.create(await inputs(endpoint === "createApiKey" ? {} : { existingKey })),
        );
        expect(lost.kept).toBeUndefined();
        expect(lost.message).toContain("The workspace's list shows no new key");
      }
    });

    test("that answers as a key which somebody else made just now is not taken for that one", async () => {
      await others("first");
      const theirs = scene.standIn.addKey({ workspaceId: "ws_main", name: "theirs", customerId: "cus_9" });
      const answer = { apiKey: { ...theirs, scopes: [] } };
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1" });
      scene.standIn.inject({
        endpoint: "createApiKey",
        fault: { kind: "status", status: 201, body: answer },
      });
      const { message, kept } = await failureOf(key.create(await inputs()));
      expect(kept).toBeUndefined();
      expect(message).toContain(`the service answered with a different key, ${theirs.id}`);
    });

    test("whose id is that of a key which was deleted is taken all the same", async () => {
      const [first] = await others("first");
      if (first === undefined) throw new Error("there is no first key");
      await key.delete(first);
      const body = { apiKey: { ...(await inputs()), id: first.id, key: "sk_of_the_second" } };
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 201, body } });
      expect(await key.create(await inputs())).toMatchObject({
        id: first.id,
        state: { key: "sk_of_the_second" },
      });
    });

    test("whose customer the service rewrote is taken where keys may not be listed", async () => {
      scene.standIn.inject({
        endpoint: "listApiKeys",
        times: Infinity,
        fault: { kind: "status", status: 403 },
      });
      const body = { apiKey: { ...(await inputs()), id: "key_new", customerId: "c-17", key: "sk_new" } };
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "status", status: 201, body } });
      const known = { apiKey: { ...body.apiKey, key: undefined } };
      scene.standIn.inject({ endpoint: "readApiKey", fault: { kind: "status", status: 200, body: known } });
      expect(await key.create(await inputs())).toMatchObject({ id: "key_new", state: { key: "sk_new" } });
      expect(scene.standIn.requests.length).toBeLessThan(5);
    });

    test("of several at once, each is named without those that were answered", async () => {
      scene.standIn.inject({ endpoint: "createApiKey", after: 2, times: 2, fault: { kind: "resetAfter" } });
      const names = ["k1", "k2", "k3", "k4", "k5"];
      const results = await Promise.allSettled(names.map(async (name) => key.create(await inputs({ name }))));
      const made = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []));
      const lost = ids().filter((id) => !made.includes(id));
      expect([made.length, lost.length]).toEqual([3, 2]);
      for (const [place, result] of results.entries()) {
        if (result.status === "fulfilled") continue;
        const mine = scene.standIn.keys().find(({ name }) => name === names[place])?.id;
        expect(String(result.reason)).toMatch(new RegExp(`list: ${mine} `));
        for (const id of made) expect(String(result.reason)).not.toContain(id);
      }
    });
  });

  test("costs a burst of creates one list", async () => {
    await others("a", "b", "c", "d");
    expect([lists(), posts()]).toEqual([1, 4]);
    await others("e", "f");
    expect(lists()).toBe(1);
  });

  describe("on the next create", () => {
    test("is warned of, with the keys of the same name and customer that are not in state", async () => {
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_9" });
      const left = scene.standIn.addKey({ workspaceId: "ws_main", name: " CI", customerId: "cus_1" });
      await key.create(await inputs());
      await warned(
        new RegExp(
          `warning: Creating key "ci" in workspace ws_main: the workspace already has a key with this name and customer: ${left.id} .*delete it`,
        ),
      );
    });

    test("is warned of where the run has not met the resource that manages it: then there is nothing to do", async () => {
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1" });
      await key.create(await declared(scene, { keepers: { rotated: "1" } }, await inputs()));
      await warned(/warning: .*: key_\S+ \("ci".*If another resource or stack manages it, do nothing/);
    });

    test("is not warned of where the key is in state, as in a replacement", async () => {
      const old = scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1" });
      const state = await inputs();
      await key.diff({ id: old.id, state }, await inputs({ keepers: { rotated: "1" } }));
      await key.create(await inputs({ keepers: { rotated: "1" } }));
      expect(scene.host.output.stderr).toBe("");
    });
  });

  describe("on migrate", () => {
    test.each(some)("is found in the list and taken, with its value: %o", async (fault) => {
      await others("ci", "b");
      scene.standIn.inject({ endpoint: "migrateApiKey", fault });
      const held = await key.create(
        await inputs({ existingKey, scopes: [{ representation: "users", read: true }] }),
      );
      expect(stored(scene, held)).toMatchObject({ key: existingKey, deleted: false });
      expect(held.state).toMatchObject({
        key: existingKey,
        scopes: [{ representation: "users", read: true }],
      });
      expect(
        await key.diff(
          held,
          await inputs({ existingKey, scopes: [{ representation: "users", read: true }] }),
        ),
      ).toEqual({ changes: "none", replaces: [] });
      await warned(/is now in state as the migrated key/);
      expect(posts()).toBe(3);
    });

    /** Another stack makes one just before the request arrives. */
    const meanwhile = (...keys: Partial<StoredKey>[]) => ({
      endpoint: "migrateApiKey" as const,
      when: () => {
        for (const key of keys) {
          scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", ...key });
        }
        return true;
      },
    });

    test("is not taken where two may be it, and nothing is deleted", async () => {
      await others("first");
      scene.standIn.inject({ ...meanwhile({ maskedKey: "***" }), fault: { kind: "resetAfter" } });
      const { message, kept } = await failureOf(key.create(await inputs({ existingKey })));
      expect(kept).toBeUndefined();
      expect(message).toMatch(
        /New in the workspace's list: .*, .*import it .*\(don't delete it: its value may be in use\)/,
      );
      expect(scene.standIn.keys({ deleted: false })).toHaveLength(3);
    });

    test("is not taken where the one that is new is somebody else's", async () => {
      await others("first");
      scene.standIn.inject({ ...meanwhile({}), fault: { kind: "resetBefore" } });
      const { kept } = await failureOf(key.create(await inputs({ existingKey })));
      expect(kept).toBeUndefined();
    });

    test("is not taken where the one that is new was there before the request", async () => {
      await others("first");
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", maskedKey: "***" });
      scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "resetBefore" } });
      const { kept } = await failureOf(key.create(await inputs({ existingKey })));
      expect(kept).toBeUndefined();
    });

    test("is not taken without the list before", async () => {
      scene.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 } });
      scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs({ existingKey })));
      expect(message).toMatch(/could not be listed .*don't delete it/);
    });

    test.each([
      { customerId: "c_internal_77" },
      { maskedKey: "sk_live_######Zz99" },
      { maskedKey: "redacted" },
    ])("that answers its value is taken, however it is shown: %o", async (shown) => {
      const body = { apiKey: { id: "key_made", ...(await inputs()), ...shown, key: existingKey } };
      scene.standIn.inject({ endpoint: "migrateApiKey", fault: { kind: "status", status: 201, body } });
      expect(await key.create(await inputs({ existingKey }))).toMatchObject({
        id: "key_made",
        state: { key: existingKey },
      });
    });

    test("that was refused as held is told with the keys that may hold it", async () => {
      const held = await key.create(await inputs({ existingKey }));
      const again = await openScene({ env: { APIKEYS_BASE_URL: scene.standIn.url } });
      const { message } = await failureOf(again.key.create(await inputs({ existingKey })));
      await again.close();
      expect(message).toContain(`If the service already has this key, as ${held.id} ("ci"`);
      expect(message).toContain("pulumi import --file");
    });

    test("answered with a record that was there before warns that another may manage it", async () => {
      scene.standIn.setDialect({ duplicateKey: "returned" });
      const theirs = scene.standIn.addKey({
        workspaceId: "ws_main",
        name: "x",
        customerId: "cus_1",
        key: existingKey,
      });
      const held = await key.create(await inputs({ existingKey }));
      expect(held.id).toBe(theirs.id);
      await warned(new RegExp(`answered with ${theirs.id}, which existed before`));
    });

    test("is deleted although the program looks at it by ApiKey.get as well", async () => {
      const held = await key.create(await inputs({ existingKey }));
      await key.get(held.id, { workspaceId: "ws_main", __reading: true });
      await key.delete(held);
      expect(ids()).not.toContain(held.id);
    });

    test("answered with a record that state has already is not deleted with what had it before", async () => {
      scene.standIn.setDialect({ duplicateKey: "returned" });
      const before = await key.create(await inputs({ existingKey }));
      const held = await key.create(await inputs({ existingKey, customerId: before.state["customerId"] }));
      expect(held.id).toBe(before.id);
      await key.delete(before);
      await warned(
        new RegExp(`${before.id}\\) stays in the service, because another resource of this stack`),
      );
      expect(scene.standIn.key(held.id)?.deleted).toBe(false);
      await key.read(held);
      await key.delete(held);
      expect(ids()).not.toContain(held.id);
    });
  });
});
