import { createHash } from "node:crypto";
import { folded, type Properties } from "./state";

/** Objects of one kind that this process has met, each by its id in its workspace: a service may count ids anew in each. */
export interface Known {
  /**
   * One that stands in state, or that this process made. Several resources may have the same one: `holder` tells this one
   * from the others ("" where nothing does); `undefined` for what only looks at it.
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
  /** The program makes an object of this name from a value that the service holds once. Only a hash of it is kept. */
  give(value: string, name: string): void;
  /** The names of other objects that the program makes from the same value. */
  alsoGiven(value: string, name: string): readonly string[];
  /** A value that the program made secret: another resource's list may show it as the name of an object. */
  conceal(value: string): void;
  isConcealed(value: string): boolean;
}

interface Standing {
  exists: boolean;
  readonly holders: Set<string>;
}

export function openKnown(): Known {
  const workspaces = new Map<unknown, Map<string, Standing>>();
  const noted = new Map<string, Properties>();
  const given = new Map<string, Set<string>>();
  const hashed = (value: string) => createHash("sha256").update(value).digest("base64url");
  const concealed = new Set<string>();
  const find = ({ workspaceId }: Properties, id: string) => workspaces.get(workspaceId)?.get(id);
  const meet = (properties: Properties, id: string): Standing => {
    const known = find(properties, id);
    if (known !== undefined) return known;
    const { workspaceId } = properties;
    const met = { exists: true, holders: new Set<string>() };
    const ids = workspaces.get(workspaceId) ?? new Map<string, Standing>();
    workspaces.set(workspaceId, ids.set(id, met));
    return met;
  };
  return {
    add: (properties, id, holder) => {
      const met = meet(properties, id);
      met.exists = true;
      if (holder !== undefined) met.holders.add(holder);
    },
    has: (properties, id) => find(properties, id)?.exists === true,
    release: (properties, id, holder) => {
      const { holders } = meet(properties, id);
      holders.delete(holder);
      return holders.size > 0;
    },
    drop: (properties, id) => {
      const met = meet(properties, id);
      met.exists = met.holders.size > 0;
    },
    isDropped: (properties, id) => find(properties, id)?.exists === false,
    note: (inputs) => void noted.set(JSON.stringify(inputs), inputs),
    get hasNoted() {
      return noted.size > 0;
    },
    unnote: (inputs) => void noted.delete(JSON.stringify(inputs)),
    get noted() {
      return noted.values();
    },
    give: (value, name) => {
      const hash = hashed(value);
      given.set(hash, (given.get(hash) ?? new Set()).add(name));
    },
    alsoGiven: (value, name) => [...(given.get(hashed(value)) ?? [])].filter((other) => other !== name),
    conceal: (value) => void concealed.add(folded(value)),
    isConcealed: (value) => concealed.has(folded(value)),
  };
}
