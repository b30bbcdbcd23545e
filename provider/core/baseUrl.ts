import type { KindContext } from "./context";
import type { AnyDefinition } from "./definition";
import { Failure } from "./errors";
import { type Kept, type Properties, serviceKey } from "./state";

/**
 * At another base URL, an id may belong to another object, or to none, while the resource's own still exists (R6). State has
 * a hash of the base URL of its last write.
 */

/** The service of the last write; `undefined` if state has none. */
export function lastService(state: Properties): string | undefined {
  const last = state[serviceKey];
  return typeof last === "string" ? last : undefined;
}

/** The service that state has after a read: another one only if the service has moved. */
export function serviceAfterRead(state: Properties, services: readonly string[]): string | undefined {
  const last = lastService(state);
  return last === undefined || services.includes(last) ? services[0] : last;
}

/** Whether an update or a delete sends requests. One that only changes state may run at any base URL. */
export function sends(definition: AnyDefinition, operation: "update" | "delete", state: Properties): boolean {
  return definition.sends?.(operation, state) ?? true;
}

/**
 * Throws if the last write went to another base URL than the one configured, or the former one of a service that has moved.
 * Passes while neither is known.
 */
export function expectSameBaseUrl(
  { definition: { kind }, host, services }: KindContext,
  { id, state }: Kept,
): void {
  const [last, known] = [lastService(state), services()];
  if (last === undefined || known.length === 0 || known.includes(last)) return;
  const configuration = host.configuration();
  const now = "problems" in configuration ? "" : ` (${configuration.baseUrlSource})`;
  throw new Failure(
    `${kind} ${id}: its last update was sent to another base URL than the one configured now${now}, where the same ids may belong to something else. Nothing was sent, and state is unchanged. Correct the base URL. If the service has moved, run \`pulumi refresh --run-program\` once with APIKEYS_MOVED_FROM set to its former base URL, which treats what it can't find as deleted. If it has two base URLs, set APIKEYS_MOVED_FROM to the other one.`,
  );
}
