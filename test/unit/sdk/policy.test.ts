import { describe, expect, test } from "vitest";
import { definitions } from "../../../provider/resources";
import { declaredKeys, expiresWithin } from "../../../sdk/policy";

const all = { representation: "orders", create: false, read: true, update: false, del: false };
const key = {
  ...{ workspaceId: "ws_main", customerId: "cus_1", name: "Night", enabled: false, prefix: "live" },
  scopes: [{ representation: "orders", read: true }],
  ...{ expiresAt: 7, externalMeterId: "meter", metadata: { team: "a" }, keepers: { rotated: "1" } },
};
const secrets = { existingKey: "sk_old", key: "sk_new", secrets: { a: "sk_a" }, __secrets: [["name"]] };
const none = { prefix: undefined, expiresAt: undefined, externalMeterId: undefined, metadata: undefined };

describe.each(["pulumi-nodejs:dynamic/apikeys:", "apikeys:index:"])("of type %s…", (prefix) => {
  const declared = (kind: string, props: Readonly<Record<string, unknown>>) =>
    declaredKeys({ type: prefix + kind, name: "ci", props }).map((one) => ({ ...one }));

  test("declaredKeys returns the one key of an ApiKey, without its secret", () => {
    const found = declared("ApiKey", { ...key, ...secrets });
    const others = { effectiveExpiresAt: 7, rotateEvery: undefined, isExisting: true };
    expect(found).toEqual([{ ...key, label: "ci", scopes: [all], ...others }]);
    expect(JSON.stringify(found)).not.toContain("sk_");
  });

  test("declaredKeys marks a key as existing until the program leaves existingId out", () => {
    const { workspaceId, ...own } = key;
    for (const existingId of ["key_1", null]) {
      const entry = { ...own, existingId };
      const ofOne = ["ApiKey", "RotatingApiKey"].map((kind) => declared(kind, { workspaceId, ...entry }));
      const found = [...ofOne, declared("ApiKeySet", { workspaceId, keys: { a: entry } })];
      expect(found.map(([one]) => one?.isExisting)).toEqual(Array(3).fill(existingId !== null));
    }
  });

  test("declaredKeys fills in the provider's defaults for inputs that are left out", () => {
    const least = { workspaceId: "ws_main", customerId: "cus_1", prefix: null };
    const usual = { customerId: "cus_1", scopes: [], enabled: true, isExisting: false, ...none };
    expect(declared("ApiKey", least)).toMatchObject([{ ...usual, name: "ci", label: "ci" }]);
    const keys = { a: { customerId: "cus_1" } };
    expect(declared("ApiKeySet", { workspaceId: "ws_main", keys })).toMatchObject([
      { ...usual, name: "a", label: "a" },
    ]);
  });

  test("declaredKeys returns each key of a set: its inputs override the defaults, and null removes one", () => {
    const { workspaceId, ...defaults } = key;
    const cleared = { enabled: true, scopes: [], name: null, prefix: null, expiresAt: null };
    const keys = { a: { existingId: "key_1" }, b: { ...cleared, existingKey: "sk_old" } };
    const found = declared("ApiKeySet", { workspaceId, keys, defaults, ...secrets });
    const b = { enabled: true, scopes: [], name: "b", prefix: undefined, expiresAt: undefined };
    expect(found).toMatchObject([
      { ...key, label: "a", scopes: [all], isExisting: true },
      { ...key, label: "b", isExisting: true, ...b },
    ]);
    expect(JSON.stringify(found)).not.toContain("sk_");
  });
});

test.each([
  ...["Scope", "WorkspaceSettings", "CustomerBilling", "Provider", "apikey", "ApiKey2"].map(
    (kind) => `apikeys:index:${kind}`,
  ),
  ...["other:index:ApiKey", "pulumi-nodejs:dynamic:Resource", ""],
])("declaredKeys returns no keys for a resource of type %j", (type) => {
  expect(declaredKeys({ type, name: "ci", props: { ...key, keys: { a: {} } } })).toEqual([]);
});

test("a declared key has every input of an ApiKey except existingKey and existingId", () => {
  const [found = {}] = declaredKeys({ type: "apikeys:index:ApiKey", name: "ci", props: key });
  const names = Object.keys(definitions["ApiKey"]?.shape.inputs ?? {});
  expect(names.filter((name) => !(name in found)).toSorted()).toEqual(["existingId", "existingKey"]);
});

test("a declared key reads nothing before a policy asks for it, because reading an unknown value ends the policy", () => {
  const unknown = (name: string) =>
    Object.defineProperty({ ...key }, name, { enumerable: true, get: () => expect.unreachable() });
  const [one] = declaredKeys({ type: "apikeys:index:ApiKey", name: "ci", props: unknown("prefix") });
  expect(one?.expiresAt).toBe(7);
  expect(() => one?.prefix).toThrow();
  const props = { keys: { a: { prefix: "live" } }, defaults: unknown("scopes") };
  const [entry] = declaredKeys({ type: "apikeys:index:ApiKeySet", name: "set", props });
  expect([entry?.prefix, entry?.expiresAt]).toEqual(["live", 7]);
  expect(() => entry?.scopes).toThrow();
});

const day = 86_400;
const now = Math.floor(Date.now() / 1_000);
const expiring = (kind: string, props: object, ...[days, of]: [number, "seconds" | "milliseconds"]) => {
  const keys = declaredKeys({ type: `apikeys:index:${kind}`, name: "ci", props: { ...props } });
  return expiresWithin(keys, days, { unit: of }).map(({ label }) => label);
};

test("expiresWithin returns the keys of a set that expire by the service's time, or else by the declared one", () => {
  const set = {
    keys: {
      past: { expiresAt: now - day },
      soon: { expiresAt: now + 13 * day },
      later: { expiresAt: now + 15 * day },
      never: { expiresAt: 0 },
      unset: {},
      chosen: {},
      extended: { expiresAt: now },
    },
    defaults: {},
    __keys: { chosen: { effectiveExpiresAt: now }, extended: { effectiveExpiresAt: now + 99 * day } },
  };
  expect(expiring("ApiKeySet", set, 14, "seconds")).toEqual(["past", "soon", "chosen"]);
  expect(expiring("ApiKeySet", set, 0, "seconds")).toEqual(["past", "chosen"]);
});

test("expiresWithin takes the unit of the time from the policy", () => {
  const key = { effectiveExpiresAt: (now + 15 * day) * 1_000 };
  expect(expiring("RotatingApiKey", key, 16, "milliseconds")).toEqual(["ci"]);
  expect(expiring("RotatingApiKey", key, 14, "milliseconds")).toEqual([]);
  expect(expiring("RotatingApiKey", key, 16, "seconds")).toEqual([]);
});
