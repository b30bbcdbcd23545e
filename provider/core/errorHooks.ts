import { isDeepStrictEqual } from "node:util";
import type { KindContext } from "./context";
import type { AnyDefinition } from "./definition";
import { Failure } from "./errors";
import type { Kept } from "./state";

/**
 * A program's `onError` hook can have the engine repeat a create or update that failed. The engine has then saved nothing
 * of what the first attempt created or learned, so only this process knows of it (R4).
 */

/** The failure of the first attempt, if this is a repetition that has to know of it. */
export function failureBefore(
  { failedWrites }: KindContext,
  request: readonly unknown[],
): Failure | undefined {
  return failedWrites.findLast((one) => isDeepStrictEqual(one.request, request))?.failure;
}

/**
 * Awaits a write. Remembers a failure that left something new which a repetition would not know of, or that may have left
 * an object which it would not find.
 */
export async function remembering<T>(
  { definition, failedWrites }: KindContext,
  request: readonly unknown[],
  write: Promise<T>,
  before?: Kept,
): Promise<T> {
  try {
    return await write;
  } catch (failure) {
    if (failure instanceof Failure) {
      const { kept, unresolved } = failure;
      const known = new Set(before && namesOf(definition, before));
      const isNew =
        kept && (before === undefined || namesOf(definition, kept).some((name) => !known.has(name)));
      if (isNew || (unresolved && definition.rollbackCreate)) failedWrites.push({ request, failure });
    }
    throw failure;
  }
}

const mostInALine = 50;

/** Warnings that name what the first attempt at a create left in the service. */
export function createdByFirstAttempt({ definition }: KindContext, first: Failure): readonly string[] {
  const ids = first.kept === undefined ? [] : idsOf(definition, first.kept);
  return Array.from({ length: Math.ceil(ids.length / mostInALine) }, (_, nth) => {
    const some = ids.slice(nth * mostInALine, (nth + 1) * mostInALine).join(", ");
    return `If an onError hook repeats this create, delete what the failed attempt left in the service, because it is not in state: ${some}.`;
  });
}

function namesOf(definition: AnyDefinition, kept: Kept): readonly string[] {
  return [...idsOf(definition, kept), ...(definition.onlyInState?.(definition.parse(kept.state)) ?? [])];
}

function idsOf(definition: AnyDefinition, { id, state }: Kept): readonly string[] {
  return Array.from(definition.managed(id, definition.parse(state)), (one) => one.id);
}
