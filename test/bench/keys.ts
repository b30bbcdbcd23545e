import type { Step } from "./steps";

/** A key as every contender declares it. */
export interface DeclaredKey {
  readonly name: string;
  readonly workspaceId: string;
  readonly customerId: string;
  readonly enabled: boolean;
  readonly scopes: { readonly representation: string; readonly read: boolean; readonly update?: boolean }[];
}

export const workspaceId = "ws_main";

/** What the program declares at a step: N keys, of which the update changes one permission each. */
export function declaredKeys(count: number, step: Step): readonly DeclaredKey[] {
  const changed = step === "update" || step === "destroy";
  return Array.from({ length: count }, (_, n) => ({
    // Of one length, so that bytes of state can be told per key.
    name: `key-${String(n).padStart(5, "0")}`,
    workspaceId,
    customerId: "customer",
    enabled: true,
    scopes: [{ representation: "orders", read: true, ...(changed ? { update: true } : {}) }],
  }));
}
