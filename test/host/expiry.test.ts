import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Properties } from "./host";
import type { PluginHost } from "./plugin";
import { openPluginScene, openScene, type Scene } from "./scene";

const day = 86_400;
const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * day;
const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };
const env = { APIKEYS_EXPIRES_AT_UNIT: "seconds" };

/** The lines that say when keys expire. */
const warningsIn = ({ host }: Scene) =>
  host.output.stderr.split("\n").filter((line) => line.startsWith("warning: ") && line.includes("expire"));

describe.each([
  ["dynamic", openScene],
  ["plugin", openPluginScene],
] as const)("R21 keys that expire, in the %s host", (_, open) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await open({ env });
  });
  afterAll(() => scene?.close());

  const made = async (kind: string, declared: Properties) => {
    const resource = scene.host.resource(kind);
    const { inputs } = await resource.check(declared);
    return { resource, inputs, held: await resource.create(inputs) };
  };

  test("are named in a warning of a diff, without a request, but not in the diff of a refresh", async () => {
    const expiresAt = inDays(3);
    const { resource, inputs, held } = await made("ApiKey", { ...least, expiresAt });
    const read = await resource.read(held);
    scene.standIn.clearRequests();
    const state = { id: held.id, state: read.properties };
    await resource.diff(state, inputs);
    expect(warningsIn(scene)).toEqual([]);
    await resource.diff(state, inputs);
    await resource.diff(state, inputs);
    const line = `warning: Key "ci" in workspace ws_main (${held.id}) expires on ${dateOf(expiresAt)}. To replace a key, change expiresAt or, if that is not declared, keepers.`;
    await vi.waitFor(() => expect(warningsIn(scene)).toEqual([line]));
    expect(scene.standIn.requests).toEqual([]);
    const logged = "logged" in scene.host ? (scene.host as PluginHost).logged : [];
    for (const { urn } of logged) expect(urn).toBe("urn" in resource ? resource.urn : "");
  });

  test("are named in one warning for a whole set", async () => {
    const keys = {
      soon: { expiresAt: inDays(1) },
      later: { expiresAt: inDays(100) },
      gone: { expiresAt: 1 },
    };
    const { resource, inputs, held } = await made("ApiKeySet", {
      workspaceId: "ws_main",
      defaults: { customerId: "cus_1" },
      keys,
    });
    const before = warningsIn(scene).length;
    const { soon, gone } = held.state["ids"] as Record<string, string>;
    await resource.diff(held, inputs);
    await vi.waitFor(() =>
      expect(warningsIn(scene).slice(before)).toEqual([
        `warning: Keys of workspace ws_main: 2 expired or about to expire: "gone" (${gone}) expired on 1970-01-01, "soon" (${soon}) expires on ${dateOf(keys.soon.expiresAt)}. To replace a key, change expiresAt or, if that is not declared, keepers.`,
      ]),
    );
  });
});
