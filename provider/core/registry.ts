/** What the resources of a process know of each other: the objects that exist, and what the program declares. */

// ---- Objects -------------------------------------------------------------------------------------------------------

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

// ---- Declarations --------------------------------------------------------------------------------------------------

export type Declarations = ReturnType<typeof openDeclarations>;

/** What a check knows of other resources, besides its inputs. */
export interface Checked {
  /** The name of another resource in the program that declares this identity. */
  twinOf(identity: string): string | undefined;
  /** Whether the engine replaces the resource by one that declares the same. */
  readonly replacesItself: boolean;
  /** The name of the resource that has an identity in state, if the engine does not compare the inputs with it. */
  readonly heldBy?: string | undefined;
}

export const unchecked: Checked = { twinOf: () => undefined, replacesItself: false };

/** The identities that the program of this run declares, of one kind of object (R17). */
export function openDeclarations() {
  const firsts = new Map<string, { readonly kind: string; readonly name: string }>();
  /** The identities in the former inputs of checks, by kind and name: under two parents there may be two of one name. */
  const compared = new Set<string>();
  return {
    /** Records a check. `before`: the identities in the former inputs, which the engine passes if it compares. */
    add: (
      kind: string,
      name: string | undefined,
      identities: readonly string[],
      before: readonly string[] | undefined,
    ): Checked => {
      // Without its name, a resource that is checked twice looks like two resources.
      if (name === undefined) return unchecked;
      for (const identity of identities) if (!firsts.has(identity)) firsts.set(identity, { kind, name });
      const ofResource = (all: readonly string[]) => JSON.stringify([kind, name, ...all]);
      if (before !== undefined) compared.add(ofResource(before));
      return {
        twinOf: (identity) => {
          const first = firsts.get(identity);
          return first?.kind === kind && first.name === name ? undefined : first?.name;
        },
        // The engine first checks against the former inputs, then without them for the resource that it creates instead.
        replacesItself: before === undefined && identities.length > 0 && compared.has(ofResource(identities)),
      };
    },
    has: (identity: string) => firsts.has(identity),
  };
}
