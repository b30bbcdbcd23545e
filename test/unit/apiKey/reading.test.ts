import { describe, expect, test } from "vitest";
import { CallError } from "../../../provider/client/send";
import type { Properties } from "../../../provider/core/state";
import { apiKey } from "../../../provider/resources/apiKey";
import { idIn, refused, replying } from "../replying";

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

/** Four keys, as a GET of each shows them, and as the list shows them. */
function service() {
  const own = {
    held: new Map<string, Properties>(ids.map((id) => [id, keyOf(id)])),
    listed: ids.map(keyOf) as readonly Properties[] | CallError,
    onList: async () => {},
  };
  const keys = replying(apiKey, async (asked) => {
    const id = idIn(asked);
    if (id === "ws_1") return { workspace: { id } };
    if (asked.method === "GET" && id === "api-key") {
      await own.onList();
      if (own.listed instanceof CallError) throw own.listed;
      return { apiKeys: own.listed };
    }
    const key = own.held.get(id);
    if (key === undefined) throw refused(404);
    if (asked.method === "PATCH") own.held.set(id, { ...key, ...(asked.body as Properties) });
    return { apiKey: own.held.get(id) };
  });
  const read = (id: string, state: Properties = stateOf(id)) => keys.read(id, state);
  return Object.assign(own, {
    ...keys,
    read,
    readAll: () => Promise.all(ids.map((id) => read(id))),
    /** The requests since the last call of this. */
    asked: () => keys.calls.splice(0).map((call) => (call.path.endsWith("/api-key") ? "list" : idIn(call))),
  });
}

describe("a refresh of many keys in one workspace", () => {
  test("R5: a refresh of unchanged keys takes two requests: a GET of the first key, and a list that confirms the others", async () => {
    const states = (await service().readAll()).map((one) => one?.state ?? {});
    const keys = service();
    const found = await Promise.all(states.map((state, at) => keys.read(`k${at}`, state)));
    expect(found).toEqual(states.map((state, at) => ({ id: `k${at}`, state })));
    expect(found.every((one, at) => one?.state === states[at])).toBe(true);
    expect(keys.asked().toSorted()).toEqual(["k0", "list"]);
  });

  test.each<[string, object | undefined]>([
    ["not at all", undefined],
    ["under another name", { name: "other" }],
    ["disabled", { enabled: false }],
    ["with other permissions", { scopes: [{ ...orders, del: true }] }],
    ["without any permission, which it may leave out", { scopes: [] }],
    ["without scopes", { scopes: undefined }],
    ["without enabled", { enabled: undefined }],
    ["without deleted", { deleted: undefined }],
    ["deleted", { deleted: true }],
  ])("R5 a refresh reads a key by itself if the list shows it %s", async (_how, shown) => {
    const keys = service();
    // The list is wrong: a GET of each key shows it unchanged.
    keys.listed = ids.flatMap((id) => {
      if (id !== "k2") return [keyOf(id)];
      return shown === undefined ? [] : [{ ...keyOf(id), ...shown }];
    });
    expect((await keys.readAll()).map((one) => one?.state["name"])).toEqual(ids);
    const asked = keys.asked();
    expect(asked.filter((one) => one === "k2")).toHaveLength(1);
    expect(asked.filter((one) => one === "k1" || one === "k3")).toEqual([]);
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
  ])("R5 K4 a refresh does not let a list hide %s", async (_what, own, shown, inState) => {
    const keys = service();
    keys.held.set("k2", { ...keyOf("k2"), ...own });
    keys.listed = ids.map((id) => ({ ...keyOf(id), ...(id === "k2" && { ...own, ...shown }) }));
    await keys.read("k0");
    await keys.read("k2", { ...stateOf("k2"), ...inState });
    expect(keys.asked()).toEqual(["k0", "list", "k2"]);
  });

  test("R5 a refresh accepts a list without the billing record of a key, because nothing depends on it", async () => {
    const keys = service();
    keys.held.set("k2", { ...keyOf("k2"), billingId: "bill_1" });
    await keys.read("k0");
    await keys.read("k2", { ...stateOf("k2"), billingId: "bill_1" });
    expect(keys.asked()).toEqual(["k0", "list"]);
  });

  test("R5 a refresh reads each key by itself if the list can't be read, which is tried once", async () => {
    const keys = service();
    keys.listed = refused(403);
    expect((await keys.readAll()).map((one) => one?.id)).toEqual(ids);
    expect(keys.asked().toSorted()).toEqual([...ids, "list"]);
  });

  test("R5 a refresh requests a new list after a write of this process, even a write that happens during the list", async () => {
    const keys = service();
    await keys.readAll();
    await keys.update("k1", stateOf("k1"), { ...stateOf("k1"), enabled: false });
    keys.asked();
    await keys.read("k2");
    expect(keys.asked()).toEqual(["list"]);

    const others = service();
    await others.read("k0");
    others.onList = async () => {
      others.listed = [];
      others.onList = async () => {
        others.listed = ids.map(keyOf);
      };
      await others.update("k1", stateOf("k1"), { ...stateOf("k1"), name: "new" });
    };
    await others.read("k2");
    const asked = others.asked();
    expect(asked.filter((one) => one === "list")).toHaveLength(2);
    expect(asked).not.toContain("k2");
  });
});

test("K8 a key that state has only the inputs of gets its outputs from a refresh, and the next one shows no change", async () => {
  const keys = service();
  const { key: _, maskedKey, createdAt, ...inputs } = stateOf("k0");
  const read = await keys.read("k0", inputs);
  expect(read?.state).toMatchObject({ ...inputs, maskedKey, createdAt });
  expect(await keys.read("k0", read?.state)).toEqual({ id: "k0", state: read?.state });
  const { inputs: checked } = keys.check(inputs, undefined);
  expect(keys.diff("k0", read?.state ?? {}, checked)).toMatchObject({ changes: false });
});

test("K9: a refresh leaves metadata and externalMeterId in state as declared, whatever the service shows", async () => {
  const keys = service();
  keys.held.set("k0", { ...keyOf("k0"), metadata: { a: 2 }, externalMeterId: "theirs" });
  const state = { ...stateOf("k0"), metadata: { a: 1 }, externalMeterId: "ours" };
  expect((await keys.read("k0", state))?.state).toMatchObject(state);
});

test("R11: a refresh shows no change after a key was used, or its updatedAt changed", async () => {
  const keys = service();
  const later = "2027-01-01T00:00:00Z";
  const read = await keys.read("k0", { ...stateOf("k0"), updatedAt: "2026-01-02T00:00:00Z" });
  keys.held.set("k0", { ...keyOf("k0"), lastUsedAt: later, updatedAt: later });
  expect(await keys.read("k0", read?.state)).toEqual({ id: "k0", state: read?.state });
});

describe("a refresh of a key whose secret was regenerated in the service", () => {
  const state = { ...stateOf("k2"), key: "sk_live_0000" };
  const regenerated = (maskedKey = "sk_***9999") => {
    const keys = service();
    keys.held.set("k2", { ...keyOf("k2"), maskedKey });
    keys.listed = [...keys.held.values()];
    return keys;
  };

  test("K6 a refresh warns of a regenerated secret, without the secret, also if the list shows it, and each refresh repeats it", async () => {
    const keys = regenerated();
    await keys.read("k0");
    const found = await keys.read("k2", state);
    await keys.read("k2", found?.state);
    expect(keys.asked()).toEqual(["k0", "list", "k2", "k2"]);
    expect(keys.warnings).toEqual(
      Array(2).fill(
        expect.stringMatching(
          /^The service shows another secret, .* state no longer works\. .* change keepers, .*: k2\.$/,
        ),
      ),
    );
    expect(keys.warnings.join()).not.toContain("0000");
  });

  test("K6 a refresh warns of a regenerated secret also if lists leave the masked form out", async () => {
    const keys = regenerated();
    keys.listed = ids.map((id) => ({ ...keyOf(id), maskedKey: undefined }));
    await keys.read("k0");
    await keys.read("k2", state);
    expect(keys.warnings).toHaveLength(1);
  });

  test.each([
    ["stars only", "********"],
    ["only its beginning", "sk_live_****"],
    ["the end of the secret in state", "sk_…0000"],
    ["what it showed when it created the key, however it is made", "sk_****beef"],
  ])("K6 a refresh does not warn of another secret if the masked form shows %s", async (_what, maskedKey) => {
    const keys = regenerated(maskedKey);
    await keys.read("k2", { ...state, maskedKey: "sk_****beef" });
    expect(keys.warnings).toEqual([]);
  });
});
