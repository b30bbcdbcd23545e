/** What the resources of one kind of object are that the program of this run declares (R17). */
export interface Declarations {
  /** Notes a check of a resource, with what its inputs declare and those of the last update, which the engine gives where it compares. */
  add(
    name: string | undefined,
    identities: readonly string[],
    before: readonly string[] | undefined,
  ): Checked;
  has(identity: string): boolean;
}

/** What is known of a check beside its inputs. */
export interface Checked {
  /** The name of another resource of the program that declares the same. */
  twinOf(identity: string): string | undefined;
  /** Whether the resource, or the one that it is to replace, declared the same before. */
  readonly isDeclaredAgain: boolean;
  /** Whether the resource is to be replaced by one that declares the same. */
  readonly replacesItself: boolean;
}

export const unchecked: Checked = { twinOf: () => undefined, isDeclaredAgain: false, replacesItself: false };

export function openDeclarations(): Declarations {
  const names = new Map<string, string>();
  const compared = new Map<string, string>();
  return {
    add: (name, identities, before) => {
      // Without names, two checks of one resource can't be told from those of two.
      if (name === undefined) return unchecked;
      for (const identity of identities) if (!names.has(identity)) names.set(identity, name);
      const all = JSON.stringify(identities);
      if (before !== undefined) compared.set(name, JSON.stringify(before));
      const isDeclaredAgain = identities.length > 0 && compared.get(name) === all;
      return {
        isDeclaredAgain,
        twinOf: (identity) => {
          const first = names.get(identity);
          return first === name ? undefined : first;
        },
        // The engine compares first, and then asks again for what it is to create in its place.
        replacesItself: isDeclaredAgain && before === undefined,
      };
    },
    has: (identity) => names.has(identity),
  };
}
