import { beforeEach, describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import type { Properties } from "../../../provider/core/state";
import { apiKey } from "../../../provider/resources/apiKey";
import { failureOf, idIn, replying } from "../replying";

const orders = { representation: "orders", create: false, read: true, update: false, del: false };
const keyOf = (id: string) => ({
  id,
  name: id,
  customerId: "c",
  enabled: true,
  deleted: false,
  maskedKey: `…${id}`,
  createdAt: "2026-01-02T00:00:00Z",
  scopes: [orders],
});
const stateOf = (id: string) => ({
  workspaceId: "ws_1",
  customerId: "c",
  name: id,
  enabled: true,
  scopes: [{ representation: "orders", read: true }],
  key: `sk_${id}`,
  maskedKey: `…${id}`,
  createdAt: "2026-01-02T00:00:00Z",
});
const ids = ["k0", "k1", "k2", "k3"];

type Key = Partial<ReturnType<typeof keyOf>>;
/** The keys as a GET of each shows them, and as the list shows them. */
let held: Map<string, Key>;
let listed: Key[] | CallError;
let onList: () => Promise<unknown>;

function service() {
  const keys = replying(apiKey, async (asked) => {
    if (asked.path.endsWith("/ws_1")) return { workspace: { id: "ws_1" } };
    if (asked.method === "GET" && asked.path.endsWith("/api-key")) {
      await onList();
      if (listed instanceof CallError) throw listed;
      return { apiKeys: listed };
    }
    const key = held.get(idIn(asked));
    if (key === undefined) throw new CallError("refused", "the service answered 404", 404);
    if (asked.method === "PATCH") held.set(idIn(asked), { ...key, ...(asked.body as Key) });
    return { apiKey: held.get(idIn(asked)) };
  });
  const read = (id: string, state: Properties = stateOf(id)) => keys.read(id, state);
  const asked = () => keys.calls.map((call) => (call.path.endsWith("/api-key") ? "list" : idIn(call)));
  return { ...keys, read, asked, readAll: () => Promise.all(ids.map((id) => read(id))) };
}

beforeEach(() => {
  held = new Map(ids.map((id) => [id, keyOf(id)]));
  listed = ids.map(keyOf);
  onList = async () => {};
});

describe("R3 a refresh of many keys in one workspace", () => {
  test("takes two requests if nothing changed: a GET of the first key, and a list that confirms the others", async () => {
    const states = (await service().readAll()).map((one) => one?.state ?? {});
    const keys = service();
    const found = await Promise.all(states.map((state, at) => keys.read(`k${at}`, state)));
    expect(found).toEqual(states.map((state, at) => ({ id: `k${at}`, state })));
    expect(found.every((one, at) => one?.state === states[at])).toBe(true);
    expect(keys.asked().toSorted()).toEqual(["k0", "list"]);
  });

  test("needs no list for a single key", async () => {
    const keys = service();
    await keys.read("k2");
    expect(keys.asked()).toEqual(["k2"]);
  });

  test.each<[string, Key | undefined]>([
    ["not at all", undefined],
    ["under another name", { name: "other" }],
    ["disabled", { enabled: false }],
    ["with other permissions", { scopes: [{ ...orders, del: true }] }],
    ["without any permission, which it may leave out", { scopes: [] }],
    ["without scopes", { scopes: undefined as never }],
    ["without enabled", { enabled: undefined as never }],
    ["without deleted", { deleted: undefined as never }],
    ["deleted", { deleted: true }],
  ])("reads a key by itself if the list shows it %s", async (_how, shown) => {
    listed = ids.flatMap((id) => {
      if (id !== "k2") return [keyOf(id)];
      return shown === undefined ? [] : [{ ...keyOf(id), ...shown }];
    });
    // The list is wrong: a GET of each key shows it unchanged.
    const keys = service();
    expect((await keys.readAll()).map((one) => one?.state["name"])).toEqual(ids);
    expect(keys.asked().filter((one) => one === "k2")).toHaveLength(1);
    expect(keys.asked().filter((one) => one === "k1" || one === "k3")).toEqual([]);
    expect(keys.warnings).toEqual([]);
  });

  const admin = [{ representation: "admin", create: true, read: true, update: true, del: true }];
  test.each<[string, object, object, Properties]>([
    ["an expiry that it leaves out", { expiresAt: 2 }, { expiresAt: undefined }, { effectiveExpiresAt: 1 }],
    ["scopes that it leaves out", { scopes: admin }, { scopes: [] }, { scopes: [] }],
    [
      "permissions that it leaves out",
      { scopes: admin },
      { scopes: [{ id: "scope_1", representation: "admin" }] },
      { scopes: [] },
    ],
  ])("R5 K4 does not let a list hide %s", async (_what, own, shown, inState) => {
    held.set("k2", { ...keyOf("k2"), ...own });
    listed = ids.map((id) => ({ ...keyOf(id), ...(id === "k2" && { ...own, ...shown }) }));
    const keys = service();
    await keys.read("k0");
    await keys.read("k2", { ...stateOf("k2"), ...inState });
    expect(keys.asked()).toEqual(["k0", "list", "k2"]);
  });

  test("R5 accepts a list without the billing record of a key, because nothing depends on it", async () => {
    held.set("k2", { ...keyOf("k2"), ...{ billingId: "bill_1" } });
    const keys = service();
    await keys.read("k0");
    await keys.read("k2", { ...stateOf("k2"), billingId: "bill_1" });
    expect(keys.asked()).toEqual(["k0", "list"]);
  });

  test("finds changed and deleted keys by reading each, not by the list", async () => {
    held.set("k1", { ...keyOf("k1"), enabled: false });
    held.delete("k3");
    listed = [keyOf("k0"), { ...keyOf("k1"), enabled: false }, keyOf("k2")];
    const found = await service().readAll();
    expect(found.map((one) => one?.state["enabled"])).toEqual([true, false, true, undefined]);
    expect(found[3]).toBeUndefined();
  });

  test("reads each key by itself if the list can't be read, which is tried once", async () => {
    listed = new CallError("refused", "the service answered 403", 403);
    const keys = service();
    expect((await keys.readAll()).map((one) => one?.id)).toEqual(ids);
    expect(keys.asked().toSorted()).toEqual([...ids, "list"]);
  });

  test("confirms keys by the list even if the first one is gone", async () => {
    held.delete("k0");
    listed = ids.slice(1).map(keyOf);
    const keys = service();
    expect((await keys.readAll()).map((one) => one?.id)).toEqual([undefined, ...ids.slice(1)]);
    expect(keys.asked()).not.toContain("k1");
  });

  test("requests a new list after a write of this process, even a write that happens during the list", async () => {
    const keys = service();
    await keys.readAll();
    await keys.update("k1", stateOf("k1"), { ...stateOf("k1"), enabled: false });
    keys.calls.length = 0;
    await keys.read("k2");
    expect(keys.asked()).toEqual(["list"]);

    const others = service();
    await others.read("k0");
    onList = async () => {
      listed = [];
      onList = async () => {
        listed = ids.map(keyOf);
      };
      await others.update("k1", stateOf("k1"), { ...stateOf("k1"), name: "new" });
    };
    await others.read("k2");
    expect(others.asked().filter((one) => one === "list")).toHaveLength(2);
    expect(others.asked()).not.toContain("k2");
  });

  test("requests a new list if a key is read again", async () => {
    const keys = service();
    await keys.readAll();
    keys.calls.length = 0;
    await keys.read("k2");
    expect(keys.asked()).toEqual(["list"]);
    listed = ids.filter((id) => id !== "k3").map(keyOf);
    await keys.read("k3");
    expect(keys.asked()).toEqual(["list", "list", "k3"]);
  });

  test("reports the failure of each key", async () => {
    listed = new CallError("refused", "the service answered 403", 403);
    held = new Map();
    const keys = service();
    const failed = await Promise.all(ids.map((id) => failureOf(keys.read(id))));
    for (const [at, { message }] of failed.entries()) {
      expect(message).toMatch(new RegExp(`^Reading key k${at} in workspace ws_1: `));
    }
  });
});

test("K8 a key that state has only the inputs of gets its outputs from a refresh, and the next one shows no change", async () => {
  const keys = service();
  const { key: _, maskedKey, createdAt, ...inputs } = stateOf("k0");
  const read = await keys.read("k0", inputs);
  expect(read?.state).toMatchObject({ ...inputs, maskedKey, createdAt });
  expect(await keys.read("k0", read?.state)).toEqual({ id: "k0", state: read?.state });
  expect(keys.diff("k0", read?.state ?? {}, keys.check(inputs, undefined).inputs)).toMatchObject({
    changes: false,
  });
});

test("R11 a refresh shows no change after a key was used, or its updatedAt changed", async () => {
  const keys = service();
  const later = "2027-01-01T00:00:00Z";
  const read = await keys.read("k0", { ...stateOf("k0"), updatedAt: "2026-01-02T00:00:00Z" });
  held.set("k0", { ...keyOf("k0"), lastUsedAt: later, updatedAt: later } as Key);
  expect(await keys.read("k0", read?.state)).toEqual({ id: "k0", state: read?.state });
});

describe("K6 a refresh of a key whose secret was regenerated in the service", () => {
  const regenerated = (id: string, maskedKey = "sk_***9999") => {
    held.set(id, { ...keyOf(id), maskedKey });
    listed = [...held.values()];
  };

  test("warns, without the secret, also if the list shows it, and each refresh repeats it", async () => {
    regenerated("k2");
    const keys = service();
    await keys.read("k0");
    const state = { ...stateOf("k2"), key: "sk_live_0000" };
    const found = await keys.read("k2", state);
    await keys.read("k2", found?.state);
    expect(keys.asked()).toEqual(["k0", "list", "k2", "list", "k2"]);
    expect(keys.warnings).toEqual(
      Array(2).fill(
        expect.stringMatching(
          /^Key k2: the service shows another secret, .* state no longer works\. .* change keepers\.$/,
        ),
      ),
    );
    expect(keys.warnings.join()).not.toContain("0000");
    await keys.read("k2", { ...state, existingKey: "sk_live_0000" });
    expect(keys.warnings.at(-1)).toContain("leave existingKey out and change keepers");
  });

  test("warns also if lists leave the masked form out", async () => {
    regenerated("k2");
    listed = ids.map((id) => ({ ...keyOf(id), maskedKey: undefined as never }));
    const keys = service();
    await keys.read("k0");
    await keys.read("k2", { ...stateOf("k2"), key: "sk_live_0000" });
    expect(keys.warnings).toHaveLength(1);
  });

  test.each([
    ["stars only", "********"],
    ["only its beginning", "sk_live_****"],
    ["the end of the secret in state", "sk_…0000"],
    ["what it showed when it created the key, however it is made", "…k2"],
  ])("does not warn if the masked form shows %s", async (_what, maskedKey) => {
    regenerated("k2", maskedKey);
    const keys = service();
    await keys.read("k2", { ...stateOf("k2"), key: "sk_live_0000" });
    expect(keys.warnings).toEqual([]);
  });
});
