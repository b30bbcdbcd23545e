/** The context of all operations on one kind of resource, and the session of one operation. */
import { type CallError, pauseFor, type Transport } from "../client/send";
import { readWorkspace } from "../client/service";
import { maskSecrets } from "../client/words";
import type { AnyDefinition, Session, Warn } from "../core/definition";
import { Failure, reworded } from "../core/errors";
import { isUnknown } from "../core/fields";
import type { Plan } from "../core/plan";
import {
  type Declarations,
  handOver,
  objectIdentity,
  openDeclarations,
  openRegistry,
  type Registry,
} from "../core/registry";
import { type Aside, type Run, reasonAgainst } from "../core/run";
import { type SecretPath, secretsOf, secretValues, textsIn, valuesAt, withSecrets } from "../core/secrecy";
import { type Kept, type Properties, providerKey, secretsKey, serviceKey } from "../core/state";
import { inBounds, oneLine, quoted, sentences } from "../core/text";
import { type Configuration, usable } from "./config";

/** The host, as the lifecycle needs it. */
export interface HostContext {
  /** As of the last time that the engine configured the provider. */
  readonly configuration: () => Configuration;
  readonly transport: () => Transport;
  readonly run: Run;
  readonly warn: (message: string) => void;
  /** Shows a line about what an update would do. Default: nobody sees it. */
  readonly note?: (line: string) => void;
  /** Shows lines about an operation that takes long. Default: nobody sees them. */
  readonly progress?: { readonly show: (line: string) => void; readonly everyMs: number };
  /** The time that the operation under way has by its customTimeouts. Default: no limit. */
  readonly seconds?: () => number | undefined;
  /** Waits that long, or until the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The knowledge that the resources of this process share, by the kind of their objects. */
  readonly shared: Map<string, Shared>;
  /** The time of this run, in ms since 1970. */
  readonly now: () => number;
}

/** The knowledge that the resources of a process share whose objects are of one kind. */
export interface Shared {
  readonly registry: Registry;
  readonly declarations: Declarations;
}

/** A kind of resource in a process: what each operation on one needs, and what one operation remembers for the next. */
export interface KindContext extends Shared {
  readonly definition: AnyDefinition;
  readonly host: HostContext;
  readonly paths: SecretPaths;
  /** Ids that a refresh has read: the diff that follows compares the last update's inputs, not the program's. */
  readonly refreshed: Set<string>;
  /** Ids that an import has read: if the program has a resource with one, it takes the object over. */
  readonly imported: Set<string>;
  /** By URN, the inputs in state of the resources that were read before this update (`readFirst`). */
  readonly inState: Map<string, Properties>;
}

export function openKindContext(definition: AnyDefinition, host: HostContext): KindContext {
  const objectKind = definition.objects?.kind ?? definition.kind;
  const shared = host.shared.get(objectKind) ?? {
    registry: openRegistry(),
    declarations: openDeclarations(),
  };
  host.shared.set(objectKind, shared);
  return {
    ...shared,
    definition,
    host,
    paths: secretPathsOf(definition),
    refreshed: new Set(),
    imported: new Set(),
    inState: new Map(),
  };
}

// ---- Secret paths --------------------------------------------------------------------------------------------------

/** Hidden properties that can't contain the value of an input. */
const plain: ReadonlySet<string> = new Set([providerKey, secretsKey, serviceKey]);

type SecretPaths = ReturnType<typeof secretPathsOf>;

/** Which properties of a resource the engine is to keep as secret. */
function secretPathsOf(definition: AnyDefinition) {
  const { fields, shape } = definition;
  const named = Object.entries(shape.outputs).map(([name, { secret }]) => ({ name, secret }));
  const secrets = [...fields, ...named].flatMap(({ name, secret }): SecretPath[] =>
    secret === undefined ? [] : [[name, ...(secret === true ? [] : secret)]],
  );
  const always = new Set(secrets.map((path) => JSON.stringify(path)));
  const inputNames = new Set(fields.map(({ name }) => name));
  return {
    /** The inputs and outputs that are always secret. */
    secrets,
    /** The inputs with a sorted list of what else is secret: by their own list, and by these paths, which the engine marked. */
    alsoSecret: (inputs: Properties, marked: readonly SecretPath[]): Properties => {
      const listed = [...secretsOf(inputs), ...marked].flatMap((path) => shape.secretPaths?.(path) ?? [path]);
      const all = new Set(listed.map((path) => JSON.stringify(path)));
      const others = [...all].filter((path) => !always.has(path)).sort();
      const paths = others.map((path) => JSON.parse(path));
      return withSecrets(inputs, paths);
    },
    /** Of inputs or state: all outputs and hidden properties too, if the program made anything secret (R16). */
    secretPaths: (properties: Properties): readonly SecretPath[] => {
      const paths = secretsOf(properties);
      if (paths.length === 0) return secrets;
      // Inputs by their paths: of a map that is marked as a whole, the engine (3.274) drops the mark if the program's isn't.
      const others = Object.keys(properties).filter((name) => !inputNames.has(name) && !plain.has(name));
      return [...secrets, ...paths, ...others.map((name) => [name] as const)];
    },
  };
}

// ---- Session -------------------------------------------------------------------------------------------------------

/**
 * Opens a session for an operation on these properties: nothing that it says contains a secret of theirs. The configuration
 * is read only when a request is about to be sent, because some operations send none.
 */
export function openSession(
  context: KindContext,
  given: readonly Properties[],
  run: Run = context.host.run,
  warn: Warn = (message, found) => context.host.warn(sentences(message, found)),
  aside: Aside = (wait) => wait,
): OpenSession {
  const { host, paths, registry } = context;
  const { configuration, transport } = host;
  const always = given.flatMap((one) => paths.secrets.flatMap((path) => valuesAt(one, path)));
  const hidden = new Set(textsIn([...always, ...secretValues(given)]));
  const ready = () => {
    const found = usable(configuration());
    hidden.add(found.credentials.accessToken);
    return found;
  };
  const masked = (text: string) => inBounds(maskSecrets(oneLine(text), [...hidden]));
  const onWait = (line: string) => host.progress?.show(masked(line));
  const against = (method: string) => reasonAgainst(method, run);
  let nextAt = performance.now() + 2_000;
  const session: OpenSession = {
    warn: (message, found) => warn(masked(message), found && masked(found)),
    progress: (line) => {
      if (host.progress === undefined || performance.now() < nextAt) return;
      nextAt = performance.now() + host.progress.everyMs;
      onWait(line);
    },
    mask: (...values) => {
      for (const text of textsIn(values)) hidden.add(text);
    },
    registry,
    closed: run.closed,
    over: run.over,
    pause: (ms) => aside(host.pause(ms, run.over)),
    part: (warnOfPart, act, asideOfPart) => {
      const part = openSession(context, [], run, warnOfPart, asideOfPart);
      return part.guard(() => act(part));
    },
    get setup() {
      return ready();
    },
    get call() {
      const { credentials } = ready();
      return {
        transport: transport(),
        credentials,
        secrets: hidden,
        run: { closed: run.closed, reasonAgainst: against, onWait },
      };
    },
    masked,
    guard: async (act) => {
      try {
        return await act();
      } catch (error) {
        throw error instanceof Failure ? reworded(error, masked) : error;
      }
    },
  };
  return session;
}

/** A session as the lifecycle sees it. */
export interface OpenSession extends Session {
  readonly masked: (text: string) => string;
  /** Its failures are masked. */
  readonly guard: <T>(act: () => Promise<T>) => Promise<T>;
}

// ---- Objects -------------------------------------------------------------------------------------------------------

/** Records that the objects of a state exist. */
export function register(
  { definition, registry }: KindContext,
  { id, state }: Kept,
  how: "add" | "takeOver" = "add",
): void {
  for (const { workspaceId, id: object } of definition.objectsOf(id, state))
    registry[how](workspaceId, object);
}

/** Removes the objects of a state that a read no longer finds (`now`). */
export function forget({ definition, registry }: KindContext, before: Kept, now: Kept | undefined): void {
  const found = new Set(now && definition.objectsOf(now.id, now.state).map(({ id }) => id));
  for (const { workspaceId, id } of definition.objectsOf(before.id, before.state))
    if (!found.has(id)) registry.drop(workspaceId, id);
}

/** Throws if another resource of the program has one of the objects in state, or declares it (R17). */
export function expectSoleOwner(
  { declarations, definition }: KindContext,
  { id, state, plan }: Kept & { readonly plan: Plan },
  name: string | undefined,
): void {
  const { kind, objects } = definition;
  if (objects?.stay?.(state)) return;
  for (const { workspaceId, id: object } of plan.objects ?? definition.objectsOf(id, state)) {
    const other = declarations.hold(kind, name, objectIdentity(workspaceId, object));
    if (other === undefined) continue;
    const reason = `it has ${object}, which the resource ${other} has or adopts too. Two resources can't manage one ${objects?.kind ?? kind}. ${handOver} If both resources have it in state, remove one of them with \`pulumi state delete\`.`;
    throw new Failure("twoOwners", reason, { subject: `${kind} ${quoted(String(name))}:` });
  }
}

// ---- Notes ---------------------------------------------------------------------------------------------------------

/** Shows a line about what an update would do to a resource, if there is one, without the secrets of these properties. */
export function note(
  context: KindContext,
  name: string | undefined,
  text: string | undefined,
  ...all: readonly Properties[]
): void {
  const { definition, host } = context;
  const whose = name === undefined ? "" : `${definition.kind} ${quoted(name)}: `;
  if (text !== undefined) host.note?.(openSession(context, all).masked(`${whose}${text}`));
}

/** Warns in a preview of a token that the service refuses: by one GET in each process (R12), which no operation waits for. */
export function checkToken(context: KindContext, inputs: Properties): void {
  const { configuration, run } = context.host;
  const { checksToken, tokenAdvice } = configuration();
  const { workspaceId } = inputs;
  if (typeof workspaceId !== "string" || isUnknown(workspaceId) || !checksToken || run.lastWords) return;
  const session = openSession(context, [inputs]);
  run.lastWords = readWorkspace(session.call, { workspaceId }).catch(({ message, status }: CallError) => {
    if (status !== 401 && status !== 403) return undefined;
    session.warn(
      `Workspace ${workspaceId} can't be read with the access token, so an update may fail: ${message}. ${tokenAdvice} If the token only lacks this right, APIKEYS_NO_TOKEN_CHECK=true skips this check.`,
    );
    // Until it is shown.
    return pauseFor(200);
  });
}

// ---- Base URL ------------------------------------------------------------------------------------------------------

/** The service of the last write, as a hash of its base URL; `undefined` if state has none. */
export function lastService(state: Properties): string | undefined {
  const last = state[serviceKey];
  return typeof last === "string" ? last : undefined;
}

/** The service that state has after a read: another one only if the service has moved. */
export function serviceAfterRead(state: Properties, services: readonly string[]): string | undefined {
  const last = lastService(state);
  return last === undefined || services.includes(last) ? services[0] : last;
}

/**
 * Throws if the last write went to another base URL than the one configured, or the former one of a service that has moved:
 * there, an id may belong to another object, or to none, while the resource's own still exists (R6).
 */
export function expectSameBaseUrl({ definition, host }: KindContext, { id, state }: Kept, name?: string) {
  const { services, baseUrlSource } = host.configuration();
  const last = lastService(state);
  if (last === undefined || services.length === 0 || services.includes(last)) return;
  const reason = `its last update was sent to another base URL than the one configured now. Configured is ${baseUrlSource}, where the same ids may belong to something else. Nothing was sent. Correct the base URL; if stack config or the Provider's arguments were corrected since the last update, add \`--run-program\`. If the service has moved, run \`pulumi refresh --run-program\` once with APIKEYS_MOVED_FROM set to its former base URL, which treats what it can't find as deleted. If it has two base URLs, set APIKEYS_MOVED_FROM to the other one.`;
  const subject = `${definition.kind} ${name === undefined ? id : quoted(name)}:`;
  throw new Failure("otherBaseUrl", reason, { subject, state: "State is unchanged" });
}
