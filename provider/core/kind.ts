import { type Configured, configuration } from "./config";
import { openDeclarations } from "./declarations";
import type { AnyDefinition } from "./definition";
import type { Failure } from "./errors";
import { openRegistry } from "./registry";
import { type SecretPaths, secretPathsOf } from "./secretPaths";
import type { HostContext, Shared } from "./session";
import type { Properties } from "./state";

/** A kind of resource in a process: what all its operations need, and what they remember for each other. */
export interface Kind extends Shared {
  readonly definition: AnyDefinition;
  readonly host: HostContext;
  readonly paths: SecretPaths;
  readonly configured: () => Configured;
  /** The configured service, then those that it has moved from; none if the configuration is wrong. */
  readonly services: () => readonly string[];
  readonly now: () => number;
  /** Ids that a refresh has read: the diff that follows compares the former inputs, not those of the program. */
  readonly refreshed: Set<string>;
  /** The inputs that state has for what is read before each update, by URN. */
  readonly inState: Map<string, Properties>;
  /** The keys and resources that were warned about: the engine may ask for a diff more than once. */
  readonly warned: Set<string>;
  /** Creates and updates that failed and left a new object, or may have. */
  readonly halfway: HalfwayWrite[];
}

interface HalfwayWrite {
  /** What the engine asked for: the same for each attempt. */
  readonly asked: readonly unknown[];
  readonly failure: Failure;
}

export function openShared(): Shared {
  return { registry: openRegistry(), declarations: openDeclarations() };
}

export function openKind(definition: AnyDefinition, host: HostContext): Kind {
  const configured = () => configuration(host.settings, host.env);
  return {
    ...(host.shared?.(definition.of ?? definition.kind) ?? openShared()),
    definition,
    host,
    paths: secretPathsOf(definition),
    configured,
    services: () => {
      const found = configured();
      return "ready" in found ? found.ready.services : [];
    },
    now: () => host.now?.() ?? Date.now(),
    refreshed: new Set(),
    inState: new Map(),
    warned: new Set(),
    halfway: [],
  };
}
