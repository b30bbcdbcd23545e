import type { AnyComparison, AnyDefinition, Outcome, Session } from "./definition";
import { Failure, sentences } from "./errors";
import type { Run } from "./run";
import type { Properties } from "./state";
import { isKeepable } from "./stateSize";

/** What becomes of what a write made that no state will hold: nobody waits for its result, or it is too large. */

/** Creates; where the run has ended meanwhile, nothing is left behind that nobody is told of. */
export async function create(
  definition: AnyDefinition,
  run: Run,
  session: Session,
  inputs: Properties,
): Promise<Outcome> {
  let made: Outcome;
  try {
    made = await definition.create(session, inputs);
  } catch (error) {
    // Nobody hears of the failure either.
    if (error instanceof Failure && error.unresolved && (await run.over()) !== undefined) {
      for (const line of [error.headline, ...error.lines]) session.warn(line);
    }
    throw error;
  }
  const why = (await run.over()) ?? tooLarge(definition, made);
  if (why === undefined) return made;
  throw unsaved(session, why, made, (await definition.rollbackCreate?.(session, made)) ?? []);
}

/** Updates; as for create, if the resource makes anything by an update. */
export async function update(
  definition: AnyDefinition,
  run: Run,
  session: Session,
  compared: AnyComparison,
): Promise<Outcome> {
  const made = await definition.update(session, compared);
  const why = definition.rollbackUpdate && ((await run.over()) ?? tooLarge(definition, made));
  if (why === undefined) return made;
  throw unsaved(session, why, made, (await definition.rollbackUpdate?.(session, made, compared.state)) ?? []);
}

/** What the service answers may be longer than check could know. */
function tooLarge({ rollbackUpdate }: AnyDefinition, { failure, state }: Outcome): string | undefined {
  if (rollbackUpdate === undefined || failure === undefined || isKeepable(state)) return undefined;
  return "it is more than the engine can keep of a write that fails halfway";
}

/** Tells what exists in the service and is in no state. */
function unsaved(
  session: Session,
  why: string,
  { unresolved = [], lines = [] }: Outcome,
  left: readonly string[],
): Failure {
  const remains = [...unresolved, ...left];
  for (const line of remains) session.warn(line);
  const [only, ...others] = remains;
  const some = others.length === 0 ? only : `See the ${remains.length} warnings for what was left behind`;
  return new Failure(
    sentences(
      `The result could not be saved to state because ${why}`,
      some,
      "Run `pulumi up` again; if the engine then reports a pending operation, `pulumi refresh --clear-pending-creates` removes it",
    ),
    { lines },
  );
}
