import type { Definition, Member, Outcome } from "./definition";
import { Failure, type Kept } from "./errors";
import { failedKey, type Properties, readingKey, serviceKey, wireable } from "./state";

/** What stands in the state of any resource beside what its definition keeps there. */

export interface Complete {
  readonly id: string;
  readonly state: Record<string, unknown>;
}

/** What the engine is to keep, with the service that it was last written to. Throws where the operation failed halfway. */
export function complete({ id, state, failure, lines = [] }: Outcome, service: string | undefined): Complete {
  const written = state[readingKey] === undefined ? service : undefined;
  const kept = { id, state: wireable({ ...state, [serviceKey]: written }) } satisfies Kept;
  if (failure === undefined) return kept;
  throw new Failure(failure, { kept: { id, state: withFailure(kept.state) }, lines });
}

/** State as a write leaves it that failed halfway. */
export function withFailure(state: Properties): Properties {
  return { ...state, [failedKey]: true };
}

/** Which service the last write went to; `undefined` where state does not say. */
function lastPlace(state: Properties): string | undefined {
  const last = state[serviceKey];
  return typeof last === "string" ? last : undefined;
}

/**
 * What a read notes: where the service has moved, its new place; of another one, which may be a copy, it notes nothing.
 * `services` are that of now and those that it has moved from.
 */
export function placeAfterRead(state: Properties, services: readonly string[]): string | undefined {
  const [now, ...former] = services;
  const last = lastPlace(state);
  return last === undefined || former.includes(last) ? now : last;
}

/** The state without the mark of a write that failed halfway; the same object where there is none. */
export function withoutFailure(state: Properties): Properties {
  if (!(failedKey in state)) return state;
  const { [failedKey]: _, ...rest } = state;
  return rest;
}

/** Whether the last write went to none of these services. Of a state that does not say, nobody knows. */
export function isElsewhere(state: Properties, services: readonly string[]): boolean {
  const last = lastPlace(state);
  return last !== undefined && services.length > 0 && !services.includes(last);
}

/** How many ids are named. */
const named = 5;

/**
 * Throws where a read does not find all that state holds, which was last written at another base URL: it may live there
 * (R6). A key of a set that is still to be deleted counts as not found.
 */
export function expectFound({ kind, members }: Definition, before: Kept, now: Outcome | undefined): void {
  // One object is found by whatever id.
  if (members === undefined && now !== undefined) return;
  const held = ({ id, state }: Kept): readonly Member[] =>
    members === undefined ? [{ id, properties: state }] : [...members.held(state, id)];
  const found = new Set(
    now === undefined
      ? []
      : held(now)
          .filter(isLookedFor)
          .map(({ id }) => id),
  );
  const missing = held(before).flatMap(({ id }) => (found.has(id) ? [] : [id]));
  if (missing.length === 0) return;
  const others = missing.length > named ? ` and ${(missing.length - named).toLocaleString("en")} more` : "";
  throw new Failure(
    `${kind}: this stack last wrote at another base URL than that of now, where ${missing.slice(0, named).join(", ")}${others} can't be found: it may live at the former one. State is unchanged. Check where the base URL comes from: an environment variable goes before the stack's config. If the service has moved, set APIKEYS_MOVED_FROM to its former base URL: what can't be found then is gone.`,
  );
}

function isLookedFor({ holder }: Member): boolean {
  return holder !== undefined;
}
