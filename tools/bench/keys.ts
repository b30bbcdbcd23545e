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

/** The one of N keys that the update of one changes. */
export function single(count: number): number {
  return Math.floor(count / 2);
}

/**
 * What the program declares at a step: N keys, to each of which the update adds a permission, and the update of one
 * takes it from one of them again.
 */
export function declaredKeys(count: number, step: Step): readonly DeclaredKey[] {
  const changed = (n: number) =>
    step === "update" || step === "destroy" || (step === "updateOne" && n !== single(count));
  return Array.from({ length: count }, (_, n) => ({
    // Of one length, so that bytes of state can be told per key.
    name: `key-${String(n).padStart(5, "0")}`,
    workspaceId,
    customerId: "customer",
    enabled: true,
    scopes: [{ representation: "orders", read: true, ...(changed(n) ? { update: true } : {}) }],
  }));
}

/** The same keys in ten sets. */
export function inTen({ keys, ...shared }: DeclaredSet): readonly DeclaredSet[] {
  const entries = Object.entries(keys);
  const size = Math.ceil(entries.length / 10);
  return Array.from({ length: 10 }, (_, n) => ({
    ...shared,
    keys: Object.fromEntries(entries.slice(n * size, (n + 1) * size)),
  }));
}

/** The same keys as a set is declared with: what most have in common stands under all of them. */
export interface DeclaredSet {
  readonly workspaceId: string;
  readonly defaults: Pick<DeclaredKey, "enabled" | "scopes">;
  readonly keys: Readonly<Record<string, Pick<DeclaredKey, "customerId"> & Partial<DeclaredKey>>>;
}

export function setOf(keys: readonly DeclaredKey[]): DeclaredSet {
  const { enabled = true, scopes = [] } = keys[0] ?? {};
  const entries = keys.map((key) => {
    const alike = JSON.stringify(key.scopes) === JSON.stringify(scopes);
    return [key.name, { customerId: key.customerId, ...(alike ? {} : { scopes: key.scopes }) }] as const;
  });
  return { workspaceId, defaults: { enabled, scopes }, keys: Object.fromEntries(entries) };
}

/** Declares the keys in one of these ways. */
export type Program = (declared: {
  readonly keys: readonly DeclaredKey[];
  readonly set: DeclaredSet;
  readonly ten: readonly DeclaredSet[];
}) => void;
