import type { KindContext } from "./context";
import type { AnyComparison, Outcome, Session } from "./definition";
import { Failure } from "./errors";
import type { Properties } from "./state";
import { sentences } from "./text";

/** Rolls back new objects that can't be saved to state, because the run is over. */

/** Creates. If the result can't be saved, deletes the new object again, or names it. */
export async function createOrRollBack(
  { definition, host: { run } }: KindContext,
  session: Session,
  inputs: Properties,
): Promise<Outcome> {
  let outcome: Outcome;
  try {
    outcome = await definition.create(session, inputs);
  } catch (error) {
    // The engine doesn't show the failure any more.
    if (error instanceof Failure && error.unresolved && (await run.whyOver()) !== undefined) {
      for (const line of [error.headline, ...error.lines]) session.warn(line);
    }
    throw error;
  }
  const why = await run.whyOver();
  if (why === undefined) return outcome;
  throw unsaved(session, why, outcome, (await definition.rollbackCreate?.(session, outcome)) ?? []);
}

/** Updates. Does the same if an update can do what must be undone, or named. */
export async function updateOrRollBack(
  { definition, host: { run } }: KindContext,
  session: Session,
  compared: AnyComparison,
): Promise<Outcome> {
  const outcome = await definition.update(session, compared);
  const { rollbackUpdate } = definition;
  if (rollbackUpdate === undefined) return outcome;
  const why = await run.whyOver();
  if (why === undefined) return outcome;
  throw unsaved(session, why, outcome, await rollbackUpdate(session, outcome, compared.state));
}

/** The failure to save a result. Also warns of each object that exists outside state. */
function unsaved(
  session: Session,
  why: string,
  { unresolved = [], lines = [] }: Outcome,
  left: readonly string[],
): Failure {
  const warnings = [...unresolved, ...left];
  for (const line of warnings) session.warn(line);
  const [only, ...others] = warnings;
  const some = others.length === 0 ? only : `See the ${warnings.length} warnings for what was left behind`;
  return new Failure(
    sentences(
      `The result could not be saved to state because ${why}`,
      some,
      "Run `pulumi up` again; if the engine then reports a pending operation, `pulumi refresh --clear-pending-creates` removes it",
    ),
    { lines },
  );
}
