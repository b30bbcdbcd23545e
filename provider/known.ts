import type { Properties } from "./state";

/** Objects of one kind that this process has met, each by its id in its workspace: a service may count ids anew in each. */
export interface Known {
  /**
   * One that stands in state, or that this process made. Several resources may have the same one: `holder` tells this one
   * from the others; `undefined` for what only looks at it.
   */
  add(properties: Properties, id: string, holder?: string): void;
  has(properties: Properties, id: string): boolean;
  /** The holder no longer needs it. Gives whether another one does. */
  release(properties: Properties, id: string, holder: string): boolean;
  /** One that no longer exists, unless it is held: a service may give its id again. */
  drop(properties: Properties, id: string): void;
  isDropped(properties: Properties, id: string): boolean;
  /** Inputs of the last up, of a resource that stands in state under an id that is not known here. */
  note(inputs: Properties): void;
  /** Whether there are any. */
  readonly hasNoted: boolean;
  /** The same, now that its id is known too. */
  unnote(inputs: Properties): void;
  readonly noted: Iterable<Properties>;
}

interface Standing {
  readonly exists: boolean;
  readonly holders: ReadonlySet<string>;
}

const nobody: ReadonlySet<string> = new Set();

export function openKnown(): Known {
  const all = new Map<string, Standing>();
  const noted = new Map<string, Properties>();
  const name = ({ workspaceId }: Properties, id: string) => JSON.stringify([workspaceId, id]);
  const holdersOf = (named: string) => all.get(named)?.holders ?? nobody;
  return {
    add: (properties, id, holder) => {
      const named = name(properties, id);
      const holders = holdersOf(named);
      const known = holder === undefined || holders.has(holder);
      all.set(named, { exists: true, holders: known ? holders : new Set([...holders, holder]) });
    },
    has: (properties, id) => all.get(name(properties, id))?.exists === true,
    release: (properties, id, holder) => {
      const named = name(properties, id);
      const others = new Set([...holdersOf(named)].filter((one) => one !== holder));
      all.set(named, { exists: true, holders: others });
      return others.size > 0;
    },
    drop: (properties, id) => {
      const named = name(properties, id);
      const holders = holdersOf(named);
      all.set(named, { exists: holders.size > 0, holders });
    },
    isDropped: (properties, id) => all.get(name(properties, id))?.exists === false,
    note: (inputs) => void noted.set(JSON.stringify(inputs), inputs),
    get hasNoted() {
      return noted.size > 0;
    },
    unnote: (inputs) => void noted.delete(JSON.stringify(inputs)),
    get noted() {
      return noted.values();
    },
  };
}
