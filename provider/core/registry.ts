export type Registry = ReturnType<typeof openRegistry>;

/** The claim of a program that declares an existing object, until a resource has it. */
export const declaredClaim = "declared";

interface Entry {
  exists: boolean;
  readonly claims: Set<string>;
}

/** The objects of one kind that this process has met, each by its id in its workspace: a service may count ids anew in each. */
export function openRegistry() {
  const entries = new Map<string, Entry>();
  let claimed = 0;
  const key = (workspaceId: unknown, id: string) => JSON.stringify([workspaceId, id]);
  const entryOf = (workspaceId: unknown, id: string): Entry => {
    const found = entries.get(key(workspaceId, id)) ?? { exists: true, claims: new Set<string>() };
    entries.set(key(workspaceId, id), found);
    return found;
  };
  /** One that is in state, or that this process created. */
  const add = (workspaceId: unknown, id: string): Entry => {
    const entry = entryOf(workspaceId, id);
    entry.exists = true;
    return entry;
  };
  return {
    add,
    /**
     * A resource manages it: `claim` distinguishes the resource from others ("" if nothing does), because several may have
     * the same object.
     */
    claim: (workspaceId: unknown, id: string, claim: string): void => {
      add(workspaceId, id).claims.add(claim);
      claimed += 1;
    },
    /** How many claims have been made so far: it grows while the engine goes through the program's resources. */
    claimed: () => claimed,
    /** The resource no longer needs it. Gives whether another one does. */
    release: (workspaceId: unknown, id: string, claim: string): boolean => {
      const { claims } = entryOf(workspaceId, id);
      claims.delete(claim);
      return claims.size > 0;
    },
    has: (workspaceId: unknown, id: string): boolean => entries.get(key(workspaceId, id))?.exists === true,
    /** It no longer exists, unless another resource claims it: a service may give its id again. */
    drop: (workspaceId: unknown, id: string): void => {
      const entry = entryOf(workspaceId, id);
      entry.exists = entry.claims.size > 0;
    },
    isDropped: (workspaceId: unknown, id: string): boolean =>
      entries.get(key(workspaceId, id))?.exists === false,
  };
}
