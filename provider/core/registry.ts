export type Registry = ReturnType<typeof openRegistry>;

/** The claim of a program that adopts an object. It lasts until the adoption succeeds. */
export const declaredClaim = "declared";

interface Entry {
  exists: boolean;
  readonly claims: Set<string>;
}

/** The objects of one kind that this process knows, by workspace and id: the ids may be unique only in their workspace. */
export function openRegistry() {
  const entries = new Map<string, Entry>();
  let claimed = 0;
  const key = (workspaceId: unknown, id: string) => JSON.stringify([workspaceId, id]);
  const entryOf = (workspaceId: unknown, id: string): Entry => {
    const own = key(workspaceId, id);
    const found = entries.get(own) ?? { exists: true, claims: new Set<string>() };
    entries.set(own, found);
    return found;
  };
  /** Adds an object that is in state, or that this process created. */
  const add = (workspaceId: unknown, id: string): Entry => {
    const entry = entryOf(workspaceId, id);
    entry.exists = true;
    return entry;
  };
  return {
    add,
    /** Records that a resource manages the object. Several may: `claim` tells them apart, unless it is "". */
    claim: (workspaceId: unknown, id: string, claim: string): void => {
      add(workspaceId, id).claims.add(claim);
      claimed += 1;
    },
    /** How many claims were made so far. It grows while the engine goes through the program's resources. */
    claimed: () => claimed,
    /** Records that the resource no longer manages the object. Returns whether another one does. */
    release: (workspaceId: unknown, id: string, claim: string): boolean => {
      const { claims } = entryOf(workspaceId, id);
      claims.delete(claim);
      return claims.size > 0;
    },
    has: (workspaceId: unknown, id: string): boolean => entries.get(key(workspaceId, id))?.exists === true,
    /** Records that the object no longer exists, unless a resource claims it: the service may use its id again. */
    drop: (workspaceId: unknown, id: string): void => {
      const entry = entryOf(workspaceId, id);
      entry.exists = entry.claims.size > 0;
    },
    isDropped: (workspaceId: unknown, id: string): boolean =>
      entries.get(key(workspaceId, id))?.exists === false,
  };
}
