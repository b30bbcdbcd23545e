import { isDeepStrictEqual } from "node:util";
import { expectSameBaseUrl, lastService, sends, serviceAfterRead } from "./baseUrl";
import { compare } from "./comparison";
import type { KindContext } from "./context";
import type { Outcome, Session } from "./definition";
import { Failure, reworded } from "./errors";
import { partsOfImportId } from "./importId";
import { canonical, inputsOf, withoutDefaults } from "./inputs";
import { forget, register } from "./objects";
import { createOrRollBack, updateOrRollBack } from "./rollback";
import { secretsOf, secretValues, textsIn, valuesAt, withSecrets } from "./secrecy";
import { stateIfOnlySecretsChange } from "./secretChanges";
import { openSession } from "./session";
import { defined, externalKey, failedKey, type Kept, type Properties, serviceKey, wireable } from "./state";
import { inBounds, oneLine } from "./text";

/** The operations that call the service. They throw a Failure and nothing else. */

export interface ReadResult extends Kept {
  /** Absent if nothing has changed: the engine then keeps the inputs that it has. */
  readonly inputs?: Properties;
}

export async function create(context: KindContext, inputs: Properties): Promise<Kept> {
  const { definition } = context;
  return operate(context, [inputs], async (session) => {
    const declared = canonical(definition, inputs);
    return afterWrite(context, await createOrRollBack(context, session, declared));
  });
}

export async function read(
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
export function find(
  context: KindContext,
  { id, given, isGet, name }: Wanted,
): Promise<ReadResult | undefined> {
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

export async function update(context: KindContext, given: Kept, news: Properties): Promise<Properties> {
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

export function remove(context: KindContext, { id, state: given }: Kept): Promise<void> {
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
