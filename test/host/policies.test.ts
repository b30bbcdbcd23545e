import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unknown } from "../../provider/core/fields";
import { checkout } from "../../tools/engine/folders";
import { type Properties, secretMark } from "./host";
import { type Analyzed, type PolicyPack, startPolicyPack } from "./policyPack";

const secret = (value: unknown) => ({ [secretMark]: "1b47061264138c4ac30d75fd1eb44270", value });
const scope = (representation: string, ...flags: string[]) => ({
  representation,
  ...Object.fromEntries(flags.map((flag) => [flag, true])),
});
const good = { workspaceId: "ws_main", customerId: "cus_1", expiresAt: 1_924_991_999, prefix: "live" };

describe.each(["pulumi-nodejs:dynamic/apikeys:", "apikeys:index:"])(
  "the policy pack of examples/policies, for resources of type %s…",
  (types) => {
    let pack: PolicyPack;
    beforeAll(async () => {
      pack = await startPolicyPack(join(checkout, "examples", "policies", "index.ts"));
    });
    afterAll(() => pack?.stop());

    const inProduction = (kind: string, props: Properties, more: Partial<Analyzed> = {}) =>
      pack.analyze({ type: types + kind, stack: "prod", props, ...more });
    const ofKeys = (keys: Properties, defaults?: Properties) =>
      inProduction("ApiKeySet", { workspaceId: "ws_main", keys, ...(defaults && { defaults }) });

    test("the policy pack accepts resources that follow all policies", async () => {
      expect(await inProduction("ApiKey", { ...good, scopes: [scope("orders", "read")] })).toEqual([]);
      const { expiresAt: _, ...rest } = good;
      expect(await inProduction("RotatingApiKey", { ...rest, rotateEvery: "90d" })).toEqual([]);
      expect(await ofKeys({ acme: {}, beta: { scopes: null } }, good)).toEqual([]);
      expect(await inProduction("CustomerBilling", { totalCredits: "1" }, { protect: true })).toEqual([]);
      for (const kind of ["Scope", "WorkspaceSettings"])
        expect(await inProduction(kind, { workspaceId: "ws_main", name: "ci" })).toEqual([]);
      expect(await pack.analyze({ type: "aws:s3:Bucket", props: { keys: {} } })).toEqual([]);
    });

    test("the policy pack finds each violation of an ApiKey", async () => {
      const scopes = ["a", "b", "c", "d", "e"].map((one) => scope(one, "read"));
      const props = { ...good, expiresAt: null, prefix: "test", scopes: [...scopes, scope("f", "del")] };
      expect(await inProduction("ApiKey", props)).toEqual([
        ["keys-expire", 'key "ci" has no expiresAt'],
        ["no-deleting-in-production", 'key "ci" may delete f'],
        ["prefix-of-environment", 'key "ci" must have the prefix "live"'],
        ["few-scopes", 'key "ci" has 6 scopes'],
      ]);
      expect(await pack.analyze({ type: `${types}ApiKey`, props: { ...good, ...props } })).toEqual([
        ["keys-expire", 'key "ci" has no expiresAt'],
        ["few-scopes", 'key "ci" has 6 scopes'],
      ]);
    });

    test("the policy pack finds each violation in the entries of a set, with their defaults", async () => {
      const keys = {
        acme: {},
        beta: { expiresAt: null },
        cobalt: { prefix: "test" },
        delta: { scopes: [] },
      };
      const defaults = { ...good, scopes: [scope("orders", "del")] };
      expect(await ofKeys(keys, defaults)).toEqual([
        ["keys-expire", 'key "beta" has no expiresAt'],
        ["no-deleting-in-production", 'key "acme" may delete orders'],
        ["no-deleting-in-production", 'key "beta" may delete orders'],
        ["no-deleting-in-production", 'key "cobalt" may delete orders'],
        ["prefix-of-environment", 'key "cobalt" must have the prefix "live"'],
      ]);
      expect(await ofKeys({ acme: {} })).toHaveLength(2);
    });

    test("the policy pack doesn't require expiresAt or prefix of an existing key, which can't have them", async () => {
      const { expiresAt: _, prefix: __, ...rest } = good;
      for (const existing of [{ existingKey: secret("sk_old") }, { existingId: "key_1" }]) {
        expect(await inProduction("ApiKey", { ...rest, ...existing })).toEqual([]);
        expect(await ofKeys({ acme: existing }, rest)).toEqual([]);
      }
    });

    test("the policy pack advises to leave existingId and existingKey out of a RotatingApiKey", async () => {
      const { expiresAt: _, prefix: __, ...rest } = good;
      const existing = { ...rest, existingId: "key_1" };
      expect(await inProduction("RotatingApiKey", { ...existing, rotateEvery: "90d" })).toEqual([
        ["existing-once", 'key "ci" may be a new one by now: if so, leave out existingId and existingKey'],
      ]);
      expect(await inProduction("RotatingApiKey", { ...good, rotateEvery: "90d" })).toEqual([]);
    });

    test("the policy pack finds credits that are not protected", async () => {
      expect(await inProduction("CustomerBilling", { totalCredits: "1" })).toEqual([
        ["billing-protected", "is not protected: set the resource option protect"],
      ]);
    });

    test("the policy pack skips only the policies whose values are still unknown", async () => {
      const open = (policy: string, path: string) => [
        policy,
        expect.stringMatching(
          new RegExp(`^can't run policy '${policy}' .* value at .${path} can't be known`),
        ),
      ];
      expect(await inProduction("ApiKey", { ...good, customerId: unknown, metadata: unknown })).toEqual([]);
      expect(await inProduction("ApiKey", { ...good, prefix: unknown })).toEqual([
        open("prefix-of-environment", "prefix"),
      ]);
      expect(await ofKeys({ acme: { prefix: unknown }, beta: { expiresAt: null } }, good)).toEqual([
        ["keys-expire", 'key "beta" has no expiresAt'],
        open("prefix-of-environment", "keys.acme.prefix"),
      ]);
      expect(await ofKeys({ acme: good }, { scopes: unknown })).toEqual([
        open("no-deleting-in-production", "defaults.scopes"),
        open("few-scopes", "defaults.scopes"),
      ]);
      const notKnown = await inProduction("ApiKeySet", { workspaceId: "ws_main", keys: unknown });
      expect(notKnown.map(([policy]) => policy)).toEqual([
        "keys-expire",
        "no-deleting-in-production",
        "prefix-of-environment",
        "few-scopes",
        "existing-once",
      ]);
    });

    test("the policy pack checks secret values without printing them", async () => {
      const hidden = { name: secret("hidden"), scopes: secret([scope("orders", "del")]) };
      expect(await inProduction("ApiKey", { ...good, ...hidden, prefix: secret("hidden") })).toEqual([
        ["no-deleting-in-production", 'key "ci" may delete orders'],
        ["prefix-of-environment", 'key "ci" must have the prefix "live"'],
      ]);
    });
  },
);
