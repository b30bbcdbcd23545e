export type Declarations = ReturnType<typeof openDeclarations>;

/** The context of a check, besides its inputs. */
export interface Checked {
  /** The name of another resource of the program that declares the same. */
  twinOf(identity: string): string | undefined;
  /** Whether the resource is to be replaced by one that declares the same. */
  readonly replacesItself: boolean;
  /** The name of a resource that has the same in state, and that the engine does not compare with this one. */
  readonly heldBy?: string | undefined;
}

export const unchecked: Checked = { twinOf: () => undefined, replacesItself: false };

/** What the resources of one kind of object are that the program of this run declares (R17). */
export function openDeclarations() {
  const firsts = new Map<string, { readonly kind: string; readonly name: string }>();
  /** What resources declared before. Under two parents there may be two of one kind and name, checked in turn. */
  const compared = new Set<string>();
  return {
    /**
     * Notes a check of a resource of a kind, with what its inputs declare and those of the last update, which the engine
     * gives where it compares.
     */
    add: (
      kind: string,
      name: string | undefined,
      identities: readonly string[],
      before: readonly string[] | undefined,
    ): Checked => {
      // Without names, two checks of one resource look like those of two resources.
      if (name === undefined) return unchecked;
      for (const identity of identities) if (!firsts.has(identity)) firsts.set(identity, { kind, name });
      const ofResource = (all: readonly string[]) => JSON.stringify([kind, name, ...all]);
      if (before !== undefined) compared.add(ofResource(before));
      return {
        twinOf: (identity) => {
          const first = firsts.get(identity);
          return first?.kind === kind && first.name === name ? undefined : first?.name;
        },
        // The engine compares first, and then asks again for what it is to create in its place.
        replacesItself: before === undefined && identities.length > 0 && compared.has(ofResource(identities)),
      };
    },
    has: (identity: string) => firsts.has(identity),
  };
}
