import { type Answer, refuse } from "./answer";
import type { Dialect } from "./dialect";
import type { Store } from "./store";
import type { StoredWorkspace } from "./types";

/** An authorised request whose body is valid. */
export interface Call<Body = undefined> {
  store: Store;
  dialect: Dialect;
  /** Name of the tenant whose token was sent. */
  tenant: string;
  /** The path parameters, decoded, in the path's order. */
  params: readonly string[];
  body: Body;
}

/** A workspace that the caller's tenant may see, or the refusal. */
export function findWorkspace(
  { store, dialect, tenant }: Call<unknown>,
  id: string | undefined,
): { workspace: StoredWorkspace } | { refusal: Answer } {
  const workspace = store.workspaces.get(id ?? "");
  if (workspace?.tenant === tenant) return { workspace };
  if (workspace !== undefined && dialect.otherTenant === 403) {
    return { refusal: refuse(403, "this token may not see the workspace") };
  }
  return { refusal: refuse(404, "there is no such workspace") };
}

/** Carries out a write: at once or later, as the dialect says. */
export function carryOut({ store, dialect }: Call<unknown>, object: string, change: () => void): void {
  if (dialect.writes === "atOnce") change();
  else store.later.add(object, dialect.laterMs, change);
}

/** The records of a list that the answer shows. */
export function cutList<T>(records: readonly T[], { listOrder, listLimit }: Dialect): readonly T[] {
  const cut = listLimit > 0 ? records.slice(0, listLimit) : records;
  return listOrder === "newestFirst" ? [...cut].reverse() : cut;
}
