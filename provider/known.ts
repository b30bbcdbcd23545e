import type { Properties } from "./state";

/** Objects of one kind that this process has met, each by its id in its workspace: a service may count ids anew in each. */
export interface Known {
  /** One that stands in state, or that this process made. */
  add(properties: Properties, id: string): void;
  has(properties: Properties, id: string): boolean;
  /** One that a create got although it stood in the service before, and perhaps in state. */
  take(properties: Properties, id: string): void;
  isTaken(properties: Properties, id: string): boolean;
  /** Nothing else has it any longer. */
  settle(properties: Properties, id: string): void;
  /** One that no longer exists, unless it was taken since: a service may give its id again. */
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

type Standing = "held" | "taken" | "dropped";

export function openKnown(): Known {
  const ids = new Map<string, Standing>();
  const noted = new Map<string, Properties>();
  const name = ({ workspaceId }: Properties, id: string) => JSON.stringify([workspaceId, id]);
  const is = (state: Standing, properties: Properties, id: string) => ids.get(name(properties, id)) === state;
  /** Sets another state where it is not taken. */
  const become = (state: Standing) => (properties: Properties, id: string) => {
    if (!is("taken", properties, id)) ids.set(name(properties, id), state);
  };
  return {
    add: become("held"),
    has: (properties, id) => is("held", properties, id) || is("taken", properties, id),
    take: (properties, id) => void ids.set(name(properties, id), "taken"),
    isTaken: (properties, id) => is("taken", properties, id),
    settle: (properties, id) => void (is("taken", properties, id) && ids.set(name(properties, id), "held")),
    drop: become("dropped"),
    isDropped: (properties, id) => is("dropped", properties, id),
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
