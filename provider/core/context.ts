import type { Transport } from "../client/send";
import type { Configuration, Misconfiguration } from "./config";
import { type Declarations, openDeclarations } from "./declarations";
import type { AnyDefinition } from "./definition";
import { openRegistry, type Registry } from "./registry";
import type { Run } from "./run";
import { type SecretPaths, secretPathsOf } from "./secretPaths";
import type { Properties } from "./state";

/** What the lifecycle needs of its host. */
export interface HostContext {
  /** As of the last time that the engine configured the provider. */
  readonly configuration: () => Configuration | Misconfiguration;
  readonly transport: () => Transport;
  readonly run: Run;
  readonly warn: (message: string) => void;
  /** Shows a line of progress. Default: nobody sees it. */
  readonly tell?: (line: string) => void;
  /** Shows a line about what an update would do. Default: `tell`. */
  readonly note?: (line: string) => void;
  /** Waits that long, or until the run is over. */
  readonly pause: (ms: number) => Promise<void>;
  /** What the resources of this process know of each other, by the kind of their objects. */
  readonly shared: Map<string, Shared>;
  /** The time of this run, in ms since 1970. */
  readonly now: () => number;
  /** The current time, in ms since 1970. */
  readonly currentTime: () => number;
  /** How users of this host import an existing key, as an instruction: "import it with …". */
  readonly importKey?: string;
}

/** What the resources of a process know of each other, if their objects are of one kind. */
export interface Shared {
  readonly registry: Registry;
  readonly declarations: Declarations;
}

/** A kind of resource in a process: what each operation on one needs, and what one operation remembers for the next. */
export interface KindContext extends Shared {
  readonly definition: AnyDefinition;
  readonly host: HostContext;
  readonly paths: SecretPaths;
  /** As in the configuration; none if that is wrong. */
  readonly services: () => readonly string[];
  /** Ids that a refresh has read: the diff that follows compares the last update's inputs, not the program's. */
  readonly refreshed: Set<string>;
  /** By URN, the inputs in state of the resources that were read before this update (`refreshBeforeUpdate`). */
  readonly inState: Map<string, Properties>;
}

export function openKindContext(definition: AnyDefinition, host: HostContext): KindContext {
  const objectKind = definition.objectKind ?? definition.kind;
  const shared = host.shared.get(objectKind) ?? {
    registry: openRegistry(),
    declarations: openDeclarations(),
  };
  host.shared.set(objectKind, shared);
  return {
    ...shared,
    definition,
    host,
    paths: secretPathsOf(definition),
    services: () => {
      const found = host.configuration();
      return "problems" in found ? [] : found.services;
    },
    refreshed: new Set(),
    inState: new Map(),
  };
}
