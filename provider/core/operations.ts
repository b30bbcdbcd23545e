import { isDeepStrictEqual } from "node:util";
import type { AnyDefinition, Outcome, Session } from "./definition";
import { compare } from "./diff";
import { Failure, inBounds, type Kept, oneLine, reworded } from "./errors";
import { complete, expectFound, lastService, serviceAfterRead, writtenElsewhere } from "./hiddenState";
import { canonical, inputsOf, withoutDefaults } from "./inputs";
import type { Kind } from "./kind";
import { forget, register } from "./objects";
import { withNewSecrets } from "./previews";
import * as rollback from "./rollback";
import { secretsOf, secretValues, textsIn, valuesAt, withSecrets } from "./secrecy";
import { openSession } from "./session";
import { defined, failedKey, type Properties, readingKey, serviceKey, wireable } from "./state";

/** The operations that call the service. They throw a Failure and nothing else. */

export interface ReadResult extends Kept {
  /** Absent where nothing has changed: then those that the engine has are right, and it keeps them. */
  readonly inputs?: Properties;
}

export async function create(kind: Kind, inputs: Properties, urn?: string): Promise<Kept> {
  const { definition, host } = kind;
  const asked = [urn, inputs];
  const again = failedBefore(kind, asked);
  // Without a URN, another resource may have the same inputs, and must not get the first one's object.
  const isSure = () => urn !== undefined || [...(definition.identities?.(inputs) ?? [])].length > 0;
  if (again !== undefined && (again.kept === undefined || isSure())) throw again;
  const creating = operate(kind, [inputs], async (session) => {
    for (const line of leftBehind(kind, again?.kept)) session.warn(line);
    const declared = canonical(definition, inputs);
    return withService(kind, await rollback.create(definition, host.run, session, declared));
  });
  return noted(kind, asked, creating);
}

/** An error hook of the program asks for another attempt: the engine has kept nothing of what the first one created. */
function failedBefore({ halfway }: Kind, asked: readonly unknown[]): Failure | undefined {
  return halfway.findLast((one) => isDeepStrictEqual(one.asked, asked))?.failure;
}

/** Notes a failure that left a new object, or may have left one that another attempt would not find. */
async function noted<T>(
  { definition, halfway }: Kind,
  asked: readonly unknown[],
  write: Promise<T>,
  before?: Kept,
): Promise<T> {
  try {
    return await write;
  } catch (failure) {
    if (failure instanceof Failure) {
      const { kept, unresolved } = failure;
      const known = new Set(before && idsOf(definition, before));
      const isNew = kept && (before === undefined || idsOf(definition, kept).some((id) => !known.has(id)));
      if (isNew || (unresolved && definition.rollbackCreate)) halfway.push({ asked, failure });
    }
    throw failure;
  }
}

function idsOf(definition: AnyDefinition, { id, state }: Kept): readonly string[] {
  return Array.from(definition.managed(id, definition.parse(state)), (one) => one.id);
}

const mostInALine = 50;

/** What a failed attempt left: the engine keeps nothing of it if an error hook asks for another. */
function leftBehind({ definition }: Kind, first: Kept | undefined): readonly string[] {
  const ids = first === undefined ? [] : idsOf(definition, first);
  return Array.from({ length: Math.ceil(ids.length / mostInALine) }, (_, nth) => {
    const some = ids.slice(nth * mostInALine, (nth + 1) * mostInALine).join(", ");
    return `If an onError hook repeats this create, delete what the failed attempt left in the service, because it is not in state: ${some}.`;
  });
}

export async function read(
  kind: Kind,
  { id, state: given }: Kept,
  urn?: string,
): Promise<ReadResult | undefined> {
  const { definition, inState, refreshed, services } = kind;
  if (given[readingKey] === true) {
    const found = await find(kind, { id, given, isReading: true });
    // Its inputs are what the program gave to find it.
    return found && { id: found.id, state: found.state };
  }
  return operate(kind, [given], async (session) => {
    const before = { id, state: definition.parse(given) };
    register(kind, before);
    if (definition.isReadFirst && urn !== undefined) inState.set(urn, inputsOf(definition, before.state));
    const outcome = await definition.read(session, id, before.state);
    if (writtenElsewhere(given, services())) expectFound(definition, before, outcome, session.baseUrlSource);
    forget(kind, before, outcome);
    if (outcome === undefined) return undefined;
    if (outcome.notFound !== undefined) session.warn(outcome.notFound);
    const [service, last] = [serviceAfterRead(given, services()), lastService(given)];
    refreshed.add(outcome.id);
    const unchanged = { id: outcome.id, state: given };
    const isWhole = !(failedKey in given);
    // Most are the very same.
    if (isWhole && outcome.state === before.state && service === last) return unchanged;
    const found = complete(outcome, service);
    const same = wireable({ ...before.state, [serviceKey]: last });
    if (isWhole && isDeepStrictEqual(found.state, same)) return unchanged;
    const inputs = withSecrets(inputsOf(definition, found.state), secretsOf(found.state));
    return { ...found, inputs: defined(inputs) };
  });
}

/** An object by the id that a user gave; `given` has their other properties or, of one that is read again, the state. */
export interface Wanted {
  readonly id: string;
  readonly given: Properties;
  /** Whether it is only read, and not managed. */
  readonly isReading: boolean;
  readonly name?: string | undefined;
}

/** The inputs that it gives are what a program would declare: nothing that a default stands for. */
export function find(kind: Kind, { id, given, isReading, name }: Wanted): Promise<ReadResult | undefined> {
  const { definition } = kind;
  return operate(kind, [given], async (session) => {
    const parts = partsOf(kind, id, given);
    const outcome = await definition.importing.read(session, parts, isReading);
    if (outcome === undefined) {
      // For others the engine says so, and `pulumi do upsert` creates it.
      if (given[readingKey] === true) throw missing(kind, parts);
      return undefined;
    }
    const more = isReading ? { [readingKey]: true } : inputsOf(definition, outcome.state);
    const state = withSecrets({ ...more, ...outcome.state }, secretsOf(given));
    const found = withService(kind, { ...outcome, state });
    register(kind, found);
    const inputs = withoutDefaults(definition, inputsOf(definition, state), name);
    return { ...found, inputs: defined(withSecrets(inputs, secretsOf(given))) };
  });
}

export async function update(kind: Kind, given: Kept, news: Properties): Promise<Properties> {
  const { definition, host } = kind;
  const asked = [given, news];
  const again = failedBefore(kind, asked);
  if (again !== undefined) throw again;
  const updating = operate(kind, [news, given.state], async (session) => {
    const compared = compare(kind, given, news);
    register(kind, compared);
    const same = withNewSecrets(definition, given.state, news, compared);
    if (same !== undefined) return same;
    await expectThere(kind, session, given.state, compared);
    return withService(kind, await rollback.update(definition, host.run, session, compared)).state;
  });
  return noted(kind, asked, updating, given);
}

export function remove(kind: Kind, { id, state: given }: Kept): Promise<void> {
  const { declarations, definition } = kind;
  return operate(kind, [given], async (session) => {
    const before = { id, state: definition.parse(given) };
    register(kind, before);
    if (definition.onDestroy === "delete") await expectThere(kind, session, given, before);
    const identities = [...(definition.identities?.(inputsOf(definition, before.state)) ?? [])];
    await definition.delete(session, id, before.state, identities.some(declarations.has));
    forget(kind, before);
  });
}

/** No secret of these properties is in what an operation says. */
function operate<T>(
  kind: Kind,
  all: readonly Properties[],
  act: (session: Session) => Promise<T>,
): Promise<T> {
  const { definition, host, paths } = kind;
  return host.run.during(async (onInterrupt) => {
    const session = openSession(kind, onInterrupt);
    for (const one of all) session.hide(...paths.secrets.flatMap((path) => textsIn(valuesAt(one, path))));
    session.conceal(...secretValues(all, definition.follows));
    try {
      return await act(session);
    } catch (error) {
      throw error instanceof Failure ? reworded(error, (line) => inBounds(session.masked(line))) : error;
    }
  });
}

/** After a change of the base URL, the object must exist at the new one before it is written. */
async function expectThere(
  { definition, services }: Kind,
  session: Session,
  given: Properties,
  before: Kept,
): Promise<void> {
  if (!writtenElsewhere(given, services())) return;
  const now = await definition.read(session, before.id, before.state);
  expectFound(definition, before, now, session.baseUrlSource);
}

function withService({ services }: Kind, outcome: Outcome): Kept {
  return complete(outcome, services()[0]);
}

function missing({ definition: { kind } }: Kind, [workspaceId, id]: readonly string[]): Failure {
  return new Failure(`There is no ${kind} ${id} in workspace ${workspaceId}: check both ids.`);
}

/** The parts of an id that a user gives; `.get` and state give the workspace apart. */
function partsOf(
  { definition: { kind, importing } }: Kind,
  id: string,
  { workspaceId }: Properties,
): readonly string[] {
  const isOfWorkspace = importing.form.includes("/");
  if (isOfWorkspace && typeof workspaceId === "string") return [workspaceId, id];
  const [, workspace = "", object = ""] = /^([^/]+)\/(.+)$/s.exec(id) ?? [];
  if (isOfWorkspace && object !== "") return [workspace.replaceAll("%2F", "/"), object];
  if (!isOfWorkspace && id !== "") return [id];
  throw new Failure(
    `${kind}: the id ${JSON.stringify(oneLine(id))} does not have the form ${importing.form}.`,
  );
}
