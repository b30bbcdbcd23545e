/** The knowledge that the resources of a process share: the objects that exist, and what the program declares. */
import type { Failure } from "./errors";

// ---- Objects -------------------------------------------------------------------------------------------------------

/** An object of the service that a resource manages. */
export interface OwnedObject {
  readonly workspaceId: unknown;
  readonly id: string;
}

export type Registry = ReturnType<typeof openRegistry>;

/** The objects of one kind that this process knows, by workspace and id: the ids may be unique only in their workspace. */
export function openRegistry() {
  type State = "there" | "taken over" | "gone";
  const objects = new Map<string, State>();
  const stateOf = (workspaceId: unknown, id: string) => objects.get(objectIdentity(workspaceId, id));
  const seen = new Map<unknown, Set<string>>();
  const set = (state: State) => (workspaceId: unknown, id: string) => {
    objects.set(objectIdentity(workspaceId, id), state);
  };
  return {
    /** Adds an object that is in state, or that this process created. */
    add: (workspaceId: unknown, id: string) => {
      if (stateOf(workspaceId, id) !== "taken over") set("there")(workspaceId, id);
    },
    /** Adds one that was adopted, migrated or imported in this run, so that its former resource leaves it (K11). */
    takeOver: set("taken over"),
    isTakenOver: (workspaceId: unknown, id: string) => stateOf(workspaceId, id) === "taken over",
    has: (workspaceId: unknown, id: string) => (stateOf(workspaceId, id) ?? "gone") !== "gone",
    /** Records that the object no longer exists: the service may use its id again. */
    drop: set("gone"),
    isDropped: (workspaceId: unknown, id: string) => stateOf(workspaceId, id) === "gone",
    /** Records that a GET has shown the object. A new one doesn't count before that: lists may lag behind. */
    see: (workspaceId: unknown, id: string) =>
      void seen.set(workspaceId, (seen.get(workspaceId) ?? new Set()).add(id)),
    seenIn: (workspaceId: unknown): ReadonlySet<string> => seen.get(workspaceId) ?? new Set(),
    /** What has been said once. */
    told: new Set<string>(),
  };
}

/** The object's workspace and id, as the adopting resource declares them and as its owner has them in state. */
export function objectIdentity(workspaceId: unknown, id: string): string {
  return JSON.stringify([workspaceId, id]);
}

// ---- Declarations --------------------------------------------------------------------------------------------------

export type Declarations = ReturnType<typeof openDeclarations>;

/** Something that only one resource of a program may declare (R17). */
export interface Identity {
  readonly identity: string;
  /** The check failure if the resource `other` declares it too, or has such an object in state. */
  readonly twice: (other: string) => string;
  /** The check failure if the resource with this URN has it in state, and the engine does not compare the inputs with that. */
  readonly held?: (urn: string) => Failure;
}

interface Resource {
  readonly kind: string;
  readonly name: string;
}

/** How a key gets another resource. */
export const handOver =
  "To hand it over, release it first: remove its resource with the option retainOnDelete, or set release: true in its entry.";

/** Another resource that has an object in state, or has taken it over in this run, or only declares it. */
export interface Owner {
  /** In words: `the resource one`. */
  readonly who: string;
  readonly hasIt: boolean;
}

/** The identities that the program of this run declares, of one kind of object, and the objects that it has (R17, K11). */
export function openDeclarations() {
  const declared = new Map<string, Resource>();
  /** By the resources' diffs: those that the program still has, with what they have in state. */
  const held = new Map<string, Resource>();
  const isOther = (one: Resource | undefined, kind: string, name: string | undefined) =>
    one !== undefined && !(one.kind === kind && one.name === name);
  const another = (identity: string, kind: string, name: string) =>
    [declared.get(identity), held.get(identity)].find((one) => isOther(one, kind, name))?.name;
  return {
    /** Records a check. Returns how to find another resource that declares an identity, or has such an object in state. */
    add: (
      kind: string,
      name: string | undefined,
      identities: readonly string[],
      isNew: boolean,
    ): ((identity: string) => string | undefined) => {
      // Without its name, a resource that is checked twice looks like two resources.
      if (name === undefined) return () => undefined;
      for (const identity of identities) if (!declared.has(identity)) declared.set(identity, { kind, name });
      // The engine checks a resource without its former inputs before it replaces it, and then deletes what that has.
      if (isNew) for (const [identity, one] of held) if (!isOther(one, kind, name)) held.delete(identity);
      return (identity) => another(identity, kind, name);
    },
    /** Records that a resource of the program has an object in state. Returns the name of another that has or declares it. */
    hold: (kind: string, name: string | undefined, identity: string): string | undefined => {
      if (name === undefined) return undefined;
      if (!held.has(identity)) held.set(identity, { kind, name });
      return another(identity, kind, name);
    },
    /** The resource that has the object, or is to adopt it, when another one is deleted: `name`, if the host knows that. */
    ownerOf: (identity: string, kind: string, name: string | undefined): Owner | undefined => {
      const [adopter, holder] = [declared.get(identity), held.get(identity)];
      if (holder && isOther(holder, kind, name)) return { who: `the resource ${holder.name}`, hasIt: true };
      return adopter && { who: `the resource ${adopter.name}`, hasIt: false };
    },
  };
}
