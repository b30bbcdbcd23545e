import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, failureOf, openFixture, openPluginFixture } from "./fixture";
import type { Properties } from "./host";
import { quickTimers } from "./quickTimers";

interface Lifecycle {
  readonly declared: Properties;
  /** An update in place. */
  readonly change: Properties;
  /** Default: deleted keys. */
  readonly left?: RegExp;
}

const lifecycles: Readonly<Record<string, Lifecycle>> = {
  ApiKey: {
    declared: { workspaceId: "ws_main", customerId: "cus_1", name: "ci", metadata: { tags: ["a", null] } },
    change: { enabled: false, scopes: [{ representation: "orders", read: true }] },
  },
  ApiKeySet: {
    declared: { workspaceId: "ws_main", defaults: { customerId: "cus_1" }, keys: { "a b": {}, ü: {} } },
    change: { keys: { "a b": { enabled: false }, new: { renamedFrom: "ü" } } },
  },
  RotatingApiKey: {
    declared: { workspaceId: "ws_main", customerId: "cus_1", name: "deploy", rotateEvery: "90d" },
    change: { enabled: false },
  },
  WorkspaceSettings: {
    declared: { workspaceId: "ws_main", defaultAllowedIPs: ["10.0.0.1"], onDestroy: "retain" },
    change: { defaultRateLimitPerSecond: 7 },
  },
  Scope: {
    declared: { workspaceId: "ws_main", name: "Orders", representation: "orders" },
    change: {},
    left: /stays in the service, which has no call to delete a scope/,
  },
  CustomerBilling: {
    declared: { workspaceId: "ws_main", totalCredits: "100.50" },
    change: {},
    left: /The credits of .* stay in the service/,
  },
};

const hosts: readonly [string, () => Promise<Fixture>][] = [
  ["the dynamic host", () => openFixture({ env: quickTimers() })],
  ["the plugin", () => openPluginFixture({ env: quickTimers() })],
];

describe.each(hosts)("in %s", (where, open) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await open();
  });
  afterAll(() => fixture.close());
  test.each(Object.entries(lifecycles))(
    `R3 %s is created, read, updated and deleted in ${where}, and nothing shows a change after a write`,
    async (kind, { declared, change, left }) => {
      const resource = fixture.host.resource(kind);
      const { inputs, failures } = await resource.check(declared);
      expect(failures).toEqual([]);
      let held = await resource.create(inputs);
      const unchanged = async (declaredNow: Properties) => {
        expect(await resource.read(held)).toEqual({ id: held.id, properties: held.state, inputs: undefined });
        expect(await resource.diff(held, declaredNow)).toEqual({ changes: "none", replaces: [] });
      };
      await unchanged(inputs);
      if (Object.keys(change).length > 0) {
        const { inputs: next } = await resource.check({ ...declared, ...change }, inputs);
        expect((await resource.diff(held, next)).changes).not.toBe("none");
        held = await resource.update(held, next);
        await unchanged(next);
      }
      await resource.delete(held);
      expect(fixture.standIn.keys()).toEqual([]);
      if (left !== undefined) await expect.poll(() => fixture.host.output.stderr).toMatch(left);
    },
  );
});

test("K8 R19 get in the dynamic host reads a key without its secret, and a missing one is an error", async () => {
  const { standIn, key, close } = await openFixture({ env: quickTimers() });
  const asked = { workspaceId: "ws_main", __external: true };
  const there = standIn.addKey({ workspaceId: "ws_main", name: "theirs" });
  const { id, properties } = await key.get(there.id, asked);
  expect([id, properties["name"]]).toEqual([there.id, "theirs"]);
  expect(properties).not.toHaveProperty("key");
  standIn.editKey(there.id, { name: "renamed" });
  expect((await key.read({ id, state: properties })).properties).toMatchObject({ name: "renamed" });
  const failure = await failureOf(key.get("key_nobody", asked));
  expect(failure.message).toMatch(/^There is no ApiKey key_nobody in workspace ws_main: check both ids/);
  await close();
});
