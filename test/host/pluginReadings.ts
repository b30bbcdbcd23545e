import { expect } from "vitest";
import type { StoredKey } from "../../standin";
import type { PluginHost } from "./plugin";
import { accessToken, type Scene } from "./scene";

export const orders = { representation: "orders", read: true };
export const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };

/** Adds a key that is not in state. */
export function addKey({ standIn }: Scene<PluginHost>, more: Partial<StoredKey> = {}): StoredKey {
  return standIn.addKey({ ...least, scopes: [orders], ...more });
}

/** Removes all that a test left in the service. */
export function clear({ standIn }: Scene<PluginHost>): void {
  standIn.clearFaults();
  for (const { id } of standIn.keys()) standIn.deleteKey(id);
  for (const { id } of standIn.scopes("ws_main")) standIn.deleteScope(id);
  standIn.clearRequests();
}

/** Ends the scene, which must not have printed a secret. */
export async function end(scene: Scene<PluginHost>): Promise<void> {
  const printed = await scene.close();
  for (const text of [accessToken, ...scene.standIn.secrets()]) expect(printed).not.toContain(text);
}
