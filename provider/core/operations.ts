import { isDeepStrictEqual } from "node:util";
import type { Outcome, Session } from "./definition";
import { compare } from "./diff";
import { Failure, inBounds, type Kept, oneLine, reworded } from "./errors";
import {
  type Complete,
  complete,
  expectFound,
  lastService,
  serviceAfterRead,
  writtenElsewhere,
} from "./hiddenState";
import { inputsOf, toCreate, withoutDefaults } from "./inputs";
import type { Kind } from "./kind";
import { forget, register } from "./objects";
import { onlyMarked } from "./previews";
import * as rollback from "./rollback";
import { secretsOf, secretValues, textsIn, valuesAt, withSecrets } from "./secrecy";
import { openSession } from "./session";
import { defined, failedKey, type Properties, readingKey, serviceKey, wireable } from "./state";

/** The operations that call the service. They throw a Failure and nothing else. */

export interface ReadResult {
  readonly id: string;
  readonly state: Properties;
  /** Absent where nothing has changed: then those that the engine has are right, and it keeps them. */
  readonly inputs?: Record<string, unknown>;
}

export async function create(kind: Kind, inputs: Properties, urn?: string): Promise<Complete> {
  const { definition, halfway, host } = kind;
  const again = halfway.find((one) => one.urn === urn && isDeepStrictEqual(one.inputs, inputs));
  // An error hook of the program asks for another attempt, which would create a second object.
  if (again !== undefined) throw again.failure;
  try {
    return await operate(kind, [inputs], async (session) => {
      const declared = toCreate(definition, inputs);
      return stamped(kind, await rollback.create(definition, host.run, session, declared));
    });
  } catch (failure) {
    const isKept = failure instanceof Failure && failure.kept !== undefined;
    // Without a URN, another resource may have the same inputs.
    const isSure = urn !== undefined || [...(definition.identities?.(inputs) ?? [])].length > 0;
    if (isKept && isSure) halfway.push({ urn, inputs, failure });
    throw failure;
  }
}

export function read(kind: Kind, { id, state: given }: Kept): Promise<ReadResult | undefined> {
  const { definition, refreshed, services } = kind;
  return operate(kind, [given], async (session) => {
    const before = { id, state: definition.parse(given) };
    register(kind, before);
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
    return { ...found, inputs: { ...defined(inputs) } };
  });
}

/** An object to find by the id that a user gives; `given` has their other properties. */
export interface Wanted {
  readonly id: string;
  readonly given: Properties;
  /** Whether it is only read, and not managed. */
  readonly isReading: boolean;
  readonly name: string | undefined;
}

export function find(kind: Kind, { id, given, isReading, name }: Wanted): Promise<ReadResult | undefined> {
  const { definition } = kind;
  return operate(kind, [given], async (session) => {
    const reading = isReading ? ({ [readingKey]: true } as const) : {};
    const outcome = await definition.importing.read(session, partsOf(kind, id, given), reading);
    if (outcome === undefined) return undefined;
    const all = isReading ? outcome.state : { ...inputsOf(definition, outcome.state), ...outcome.state };
    const state = withSecrets(all, secretsOf(given));
    const found = stamped(kind, { ...outcome, state });
    register(kind, found);
    const inputs = withoutDefaults(definition, inputsOf(definition, state), name);
    return { ...found, inputs: { ...defined(withSecrets(inputs, secretsOf(given))) } };
  });
}

export function update(kind: Kind, given: Kept, news: Properties): Promise<Record<string, unknown>> {
  const { definition, host } = kind;
  return operate(kind, [news, given.state], async (session) => {
    const compared = compare(kind, given, news);
    register(kind, compared);
    const same = onlyMarked(definition, given.state, news, compared);
    if (same !== undefined) return { ...same };
    await expectThere(kind, session, given.state, compared);
    return stamped(kind, await rollback.update(definition, host.run, session, compared)).state;
  });
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

function stamped({ services }: Kind, outcome: Outcome): Complete {
  return complete(outcome, services()[0]);
}

/** The parts of an id that a user gives; the workspace may be given apart. */
function partsOf(
  { definition: { kind, importing } }: Kind,
  id: string,
  { workspaceId }: Properties,
): readonly string[] {
  const isOfWorkspace = importing.form.includes("/");
  const apart = isOfWorkspace && typeof workspaceId === "string" ? workspaceId : undefined;
  const given = apart === undefined || id.startsWith(`${apart}/`) ? id : `${apart}/${id}`;
  const at = apart?.length ?? given.indexOf("/");
  const parts = at < 0 ? [given] : [given.slice(0, at), given.slice(at + 1)];
  if (parts.length === (isOfWorkspace ? 2 : 1) && parts.every((part) => part !== "")) return parts;
  throw new Failure(
    `${kind}: the id ${JSON.stringify(oneLine(id))} does not have the form ${importing.form}.`,
  );
}
