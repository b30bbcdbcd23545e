import { describe, expect, test } from "vitest";
import { definitions } from "../../../provider/resources";
import { declaredKeys, expiresWithin } from "../../../sdk/policy";

const prefixes = ["pulumi-nodejs:dynamic/apikeys:", "apikeys:index:"];
const scope = { representation: "orders", read: true };
const all = { representation: "orders", create: false, read: true, update: false, del: false };
const key = {
  workspaceId: "ws_main",
  customerId: "cus_1",
  name: "Night",
  scopes: [scope],
  enabled: false,
  prefix: "live",
  expiresAt: 7,
  externalMeterId: "meter",
  metadata: { team: "a" },
  keepers: { rotated: "1" },
};
const secrets = { existingKey: "sk_old", key: "sk_new", secrets: { a: "sk_a" }, __secrets: [["name"]] };
const none = { prefix: undefined, expiresAt: undefined, externalMeterId: undefined, metadata: undefined };

describe.each(prefixes)("declaredKeys, for resources of type %s…", (prefix) => {
  const declared = (kind: string, props: Readonly<Record<string, unknown>>) =>
    declaredKeys({ type: prefix + kind, name: "ci", props }).map((one) => ({ ...one }));

  test("returns the one key of an ApiKey, without its secret", () => {
    const found = declared("ApiKey", { ...key, ...secrets });
    expect(found).toEqual([
      {
        ...key,
        label: "ci",
        scopes: [all],
        effectiveExpiresAt: 7,
        rotateEvery: undefined,
        isExisting: true,
      },
    ]);
    expect(JSON.stringify(found)).not.toContain("sk_");
  });

  test("marks a key as existing, even after a rotation, until the program leaves existingId out", () => {
    const isExisting = (more: object) => {
      const { workspaceId, ...entry } = { ...key, ...more };
      const ofOne = ["ApiKey", "RotatingApiKey"].map((kind) => declared(kind, { workspaceId, ...entry }));
      return [...ofOne, declared("ApiKeySet", { workspaceId, keys: { a: entry } })].map(
        ([one]) => one?.isExisting,
      );
    };
    expect(isExisting({ existingId: "key_1" })).toEqual([true, true, true]);
    expect(isExisting({ existingId: null })).toEqual([false, false, false]);
  });

  test("fills in the provider's defaults for inputs that are left out", () => {
    const least = { workspaceId: "ws_main", customerId: "cus_1", prefix: null };
    const usual = { name: "ci", label: "ci", scopes: [], enabled: true, isExisting: false, ...none };
    expect(declared("ApiKey", least)).toMatchObject([{ ...usual, customerId: "cus_1" }]);
  });

  test("returns each key of a set: an entry's inputs override the defaults, and null removes a default", () => {
    const { workspaceId, ...defaults } = key;
    const keys = {
      a: {},
      b: { enabled: true, scopes: [], name: null, prefix: null, expiresAt: null, existingKey: "sk_old" },
    };
    const found = declared("ApiKeySet", {
      workspaceId,
      keys,
      defaults,
      ...secrets,
      __keys: { a: { migrated: true } },
    });
    expect(found).toMatchObject([
      { ...key, label: "a", scopes: [all], isExisting: true },
      {
        ...key,
        label: "b",
        scopes: [],
        enabled: true,
        isExisting: true,
        name: "b",
        prefix: undefined,
        expiresAt: undefined,
      },
    ]);
    expect(JSON.stringify(found)).not.toContain("sk_");
    expect(declared("ApiKeySet", { workspaceId, keys: { a: { customerId: "c" } } })).toMatchObject([
      { label: "a", name: "a", customerId: "c", scopes: [], enabled: true, isExisting: false, ...none },
    ]);
  });

  test("returns no keys for any other resource", () => {
    for (const kind of ["Scope", "WorkspaceSettings", "CustomerBilling", "Provider", "apikey"])
      expect(declared(kind, { ...key, keys: { a: {} } })).toEqual([]);
  });
});

describe("expiresWithin", () => {
  const day = 86_400;
  const now = Math.floor(Date.now() / 1_000);
  const keys = (kind: string, props: object) =>
    declaredKeys({ type: `apikeys:index:${kind}`, name: "ci", props: { ...props } });
  const labels = (found: ReturnType<typeof declaredKeys>) => found.map(({ label }) => label);

  test("returns the keys of a set that expire by the time that the service set, or else by the declared one", () => {
    const set = keys("ApiKeySet", {
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
    });
    expect(labels(expiresWithin(set, 14, { unit: "seconds" }))).toEqual(["past", "soon", "chosen"]);
    expect(labels(expiresWithin(set, 0, { unit: "seconds" }))).toEqual(["past", "chosen"]);
  });

  test("takes the unit of the time from the policy", () => {
    const key = keys("RotatingApiKey", { effectiveExpiresAt: (now + 15 * day) * 1_000 });
    expect(labels(expiresWithin(key, 16, { unit: "milliseconds" }))).toEqual(["ci"]);
    expect(labels(expiresWithin(key, 14, { unit: "milliseconds" }))).toEqual([]);
    expect(labels(expiresWithin(key, 16, { unit: "seconds" }))).toEqual([]);
  });
});

test("declaredKeys ignores resource types of other packages", () => {
  for (const type of ["other:index:ApiKey", "pulumi-nodejs:dynamic:Resource", "apikeys:index:ApiKey2", ""])
    expect(declaredKeys({ type, name: "ci", props: key })).toEqual([]);
});

test("a declared key has every input of an ApiKey except existingKey and existingId", () => {
  const [found = {}] = declaredKeys({ type: "apikeys:index:ApiKey", name: "ci", props: key });
  const names = definitions["ApiKey"]?.fields.map(({ name }) => name) ?? [];
  expect(names.filter((name) => !(name in found))).toEqual(
    names.filter((name) => ["existingKey", "existingId"].includes(name)),
  );
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
