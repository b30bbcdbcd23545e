import { isRecord } from "../../core/state";
import type { KeyState } from "../apiKey/properties";

/** The keys of a resource that has several: of a set, or of a rotating key. */

/** A key, with the state that an ApiKey would have. */
export interface OwnedKey {
  readonly id: string;
  readonly state: KeyState;
}

/** A key that is still to be deleted. */
export interface KeyToDelete {
  readonly id: string;
  /** What messages call it: its name, or its id if the name is secret. */
  readonly name: string;
  /** The alias of the key that replaces it: until that matches the program, this one may be in use. */
  readonly alias?: string;
}

export interface OwnedKeys {
  /** By alias; those of a rotating key are "current" and "previous". */
  readonly byAlias: ReadonlyMap<string, OwnedKey>;
  /** Keys without an alias, which the service still has. */
  readonly toDelete: readonly KeyToDelete[];
}

export const noKeys: OwnedKeys = { byAlias: new Map(), toDelete: [] };

export function asOwnedKey(workspaceId: unknown, { id, name }: KeyToDelete): OwnedKey {
  return { id, state: { workspaceId, name } as KeyState };
}

/** Reads them from state. `isUnnamed`: their names are secret. */
export function toDeleteIn(listed: readonly unknown[] = [], isUnnamed = false): readonly KeyToDelete[] {
  return listed.filter(isRecord).map(({ id, name, alias }) => ({
    id: String(id),
    name: String(isUnnamed ? id : name),
    ...(typeof alias === "string" ? { alias } : {}),
  }));
}
