import { expect } from "vitest";
import type { StoredKey } from "../../standin";
import type { PluginHost } from "./plugin";
import { accessToken, type Scene } from "./scene";

export const orders = { representation: "orders", read: true };
export const least = { workspaceId: "ws_main", customerId: "cus_1", name: "ci" };

/** A key that no state knows. */
export function addKey({ standIn }: Scene<PluginHost>, more: Partial<StoredKey> = {}): StoredKey {
  return standIn.addKey({ ...least, scopes: [orders], ...more });
}

/** Leaves nothing in the service of what a test made there. */
export function clear({ standIn }: Scene<PluginHost>): void {
  standIn.clearFaults();
  for (const { id } of standIn.keys()) standIn.deleteKey(id);
  for (const { id } of standIn.scopes("ws_main")) standIn.deleteScope(id);
  standIn.clearRequests();
}

/** Ends the scene, in which no secret was printed. */
export async function end(scene: Scene<PluginHost>): Promise<void> {
  const printed = await scene.close();
  for (const text of [accessToken, ...scene.standIn.secrets()]) expect(printed).not.toContain(text);
}
