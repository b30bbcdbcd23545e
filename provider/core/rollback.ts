import type { Definition, Outcome, Session } from "./definition";
import { Failure, type Kept, sentences } from "./errors";
import { withFailure } from "./hiddenState";
import type { Run } from "./run";
import type { Properties } from "./state";
import { isKeepable } from "./stateSize";

/** What becomes of what a write made where state can't hold it. */

/** Creates; where the result can't be taken, the run being over for example, nothing is left that nobody is told of. */
export async function create(
  definition: Definition,
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
  const unkept = (await ended(run)) ?? tooLarge(definition, made);
  if (unkept === undefined) return made;
  throw unheld(session, unkept, made, (await definition.abandon?.(session, made)) ?? []);
}

/** Updates; as for create, if the resource makes anything by an update. */
export async function update(
  definition: Definition,
  run: Run,
  session: Session,
  { id, state }: Kept,
  inputs: Properties,
): Promise<Outcome> {
  const made = await definition.update(session, id, state, inputs);
  const unkept = definition.withdraw && ((await ended(run)) ?? tooLarge(definition, made));
  if (unkept === undefined) return made;
  throw unheld(session, unkept, made, (await definition.withdraw?.(session, made, state)) ?? []);
}

/** Why state can't hold what an operation made. */
interface Unkept {
  readonly why: string;
  readonly next: string;
  /** Why the operation failed for several things, if it did. */
  readonly lines?: readonly string[] | undefined;
}

async function ended(run: Run): Promise<Unkept | undefined> {
  const why = await run.over();
  const next =
    "Run up again; if the engine then speaks of a pending operation, `pulumi refresh --clear-pending-creates` removes it.";
  return why === undefined ? undefined : { why, next };
}

/** A service's own values may be longer than check could know. */
function tooLarge({ withdraw }: Definition, { failure, state, lines }: Outcome): Unkept | undefined {
  if (withdraw === undefined || failure === undefined || isKeepable(withFailure(state))) return undefined;
  const why = "it is more than the engine can keep of what fails halfway";
  const next = "Run up again when the cause is mended, or split it into several resources.";
  return { why, next, lines };
}

/** Tells what stands in the service and in no state. */
function unheld(
  session: Session,
  { why, next, lines = [] }: Unkept,
  { unresolved = [] }: Outcome,
  left: readonly string[],
): Failure {
  const remains = [...unresolved, ...left];
  for (const line of remains) session.warn(line);
  const [only, ...others] = remains;
  const some = others.length === 0 ? only : `${remains.length} warnings say what remains`;
  return new Failure(sentences(`State can't hold what was made, since ${why}`, some, next), { lines });
}
