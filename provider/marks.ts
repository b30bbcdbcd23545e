import type { Definition, Outcome } from "./definition";
import { Failure, type Kept } from "./errors";
import { failedKey, type Properties, readingKey, serviceKey, wireable } from "./state";

/** What stands in the state of any resource beside what its definition keeps there. */

export interface Complete {
  readonly id: string;
  readonly state: Record<string, unknown>;
}

/** What the engine is to keep, with the service that it was written to. Throws where the operation failed halfway. */
export function complete({ id, state, failure, lines = [] }: Outcome, service: string | undefined): Complete {
  const written = state[readingKey] === undefined ? service : undefined;
  const kept = { id, state: wireable({ ...state, [serviceKey]: written }) } satisfies Kept;
  if (failure === undefined) return kept;
  throw new Failure(failure, { kept: { id, state: marked(kept.state) }, lines });
}

/** State as a write leaves it that failed halfway. */
export function marked(state: Properties): Properties {
  return { ...state, [failedKey]: true };
}

/** Whether a write or a read of this package made it, which marks what failed: it may be imported otherwise. */
export function isStamped(state: Properties): boolean {
  return state[serviceKey] !== undefined;
}

/** The state without the mark of a write that failed halfway; the same object where there is none. */
export function withoutMark(state: Properties): Properties {
  if (!(failedKey in state)) return state;
  const { [failedKey]: _, ...rest } = state;
  return rest;
}

/** Whether the last write went to another service than that of now. Of a state that does not say, nobody knows. */
export function isElsewhere(state: Properties, service: string | undefined): boolean {
  const last = state[serviceKey];
  return last !== undefined && service !== undefined && last !== service;
}

/** How many ids are named. */
const named = 5;

/**
 * Throws where a read does not find all that state holds, which was last written at another base URL: it may live there
 * (R6).
 */
export function expectFound({ kind, members }: Definition, before: Kept, now: Outcome | undefined): void {
  const idsOf = ({ id, state }: Kept) =>
    members === undefined ? [before.id] : Array.from(members.held(state, id), (held) => held.id);
  const found = new Set(now === undefined ? [] : idsOf(now));
  const missing = idsOf(before).filter((id) => !found.has(id));
  if (missing.length === 0) return;
  const others = missing.length > named ? ` and ${(missing.length - named).toLocaleString("en")} more` : "";
  throw new Failure(
    `${kind}: the service does not have ${missing.slice(0, named).join(", ")}${others}, but this stack last wrote at another base URL, where that may live still. State is unchanged. Check where the base URL comes from: APIKEYS_BASE_URL goes before the stack's config. If the service itself has moved, and that is really gone, take the resource out of state with \`pulumi state delete\`.`,
  );
}
