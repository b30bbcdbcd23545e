/** A key as every contender declares it. */
export interface DeclaredKey {
  readonly name: string;
  readonly workspaceId: string;
  readonly customerId: string;
  readonly enabled: boolean;
  readonly scopes: { readonly representation: string; readonly read: boolean; readonly update?: boolean }[];
}

const workspaceId = "ws_main";

/** Declares keys as the program of a step does. The update adds a permission to each. */
export function declaredKeys(count: number, step: Step): readonly DeclaredKey[] {
  const isChanged = step === "update" || step === "destroy";
  return Array.from({ length: count }, (_, n) => ({
    // Of one length, so that bytes of state can be told per key.
    name: `key-${String(n).padStart(5, "0")}`,
    workspaceId,
    customerId: "customer",
    enabled: true,
    scopes: [{ representation: "orders", read: true, ...(isChanged ? { update: true } : {}) }],
  }));
}

/** The same keys as a set is declared with: what most have in common stands under all of them. */
export interface DeclaredSet {
  readonly workspaceId: string;
  readonly defaults: Pick<DeclaredKey, "enabled" | "scopes">;
  readonly keys: Readonly<Record<string, Pick<DeclaredKey, "customerId">>>;
}

export function setOf(keys: readonly DeclaredKey[]): DeclaredSet {
  const { enabled = true, scopes = [] } = keys[0] ?? {};
  const entries = keys.map(({ name, customerId }) => [name, { customerId }] as const);
  return { workspaceId, defaults: { enabled, scopes }, keys: Object.fromEntries(entries) };
}

/** Declares the keys in one of these ways. */
export type Program = (declared: {
  readonly keys: readonly DeclaredKey[];
  readonly set: DeclaredSet;
}) => void;

/** The steps in the order in which they are measured: each begins with the state that the one before left. */
export const steps = ["up", "noChange", "refresh", "update", "destroy"] as const;
export type Step = (typeof steps)[number];

export const stepTitles: Readonly<Record<Step, string>> = {
  up: "first update",
  noChange: "no changes",
  refresh: "refresh",
  update: "update of all",
  destroy: "destroy",
};
