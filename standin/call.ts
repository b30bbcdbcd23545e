import { type Answer, refuse } from "./answer";
import type { Store } from "./store";
import type { StoredWorkspace } from "./types";
import type { Variant } from "./variant";

/** An authorised request whose body is valid. */
export interface Call<Body = undefined> {
  store: Store;
  variant: Variant;
  /** Name of the tenant whose token was sent. */
  tenant: string;
  /** The path parameters, decoded, in the path's order. */
  params: readonly string[];
  body: Body;
}

/** A workspace that the caller's tenant may see, or the refusal. */
export function findWorkspace(
  { store, variant, tenant }: Call<unknown>,
  id: string | undefined,
): { workspace: StoredWorkspace } | { refusal: Answer } {
  const workspace = store.workspaces.get(id ?? "");
  if (workspace?.tenant === tenant) return { workspace };
  if (workspace !== undefined && variant.otherTenant === 403) {
    return { refusal: refuse(403, "this token may not see the workspace") };
  }
  return { refusal: refuse(404, "there is no such workspace") };
}

/** Carries out a write: at once or later, as the variant says. */
export function carryOut({ store, variant }: Call<unknown>, object: string, change: () => void): void {
  if (variant.writes === "atOnce") change();
  else store.later.add(object, variant.laterMs, change);
}

/** The records of a list that the answer shows. */
export function cutList<T>(records: readonly T[], { listOrder, listLimit }: Variant): readonly T[] {
  const cut = listLimit > 0 ? records.slice(0, listLimit) : records;
  return listOrder === "newestFirst" ? [...cut].reverse() : cut;
}
