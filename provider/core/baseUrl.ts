import type { AnyDefinition, Outcome } from "./definition";
import { Failure } from "./errors";
import { type Kept, type Properties, serviceKey } from "./state";
import { listed } from "./text";

/**
 * At another base URL than that of its last write, an object that can't be found may exist all the same (R6). State has a
 * hash of that base URL; `services` are those of the configured one and, if the service has moved, of the former one.
 */

/** The service of the last write; `undefined` if state has none. */
export function lastService(state: Properties): string | undefined {
  const last = state[serviceKey];
  return typeof last === "string" ? last : undefined;
}

/** The service that state has after a read: another one only if the service has moved. */
export function serviceAfterRead(state: Properties, services: readonly string[]): string | undefined {
  const [now, ...former] = services;
  const last = lastService(state);
  return last === undefined || former.includes(last) ? now : last;
}

/** Whether the last write certainly went to none of these services. */
export function writtenElsewhere(state: Properties, services: readonly string[]): boolean {
  const last = lastService(state);
  return last !== undefined && services.length > 0 && !services.includes(last);
}

/**
 * Throws if a read at another base URL does not find all that state has. A key of a set that is still to be deleted counts
 * as not found.
 */
export function expectFound(
  { kind, objectKind, managed }: AnyDefinition,
  before: Kept,
  now: Outcome | undefined,
  baseUrlSource: string,
): void {
  const seen = now?.notFound === undefined ? now : undefined;
  // What was found is the one object, even if its id differs.
  if (objectKind === undefined && seen !== undefined) return;
  const kept = seen === undefined ? [] : [...managed(seen.id, seen.state)];
  const found = new Set(kept.filter(({ claim }) => claim !== undefined).map(({ id }) => id));
  const missing = [...managed(before.id, before.state)].map(({ id }) => id).filter((id) => !found.has(id));
  if (missing.length === 0) return;
  const them = missing.length === 1 ? "it" : "they";
  throw new Failure(
    `${kind}: ${listed(missing, 5)} can't be found at the base URL configured now (${baseUrlSource}). At the base URL of the last update, ${them} may still exist. State is unchanged. Correct the base URL; or, if the service has moved, run \`pulumi refresh --run-program\` once with APIKEYS_MOVED_FROM set to its former base URL, which treats what it can't find as deleted.`,
  );
}
