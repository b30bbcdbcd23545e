/** The operations of a kind of resource. Those that call the service throw a Failure and nothing else. */
import { isDeepStrictEqual } from "node:util";
import type { AnyDefinition, Outcome, OwnerOf } from "../core/definition";
import { Failure } from "../core/errors";
import { objectIdentity } from "../core/registry";
import { openRun, within } from "../core/run";
import { secretsOf, withSecrets } from "../core/secrecy";
import {
  defined,
  externalKey,
  failedKey,
  type Kept,
  type Properties,
  serviceKey,
  wireable,
} from "../core/state";
import { capitalised, listed, nameIn, oneLine } from "../core/text";
import { check } from "./check";
import {
  checkToken,
  expectSameBaseUrl,
  forget,
  type HostContext,
  type KindContext,
  lastService,
  type OpenSession,
  openKindContext,
  openSession,
  register,
  serviceAfterRead,
} from "./context";
import { diff, planOf, preview } from "./planning";

export type Lifecycle = ReturnType<typeof lifecycle>;

export function lifecycle(definition: AnyDefinition, host: HostContext) {
  const context = openKindContext(definition, host);
  return {
    ...context.paths,
    readFirst: definition.objects?.readFirst === true,
    /** `name` and `urn`: of the resource in the program, if the host knows them. */
    check: check.bind(undefined, context),
    diff: (id: string, state: Properties, inputs: Properties, name?: string) =>
      diff(context, { id, state }, inputs, name),
    preview: (inputs: Properties, before?: Kept) => preview(context, inputs, before),
    checkToken: checkToken.bind(undefined, context),
    create: (inputs: Properties) => create(context, inputs),
    read: (id: string, state: Properties, urn?: string) => read(context, { id, state }, urn),
    find: (wanted: Wanted) => find(context, wanted),
    update: (id: string, state: Properties, inputs: Properties) => update(context, { id, state }, inputs),
    delete: (id: string, state: Properties, name?: string) => remove(context, { id, state }, name),
  };
}

// ---- Calling the service -------------------------------------------------------------------------------------------

export interface ReadResult extends Kept {
  /** Absent if nothing has changed: the engine then keeps the inputs that it has. */
  readonly inputs?: Properties;
}

async function create(context: KindContext, news: Properties): Promise<Kept> {
  const { definition } = context;
  const { inputs, plan } = planOf(context, news);
  return operate(
    context,
    [news],
    (session) => saved(context, session, inputs, definition.create(session, inputs, plan)),
    () => unsaved(definition, inputs, []),
  );
}

async function read(
  context: KindContext,
  { id, state: given }: Kept,
  urn?: string,
): Promise<ReadResult | undefined> {
  const { definition, host, inState, refreshed } = context;
  if (given[externalKey] === true) {
    const found = await find(context, { id, given, isGet: true });
    // Its inputs are what the program gave to find it.
    return found && { id: found.id, state: found.state };
  }
  const before = { id, state: definition.parse(given) };
  const found = await operate(context, [given], async (session) => {
    register(context, before);
    // Such a read sends no request.
    if (!definition.objects?.readFirst) expectSameBaseUrl(context, { id, state: given }, urn && nameIn(urn));
    else if (urn !== undefined) inState.set(urn, definition.inputsOf(before.state));
    const outcome = await definition.read(session, before);
    forget(context, before, outcome);
    return outcome && { ...outcome, service: serviceAfterRead(given, host.configuration().services) };
  });
  if (found === undefined) return undefined;
  refreshed.add(found.id);
  const last = wireable({ ...before.state, [serviceKey]: lastService(given) });
  if (isDeepStrictEqual(found.state, last)) return { id: found.id, state: given };
  return { ...found, inputs: defined(definition.inputsOf(found.state)) };
}

/** An object that the user names by its id. */
export interface Wanted {
  readonly id: string;
  /** The other properties that the user gave; the state if the object is read again. */
  readonly given: Properties;
  /** Whether `get` asks: the object is read, and not managed. */
  readonly isGet: boolean;
}

/** For imports and `get`. The inputs of the result are what a program would declare. */
async function find(context: KindContext, { id, given, isGet }: Wanted): Promise<ReadResult | undefined> {
  const { definition } = context;
  const found = await operate(context, [given], async (session) => {
    const { importing } = definition;
    if (importing === undefined) {
      const reason = `${definition.kind}: can't be imported or read by an id. Declare an existing key by existingId, and an existing billing record by billingId.`;
      throw new Failure("unsupported", reason);
    }
    const parts = partsOf(definition.kind, importing.form, id, given);
    const outcome = await importing.read(session, parts);
    if (outcome === undefined) {
      // If an import finds nothing, the engine says so, and `pulumi do upsert` creates the object.
      if (given[externalKey] === true) {
        const [workspaceId, object] = parts;
        const reason = `There is no ${definition.kind} ${object} in workspace ${workspaceId}: check both ids.`;
        throw new Failure("notFound", reason);
      }
      return undefined;
    }
    const all = { ...definition.inputsOf(outcome.state), ...outcome.state };
    const state = isGet ? { ...all, [externalKey]: true } : all;
    return { ...outcome, state: withSecrets(state, secretsOf(given)) };
  });
  if (found === undefined) return undefined;
  register(context, found);
  if (!isGet) context.imported.add(found.id);
  return { ...found, inputs: defined(definition.inputsOf(found.state)) };
}

async function update(context: KindContext, given: Kept, news: Properties): Promise<Properties> {
  const { definition } = context;
  const updated = await operate(context, [news, given.state], async (session) => {
    const { id, state, inputs, plan, sameObject } = planOf(context, news, given);
    const before = { id, state };
    register(context, before);
    if (sameObject !== undefined) return { id, state: sameObject, service: lastService(given.state) };
    expectSameBaseUrl(context, given);
    if (plan.refusal !== undefined) throw plan.refusal;
    return definition.update(session, before, inputs, plan);
  });
  return updated.state;
}

async function remove(context: KindContext, { id, state: given }: Kept, name?: string): Promise<void> {
  const { definition } = context;
  await operate(context, [given], async (session) => {
    const before = { id, state: definition.parse(given) };
    if (!definition.objects?.stay?.(before.state)) expectSameBaseUrl(context, { id, state: given }, name);
    await definition.delete(session, before, ownersIn(context, name));
    return undefined;
  });
}

/** `name`: of the resource that is deleted, if the host knows it. */
function ownersIn({ declarations, definition, registry }: KindContext, name?: string): OwnerOf {
  return (workspaceId, id) => {
    const owner = declarations.ownerOf(objectIdentity(workspaceId, id), definition.kind, name);
    const isTakenOver = registry.isTakenOver(workspaceId, id);
    return isTakenOver ? { who: "another resource of this stack", ...owner, hasIt: true } : owner;
  };
}

/**
 * Runs an operation, and is its one exit. Nothing that it says or throws contains a secret of these properties. What the
 * engine is to save has the service that it is of: the configured one, unless `service` is another. If the operation
 * failed, the Failure has that.
 */
function operate<T extends (Outcome & { readonly service?: string | undefined }) | undefined>(
  context: KindContext,
  given: readonly Properties[],
  act: (session: OpenSession) => Promise<T>,
  line?: () => string | undefined,
): Promise<Kept | Extract<T, undefined>> {
  const { configuration, run, seconds } = context.host;
  const session = openSession(context, given, within(seconds?.(), run));
  const finished = async () => {
    const outcome = await act(session);
    if (outcome === undefined) return outcome as Extract<T, undefined>;
    const { id, failure, service = configuration().services[0] } = outcome;
    const state = wireable({ ...outcome.state, [serviceKey]: service, [failedKey]: undefined });
    if (failure === undefined) return { id, state };
    const kept = { id, state: { ...state, [failedKey]: true } };
    throw new Failure(failure.kind, failure.parts, failure.options, kept);
  };
  const ifEnded = () => {
    const text = line?.();
    return text && session.masked(text);
  };
  return run.during(() => session.guard(finished), ifEnded);
}

/** Splits an id that a user gives. With `get`, and in state, the workspace is a property of its own. */
function partsOf(kind: string, form: string, id: string, { workspaceId }: Properties): readonly string[] {
  const isOfWorkspace = form.includes("/");
  if (isOfWorkspace && typeof workspaceId === "string") return [workspaceId, id];
  if (!isOfWorkspace && id !== "") return [id];
  const [, encoded = "", object = ""] = /^([^/]+)\/(.+)$/s.exec(id) ?? [];
  if (isOfWorkspace && object !== "") return [encoded.replaceAll("%2F", "/"), object];
  const reason = `${kind}: the id ${JSON.stringify(oneLine(id))} does not have the form ${form}.`;
  throw new Failure("wrongInput", reason);
}

// ---- After the end of the run --------------------------------------------------------------------------------------

/** Undoes a create whose result nobody takes, and names what it leaves (R20). What an update leaves, the next one names (K6). */
async function saved(
  context: KindContext,
  session: OpenSession,
  inputs: Properties,
  creating: Promise<Outcome>,
): Promise<Outcome> {
  const { definition, host, registry } = context;
  const { over } = host.run;
  const [outcome, failure] = await creating.then(
    (made) => [made, made.failure] as const,
    (error: unknown) => [undefined, error] as const,
  );
  // Nobody sees the failure.
  if (over.aborted && failure instanceof Failure && failure.options.unresolved)
    for (const line of failure.options.lines ?? [failure.headline]) session.warn(line);
  if (outcome === undefined) throw failure;
  if (!over.aborted) return outcome;
  const { id, state } = outcome;
  const isUndone = definition.ifUnsaved !== undefined && !definition.objects?.stay?.(state);
  // It leaves existing objects, which may be in use (K5, K11). The line below names what it could not delete.
  const quiet = openSession(context, [inputs, state], openRun(), () => {});
  if (isUndone) await definition.delete(quiet, { id, state }, ownersIn(context)).catch(() => {});
  // The program names those that it adopts.
  const declared = new Set(definition.identities(inputs).map(({ identity }) => identity));
  const left = definition
    .objectsOf(id, state)
    .filter((one) => !declared.has(objectIdentity(one.workspaceId, one.id)))
    .filter((one) => !registry.isDropped(one.workspaceId, one.id))
    .map((one) => one.id);
  const line = left.length > 0 || !isUndone ? unsaved(definition, inputs, left) : undefined;
  if (line !== undefined) session.warn(line);
  if (!isUndone) return outcome;
  const reason = `The result could not be saved to state because ${over.reason}. What it created was deleted again, except for what warnings name.`;
  throw new Failure("interrupted", reason);
}

/** The line about a create that is not saved to state. `left`: the objects of its result, which the service has. */
function unsaved(definition: AnyDefinition, inputs: Properties, left: readonly string[]): string | undefined {
  const said = definition.ifUnsaved?.(inputs);
  const ids = left.length > 0 ? ` (${listed(left)})` : "";
  return (
    said &&
    `${capitalised(said.what)}${ids}: the run ended before the result could be saved to state. ${said.advice}`
  );
}
