import type { Properties } from "./state";

/** Objects of one kind that this process has met, each by its id in its workspace: a service may count ids anew in each. */
export interface Known {
  /** One that stands in state, or that this process made. */
  add(properties: Properties, id: string): void;
  has(properties: Properties, id: string): boolean;
  /** One that no longer exists: a service may give its id again. */
  drop(properties: Properties, id: string): void;
  isDropped(properties: Properties, id: string): boolean;
  /** Inputs of the last up, of a resource that stands in state under an id that is not known here. */
  note(inputs: Properties): void;
  /** The same, now that its id is known too. */
  unnote(inputs: Properties): void;
  readonly noted: Iterable<Properties>;
}

export function openKnown(): Known {
  const ids = new Map<string, "held" | "dropped">();
  const noted = new Map<string, Properties>();
  const name = ({ workspaceId }: Properties, id: string) => JSON.stringify([workspaceId, id]);
  return {
    add: (properties, id) => void ids.set(name(properties, id), "held"),
    has: (properties, id) => ids.get(name(properties, id)) === "held",
    drop: (properties, id) => void ids.set(name(properties, id), "dropped"),
    isDropped: (properties, id) => ids.get(name(properties, id)) === "dropped",
    note: (inputs) => void noted.set(JSON.stringify(inputs), inputs),
    unnote: (inputs) => void (noted.size > 0 && noted.delete(JSON.stringify(inputs))),
    get noted() {
      return noted.values();
    },
  };
}
