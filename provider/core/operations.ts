/** The operations of a kind of resource. Those that call the service throw a Failure and nothing else. */
import { isDeepStrictEqual } from "node:util";
import { check, isDeclared } from "./check";
import {
  canonical,
  compare,
  detailedDiff,
  diff,
  inputsOf,
  preview,
  stateIfOnlySecretsChange,
  withoutDefaults,
} from "./comparison";
import {
  expectSameBaseUrl,
  forget,
  type HostContext,
  type KindContext,
  lastService,
  openKindContext,
  openSession,
  register,
  sends,
  serviceAfterRead,
} from "./context";
import type { AnyComparison, AnyDefinition, Outcome, Session } from "./definition";
import { Failure, reworded } from "./errors";
import { secretsOf, secretValues, textsIn, valuesAt, withSecrets } from "./secrecy";
import { defined, externalKey, failedKey, type Kept, type Properties, serviceKey, wireable } from "./state";
import { inBounds, oneLine, partsOfImportId, sentences } from "./text";

export type Lifecycle = ReturnType<typeof lifecycle>;

export function lifecycle(definition: AnyDefinition, host: HostContext) {
  const context = openKindContext(definition, host);
  return {
    ...context.paths,
    refreshBeforeUpdate: definition.refreshBeforeUpdate === true,
    /** `name` and `urn`: of the resource in the program, if the host knows them. */
    check: (inputs: Properties, before: Properties | undefined, name?: string, urn?: string) =>
      check(context, inputs, before, name, urn),
    diff: (id: string, state: Properties, inputs: Properties) => diff(context, { id, state }, inputs),
    detailedDiff: (id: string, state: Properties, inputs: Properties) =>
      detailedDiff(context, { id, state }, inputs),
    isDeclared: (properties: Properties) => isDeclared(definition, properties),
    preview: (inputs: Properties, before?: Kept) => preview(context, inputs, before),
    create: (inputs: Properties) => create(context, inputs),
    read: (id: string, state: Properties, urn?: string) => read(context, { id, state }, urn),
    find: (wanted: Wanted) => find(context, wanted),
    update: (id: string, state: Properties, inputs: Properties) => update(context, { id, state }, inputs),
    delete: (id: string, state: Properties) => remove(context, { id, state }),
  };
}

// ---- Calling the service -------------------------------------------------------------------------------------------

export interface ReadResult extends Kept {
  /** Absent if nothing has changed: the engine then keeps the inputs that it has. */
  readonly inputs?: Properties;
}

async function create(context: KindContext, inputs: Properties): Promise<Kept> {
  const { definition } = context;
  return operate(context, [inputs], async (session) => {
    const declared = canonical(definition, inputs);
    return afterWrite(context, await createOrRollBack(context, session, declared));
  });
}

async function read(
  context: KindContext,
  { id, state: given }: Kept,
  urn?: string,
): Promise<ReadResult | undefined> {
  const { definition, inState, refreshed, services } = context;
  if (given[externalKey] === true) {
    const found = await find(context, { id, given, isGet: true });
    // Its inputs are what the program gave to find it.
    return found && { id: found.id, state: found.state };
  }
  return operate(context, [given], async (session) => {
    const before = { id, state: definition.parse(given) };
    register(context, before);
    if (definition.refreshBeforeUpdate && urn !== undefined)
      inState.set(urn, inputsOf(definition, before.state));
    // Such a read sends no request.
    if (!definition.refreshBeforeUpdate) expectSameBaseUrl(context, { id, state: given });
    const outcome = await definition.read(session, id, before.state);
    forget(context, before, outcome);
    if (outcome === undefined) return undefined;
    if (outcome.notFound !== undefined) session.warn(outcome.notFound);
    refreshed.add(outcome.id);
    const found = toKept(outcome, serviceAfterRead(given, services()));
    const last = wireable({ ...before.state, [serviceKey]: lastService(given) });
    if (isDeepStrictEqual(found.state, last)) return { id: found.id, state: given };
    const inputs = withSecrets(inputsOf(definition, found.state), secretsOf(found.state));
    return { ...found, inputs: defined(inputs) };
  });
}

/** An object that the user names by its id. */
export interface Wanted {
  readonly id: string;
  /** The other properties that the user gave; the state if the object is read again. */
  readonly given: Properties;
  /** Whether `get` asks: the object is read, and not managed. */
  readonly isGet: boolean;
  /** The resource's name in the program. */
  readonly name?: string | undefined;
}

/** For imports and `get`. The inputs of the result are what a program would declare, without defaults. */
function find(context: KindContext, { id, given, isGet, name }: Wanted): Promise<ReadResult | undefined> {
  const { definition } = context;
  return operate(context, [given], async (session) => {
    const { importing } = definition;
    if (importing === undefined) {
      throw new Failure(
        `${definition.kind}: can't be imported or read by an id. Declare an existing key by existingId, and an existing billing record by billingId.`,
      );
    }
    const parts = partsOf(definition.kind, importing.form, id, given);
    const outcome = await importing.read(session, parts, isGet);
    if (outcome === undefined) {
      // If an import finds nothing, the engine says so, and `pulumi do upsert` creates the object.
      if (given[externalKey] === true) throw missing(context, parts);
      return undefined;
    }
    const more = isGet ? { [externalKey]: true } : inputsOf(definition, outcome.state);
    const state = withSecrets({ ...more, ...outcome.state }, secretsOf(given));
    const found = afterWrite(context, { ...outcome, state });
    register(context, found);
    const inputs = withoutDefaults(definition, inputsOf(definition, state), name);
    return { ...found, inputs: defined(withSecrets(inputs, secretsOf(given))) };
  });
}

async function update(context: KindContext, given: Kept, news: Properties): Promise<Properties> {
  const { definition } = context;
  return operate(context, [news, given.state], async (session) => {
    const compared = compare(context, given, news);
    register(context, compared);
    const same = stateIfOnlySecretsChange(definition, given.state, news, compared);
    if (same !== undefined) return same;
    if (sends(definition, "update", compared.state)) expectSameBaseUrl(context, given);
    return afterWrite(context, await updateOrRollBack(context, session, compared)).state;
  });
}

function remove(context: KindContext, { id, state: given }: Kept): Promise<void> {
  const { declarations, definition } = context;
  return operate(context, [given], async (session) => {
    const before = { id, state: definition.parse(given) };
    register(context, before);
    if (sends(definition, "delete", before.state)) expectSameBaseUrl(context, { id, state: given });
    const identities = [...(definition.identities?.(inputsOf(definition, before.state)) ?? [])];
    await definition.delete(session, id, before.state, identities.some(declarations.has));
    forget(context, before);
  });
}

/** Runs an operation. Everything that it says is masked: it contains no secret of these properties. */
function operate<T>(
  context: KindContext,
  given: readonly Properties[],
  act: (session: Session) => Promise<T>,
): Promise<T> {
  const { definition, host, paths } = context;
  return host.run.during(async (onInterrupt) => {
    const session = openSession(context, onInterrupt);
    for (const one of given)
      session.maskEverywhere(...paths.secrets.flatMap((path) => textsIn(valuesAt(one, path))));
    session.maskInMessages(...secretValues(given, definition.follows));
    try {
      return await act(session);
    } catch (error) {
      throw error instanceof Failure ? reworded(error, (line) => inBounds(session.masked(line))) : error;
    }
  });
}

function afterWrite({ services }: KindContext, outcome: Outcome): Kept {
  return toKept(outcome, services()[0]);
}

/** What the engine is to save, with the service that it is of. Throws it as a Failure if the operation failed. */
function toKept(
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

function missing({ definition: { kind } }: KindContext, [workspaceId, id]: readonly string[]): Failure {
  return new Failure(`There is no ${kind} ${id} in workspace ${workspaceId}: check both ids.`);
}

/** Splits an id that a user gives. With `get`, and in state, the workspace is a property of its own. */
function partsOf(kind: string, form: string, id: string, { workspaceId }: Properties): readonly string[] {
  const isOfWorkspace = form.includes("/");
  if (isOfWorkspace && typeof workspaceId === "string") return [workspaceId, id];
  const parts = isOfWorkspace ? partsOfImportId(id) : id === "" ? undefined : [id];
  if (parts !== undefined) return parts;
  throw new Failure(`${kind}: the id ${JSON.stringify(oneLine(id))} does not have the form ${form}.`);
}

// ---- Rolling back --------------------------------------------------------------------------------------------------

/** Rolls back new objects that can't be saved to state, because the run is over. */

/** Creates. If the result can't be saved, deletes the new object again, or names it. */
async function createOrRollBack(
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
async function updateOrRollBack(
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
