import { type Configured, openConfiguration } from "./config";
import { openDeclarations } from "./declarations";
import type { AnyDefinition } from "./definition";
import { openRegistry } from "./registry";
import { type SecretPaths, secretPathsOf } from "./secretPaths";
import type { HostContext, Shared } from "./session";

/** A kind of resource in a process: what all its operations work with, and what they note for one another. */
export interface Kind extends Shared {
  readonly definition: AnyDefinition;
  readonly host: HostContext;
  readonly paths: SecretPaths;
  readonly configured: () => Configured;
  /** The service of now, and those that it has moved from; none where the configuration is bad. */
  readonly services: () => readonly string[];
  readonly now: () => number;
  /** What was read, by id: the diff that follows compares it with the inputs of before, which no program declares. */
  readonly refreshed: Set<string>;
  /** The keys, and the resources, that users were warned of: the engine may ask for a diff more than once. */
  readonly warned: Set<string>;
  /** The objects that inputs newly name as existing although their resource has them, as its diff showed. */
  readonly ownNamed: Set<string>;
}

export function openKind(definition: AnyDefinition, host: HostContext): Kind {
  const configurationOf = openConfiguration();
  const configured = () => configurationOf(host.settings, host.env);
  const shared = host.shared?.(definition.of ?? definition.kind);
  return {
    ...(shared ?? { registry: openRegistry(), declarations: openDeclarations() }),
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
    warned: new Set(),
    ownNamed: new Set(),
  };
}
