/** What is known of a check beside its inputs. */
export interface CheckContext {
  /** The name of another resource of the program that stands for the same thing. */
  readonly twin?: string | undefined;
  /** Whether the resource is to be replaced by one that stands for the same thing. */
  readonly replacesItself?: boolean;
}

/** A check of one resource: what its inputs stand for, and those of the last update, which the engine gives where it compares. */
interface Declared {
  readonly name: string | undefined;
  readonly identity: string | undefined;
  readonly before: string | undefined;
}

/** What the resources of one kind stand for that the program of this run declares. */
export interface Declarations {
  add(declared: Declared): CheckContext;
  has(identity: string): boolean;
}

export function openDeclarations(): Declarations {
  const names = new Map<string, string>();
  const compared = new Map<string, string>();
  return {
    add: ({ name, identity, before }) => {
      // Without names, two checks of one resource can't be told from those of two.
      if (identity === undefined || name === undefined) return {};
      const first = names.get(identity) ?? name;
      names.set(identity, first);
      if (before !== undefined) compared.set(name, before);
      return {
        twin: first === name ? undefined : first,
        // The engine compares first, and then asks again for what it is to create in its place.
        replacesItself: before === undefined && compared.get(name) === identity,
      };
    },
    has: (identity) => names.has(identity),
  };
}
