import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessToken, openPluginScene, openScene, type Scene } from "./fixture";
import type { Host, Properties } from "./host";
import { failureOf } from "./outcomes";
import { quickTimers } from "./quickTimers";

interface Life {
  readonly declared: Properties;
  /** An update in place. */
  readonly change: Properties;
  /** Default: deleted keys. */
  readonly left?: RegExp;
}

const lives: Readonly<Record<string, Life>> = {
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

const hosts: readonly [string, () => Promise<Scene>][] = [
  ["the dynamic host", () => openScene({ env: quickTimers() })],
  ["the plugin", () => openPluginScene({ env: quickTimers() })],
];

describe.each(hosts)("in %s", (where, open) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await open();
  });
  afterAll(async () => {
    const secrets = scene.standIn.secrets();
    const printed = await scene.close();
    for (const secret of [accessToken, ...secrets]) expect(printed).not.toContain(secret);
  });
  const warningsOf = (host: Host) =>
    "logged" in host
      ? (host.logged as { message: string }[]).map(({ message }) => message).join("\n")
      : host.output.stderr;

  test.each(Object.entries(lives))(
    `R3 %s is created, read, updated and deleted in ${where}, and nothing shows a change after a write`,
    async (kind, { declared, change, left }) => {
      const resource = scene.host.resource(kind);
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
      expect(scene.standIn.keys()).toEqual([]);
      if (left !== undefined) await expect.poll(() => warningsOf(scene.host)).toMatch(left);
    },
  );
});

test("K8 R19 get in the dynamic host reads a key without its secret, and a missing one is an error", async () => {
  const { standIn, key, close } = await openScene({ env: quickTimers() });
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
