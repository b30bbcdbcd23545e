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
