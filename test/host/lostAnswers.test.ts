import { beforeEach, describe, expect, test } from "vitest";
import type { HostedResource } from "./host";
import { actsOn, losses, openLossyScene } from "./lostActs";
import { declared, failureOf } from "./outcomes";
import type { Scene } from "./scene";

describe("a lost answer to the create of a key", () => {
  let scene: Scene;
  let key: HostedResource;
  beforeEach(async () => {
    scene = await openLossyScene();
    key = scene.key;
  });
  const { ids, inputs, lists, others, posts, warned } = actsOn(() => scene);

  describe("the error of that create", () => {
    test.each(losses)("names the created key alone, which stays in the service: %o", async (fault) => {
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci" });
      const mine = await others("a", "b");
      scene.standIn.inject({ endpoint: "createApiKey", fault });
      const before = ids();
      const { message, kept } = await failureOf(key.create(await inputs()));
      expect(kept).toBeUndefined();
      const [made] = scene.standIn.keys().filter(({ id }) => !before.includes(id));
      expect(message).toContain(
        `the key is not in state, and its secret is lost. New in the workspace's list: ${made?.id} (created ${made?.createdAt}). If no other stack or person created it, delete it`,
      );
      expect(message).not.toContain(made?.key);
      for (const id of before) expect(message).not.toContain(id);
      expect(mine).toHaveLength(2);
      expect(posts()).toBe(3);
      expect(scene.standIn.key(made?.id ?? "")?.deleted).toBe(false);
    });

    test("names the key even if the service rewrote its values", async () => {
      scene.standIn.setVariant({ names: "lowerCased", absent: "null", timestamps: "null", ids: "numeric" });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs({ name: "Night Build" })));
      expect(message).toContain(`New in the workspace's list: ${ids()[0]}.`);
    });

    test("doesn't name keys of other names that were created meanwhile", async () => {
      await others("first");
      for (const name of ["x", "y"]) scene.standIn.addKey({ workspaceId: "ws_main", name });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      const made = ids().at(-1);
      expect(message).toMatch(new RegExp(`list: ${made} \\([^)]*\\)\\. If no other stack`));
    });

    test("names no key if none was created, and says to run the update again", async () => {
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetBefore" } });
      const { message } = await failureOf(key.create(await inputs()));
      expect(message).toContain(
        "The workspace's list shows no new key with this name and customer: run `pulumi up` again.",
      );
      expect(scene.standIn.keys()).toEqual([]);
    });

    test("names a key that the list shows late", async () => {
      scene.standIn.setVariant({ listLag: 2 });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      expect(message).toContain(`New in the workspace's list: ${ids()[0]}`);
    });

    test("says how to find the key if the list can't be read, which doesn't keep other creates from succeeding", async () => {
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

    test("names all keys of that name, and when the create began, if only the list before it could not be read", async () => {
      const createdAt = new Date(Date.now() - 3_600_000).toISOString();
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1", createdAt });
      scene.standIn.inject({ endpoint: "listApiKeys", fault: { kind: "status", status: 403 } });
      scene.standIn.inject({ endpoint: "createApiKey", fault: { kind: "resetAfter" } });
      const { message } = await failureOf(key.create(await inputs()));
      const [older, newer] = ids();
      expect(message).toContain(
        `Perhaps new in the workspace's list: ${older} (created ${createdAt}), ${newer} (created`,
      );
      expect(message).toMatch(
        /\. If one was created since 2\S+Z, and no other stack or person created it, delete it/,
      );
    });

    test("names one key each if some of several creates lose their answers", async () => {
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

  test("is prepared for by one list of keys for many creates", async () => {
    await others("a", "b", "c", "d");
    expect([lists(), posts()]).toEqual([1, 4]);
    await others("e", "f");
    expect(lists()).toBe(1);
  });

  describe("the next create", () => {
    test("warns of a key with the same name and customer that is not in state", async () => {
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_9" });
      const left = scene.standIn.addKey({ workspaceId: "ws_main", name: " CI", customerId: "cus_1" });
      await key.create(await inputs());
      await warned(
        new RegExp(
          `warning: Creating key "ci" in workspace ws_main: the workspace already has a key with this name and customer: ${left.id} .*delete it`,
        ),
      );
    });

    test("warns of a key if this run has not seen the resource that manages it: then there is nothing to do", async () => {
      scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1" });
      await key.create(await declared(scene, { keepers: { rotated: "1" } }, await inputs()));
      await warned(
        /warning: .*: key_\S+ \(created.*If another resource or stack manages it, or this update replaces it, do nothing/,
      );
    });

    test("doesn't warn of a key that is in state, as in a replacement", async () => {
      const old = scene.standIn.addKey({ workspaceId: "ws_main", name: "ci", customerId: "cus_1" });
      const state = await inputs();
      await key.diff({ id: old.id, state }, await inputs({ keepers: { rotated: "1" } }));
      await key.create(await inputs({ keepers: { rotated: "1" } }));
      expect(scene.host.output.stderr).toBe("");
    });
  });
});
