import type { Properties } from "./state";

/** Objects of one kind, each by its id in its workspace: a service may count ids anew in each. */
export interface Known {
  add(properties: Properties, id: string): void;
  has(properties: Properties, id: string): boolean;
}

export function openKnown(): Known {
  const ids = new Set<string>();
  const name = ({ workspaceId }: Properties, id: string) => JSON.stringify([workspaceId, id]);
  return {
    add: (properties, id) => void ids.add(name(properties, id)),
    has: (properties, id) => ids.has(name(properties, id)),
  };
}
