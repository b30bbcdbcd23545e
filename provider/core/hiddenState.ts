import type { AnyDefinition, Outcome } from "./definition";
import { Failure, type Kept, listed } from "./errors";
import { failedKey, type Properties, serviceKey, wireable } from "./state";

/** What the state of any resource holds beside what its definition keeps there. */

/** What the engine is to keep, with the service that it is of. Throws where the operation failed halfway. */
export function complete(
  { id, state, failure, lines = [], unresolved = [] }: Outcome,
  service: string | undefined,
): Kept {
  const kept = wireable({ ...state, [serviceKey]: service, [failedKey]: undefined });
  if (failure === undefined) return { id, state: kept };
  throw new Failure(failure, {
    kept: { id, state: { ...kept, [failedKey]: true } },
    lines,
    unresolved: unresolved.length > 0,
  });
}

/** The service that the last write went to; `undefined` where state does not say. */
export function lastService(state: Properties): string | undefined {
  const last = state[serviceKey];
  return typeof last === "string" ? last : undefined;
}

/**
 * What a read notes: where the service has moved, its new place; of another one, which may be a copy, it notes nothing.
 * `services` are that of now and those that it has moved from.
 */
export function serviceAfterRead(state: Properties, services: readonly string[]): string | undefined {
  const [now, ...former] = services;
  const last = lastService(state);
  return last === undefined || former.includes(last) ? now : last;
}

/** Whether the last write went to none of these services. Of a state that does not say, nobody knows. */
export function writtenElsewhere(state: Properties, services: readonly string[]): boolean {
  const last = lastService(state);
  return last !== undefined && services.length > 0 && !services.includes(last);
}

/**
 * Throws where a read does not find all that state holds, which was last written at another base URL: it may be there
 * (R6). A key of a set that is still to be deleted counts as not found.
 */
export function expectFound(
  { kind, of, managed }: AnyDefinition,
  before: Kept,
  now: Outcome | undefined,
  baseUrlSource: string,
): void {
  const seen = now?.notFound === undefined ? now : undefined;
  // One object is found by whatever id.
  if (of === undefined && seen !== undefined) return;
  const kept = seen === undefined ? [] : [...managed(seen.id, seen.state)];
  const found = new Set(kept.filter(({ claim }) => claim !== undefined).map(({ id }) => id));
  const missing = [...managed(before.id, before.state)].map(({ id }) => id).filter((id) => !found.has(id));
  if (missing.length === 0) return;
  const them = missing.length === 1 ? "it" : "they";
  throw new Failure(
    `${kind}: ${listed(missing, 5)} can't be found at the base URL configured now (${baseUrlSource}). This stack was last updated at another base URL, where ${them} may still exist. State is unchanged. Correct the base URL. Or, if the service has moved, run \`pulumi refresh --run-program\` once with APIKEYS_MOVED_FROM set to its former base URL; resources that can't be found then count as deleted.`,
  );
}
