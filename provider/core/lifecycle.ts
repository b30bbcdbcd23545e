import { isDeepStrictEqual } from "node:util";
import { maskSecrets } from "../client/secrets";
import { failures } from "./check";
import { type Configured, openConfiguration } from "./config";
import { type Checked, openDeclarations, unchecked } from "./declarations";
import type { AnyDefinition, Managed, Outcome, Session } from "./definition";
import { type Change, changesAt, type Difference, difference, differing } from "./diff";
import { Failure, inBounds, type Kept, oneLine, reworded } from "./errors";
import { due, type Expiring, expiryWarning } from "./expiry";
import { canonicalInputs, type Field } from "./fields";
import {
  type Complete,
  complete,
  expectFound,
  lastService,
  serviceAfterRead,
  writtenElsewhere,
} from "./hiddenState";
import { declaredClaim, openRegistry } from "./registry";
import { create, update } from "./rollback";
import {
  everywhere,
  type SecretPath,
  secretsOf,
  secretValues,
  textsIn,
  valuesAt,
  withSecrets,
} from "./secrecy";
import { type HostContext, openSession } from "./session";
import {
  adoptedKey,
  defined,
  failedKey,
  type Properties,
  providerKey,
  readingKey,
  secretsKey,
  serviceKey,
  wireable,
} from "./state";
import { unknown } from "./unknown";

interface CheckResult {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
}

interface ReadResult {
  readonly id: string;
  readonly state: Properties;
  /** Absent where nothing has changed: then those that the engine has are right, and it keeps them. */
  readonly inputs?: Record<string, unknown>;
}

/** One resource's operations, for any host. Those that call the service throw a Failure and nothing else. */
export interface Lifecycle {
  /** The paths of inputs and outputs that are secret whatever the program says. */
  readonly secrets: readonly SecretPath[];
  /** The inputs with the paths of those values that the engine has as secret, beside those that the program names itself. */
  withSecrets(inputs: Properties, paths: readonly SecretPath[]): Properties;
  /** The paths of what is secret in these inputs: some are whatever the program says. */
  secretInputs(inputs: Properties): readonly SecretPath[];
  /** Those outputs, hidden ones too, that may hold a value which the program made secret (R16). */
  secretOutputs(state: Properties): readonly SecretPath[];
  /** `name`: the resource's in the program, where the host knows it. */
  check(inputs: Properties, before: Properties | undefined, name?: string): CheckResult;
  diff(id: string, state: Properties, inputs: Properties): Difference;
  /** Where the inputs differ from what the state was declared as. */
  changes(id: string, state: Properties, inputs: Properties): readonly Change[];
  /** Whether a program could declare just these properties, as it could those of every managed resource. */
  isDeclared(properties: Properties): boolean;
  /** What state will hold after a create, or an update of this state, as far as that is known: the rest is unknown. */
  foresee(inputs: Properties, before?: Kept): Properties;
  create(inputs: Properties): Promise<Complete>;
  read(id: string, state: Properties): Promise<ReadResult | undefined>;
  /**
   * Finds what no state knows yet, by the id that a user gives; `given` holds what else they gave. One that is `isReading`
   * is only looked at, and not managed. Its inputs are what a program would declare: nothing that a default stands for.
   */
  find(id: string, given: Properties, isReading: boolean, name?: string): Promise<ReadResult | undefined>;
  update(id: string, state: Properties, inputs: Properties): Promise<Record<string, unknown>>;
  delete(id: string, state: Properties): Promise<void>;
}

export function lifecycle(definition: AnyDefinition, host: HostContext): Lifecycle {
  const { fields, follows, managed, parse } = definition;
  const configurationOf = openConfiguration();
  const configured = () => configurationOf(host.settings, host.env);
  const now = () => host.now?.() ?? Date.now();
  const { registry, declarations } = host.shared?.(definition.of ?? definition.kind) ?? {
    registry: openRegistry(),
    declarations: openDeclarations(),
  };
  const services = () => {
    const found = configured();
    return "ready" in found ? found.ready.services : [];
  };
  /** The inputs in canonical form, and which of them are secret. */
  const canonical = (inputs: Properties) => withSecrets(canonicalInputs(fields, inputs), secretsOf(inputs));
  /** The same as check gave them for a create. */
  const toCreate = (inputs: Properties): Properties => ({
    ...canonical(inputs),
    ...(inputs[adoptedKey] === true && { [adoptedKey]: true }),
  });
  const inputsOf = (state: Properties) => canonicalInputs(fields, definition.inputsOf(state));
  const identitiesOf = (inputs: Properties) => [...(definition.identities?.(inputs) ?? [])];

  /** What a program newly adopts stays, whichever resource had it, whatever comes of it and in whichever order. */
  const keepAdopted = (inputs: Properties, last: Properties = {}) => {
    const adopted = definition.adopts?.(inputs) ?? [];
    const before = new Set(adopted.length > 0 ? definition.adopts?.(last).map(({ id }) => id) : []);
    const isMoved = inputs["workspaceId"] !== last["workspaceId"];
    for (const { workspaceId, id } of adopted)
      if (isMoved || !before.has(id)) registry.claim(workspaceId, id, declaredClaim);
  };
  /** Keys that were compared with inputs that name them as existing: a replacement must not take their secrets away. */
  const named = new Set<string>();
  const isReplacedAnew = (inputs: Properties, { isDeclaredAgain }: Checked): boolean => {
    const [adopted] = definition.replacesAdopted ? (definition.adopts?.(inputs) ?? []) : [];
    if (adopted === undefined) return false;
    const { workspaceId, id } = adopted;
    const isNamed = named.has(JSON.stringify([workspaceId, id]));
    if (isNamed) registry.release(workspaceId, id, declaredClaim);
    return isNamed || isDeclaredAgain;
  };
  const noteNamed = (id: string, inputs: Properties): void => {
    for (const { workspaceId, id: adopted } of definition.adopts?.(inputs) ?? [])
      if (adopted === id) named.add(JSON.stringify([workspaceId, id]));
  };
  const register = (id: string, state: Properties) => {
    for (const { workspaceId, id: object, claim } of managed(id, state)) {
      registry.add(workspaceId, object);
      if (claim !== undefined) registry.claim(workspaceId, object, claim);
    }
  };
  /** What a read does not find again is gone, and a service may give its id once more. */
  const forget = (before: Iterable<Managed>, now: Iterable<Managed>) => {
    const found = new Set([...now].map(({ id }) => id));
    for (const { workspaceId, id, claim } of before) {
      if (found.has(id) || claim === undefined) continue;
      registry.release(workspaceId, id, claim);
      registry.drop(workspaceId, id);
    }
  };
  /** What another service is to write to must be found there. */
  const expectThere = async (session: Session, given: Properties, before: Kept) => {
    if (!writtenElsewhere(given, services())) return;
    expectFound(definition, before, await definition.read(session, before.id, before.state));
  };
  const stamped = (outcome: Outcome) => complete(outcome, services()[0]);

  const secrets = [
    ...fields.flatMap(({ name, secret }): SecretPath[] =>
      secret === undefined ? [] : [[name, ...(secret === true ? [] : secret)]],
    ),
    ...Object.entries(definition.outputs).flatMap(([name, { secret }]): SecretPath[] =>
      secret ? [[name]] : [],
    ),
  ];
  const alwaysSecret = new Set(secrets.map((path) => JSON.stringify(path)));
  const inputSecrets = secrets.filter(([name]) => fields.some((field) => field.name === name));
  /** No secret of these properties is in what an operation says. */
  const operate = <T>(all: readonly Properties[], act: (session: Session) => Promise<T>): Promise<T> =>
    host.run.during(async (onInterrupt) => {
      const session = openSession(host, configured, registry, onInterrupt);
      for (const one of all) session.hide(...secrets.flatMap((path) => textsIn(valuesAt(one, path))));
      session.conceal(...secretValues(all, follows));
      try {
        return await act(session);
      } catch (error) {
        throw error instanceof Failure ? reworded(error, (line) => inBounds(session.masked(line))) : error;
      }
    });
  /** What was read, by id: the diff that follows compares it with the inputs of before, which no program declares. */
  const refreshed = new Set<string>();
  const isMarkedAlike = (state: Properties, inputs: Properties) =>
    isDeepStrictEqual(secretsOf(state), secretsOf(inputs));
  /** What an update makes of a state where only what is secret differs, or what the host keeps. */
  const onlyMarked = (
    id: string,
    given: Properties,
    state: Properties,
    inputs: Properties,
  ): Properties | undefined => {
    const isMoved = given[providerKey] === undefined && inputs[providerKey] !== undefined;
    if (isMarkedAlike(state, inputs) && !isMoved) return undefined;
    if (given[failedKey] !== undefined) return undefined;
    const isSame = difference(definition, fields, { id, state }, inputs, now()).changes === false;
    return isSame ? defined(withSecrets(given, secretsOf(inputs))) : undefined;
  };

  /** A line about these properties, without their secrets. */
  const lineOf = (text: string, ...all: readonly Properties[]) => {
    const always = all.flatMap((one) => secrets.flatMap((path) => valuesAt(one, path)));
    return inBounds(maskSecrets(oneLine(text), textsIn([...always, ...secretValues(all, follows)])));
  };
  const noteFor = (state: Properties | undefined, inputs: Properties): void => {
    const note = definition.previewNote?.(state, toCreate(inputs), now());
    if (note !== undefined) (host.note ?? host.tell)?.(lineOf(note, state ?? {}, inputs));
  };
  /** The keys, and the resources, that this process has warned of: the engine may ask for a diff more than once. */
  const warned = new Set<string>();
  const warnOfState = (id: string, state: Properties, inputs: Properties): void => {
    const warning = warned.has(id) ? undefined : definition.warning?.(state, now());
    if (warning === undefined) return;
    warned.add(id);
    host.warn(lineOf(warning, state, inputs));
  };
  const warnOfExpiry = (id: string, state: Properties, inputs: Properties): void => {
    const found = configured();
    if ("problems" in found || found.ready.expiry === undefined || definition.expiries === undefined) return;
    const { of, keys } = definition.expiries(id, state, canonical(inputs), now());
    const nameOf = ({ id: keyId }: Expiring) => JSON.stringify([state["workspaceId"], keyId]);
    const unsaid = due(keys, found.ready.expiry, now()).filter((key) => !warned.has(nameOf(key)));
    if (unsaid.length === 0) return;
    for (const key of unsaid) warned.add(nameOf(key));
    host.warn(lineOf(expiryWarning(of, unsaid, now()), state, inputs));
  };

  return {
    secrets,
    withSecrets: (inputs, paths) => {
      const given = paths.map((path) => definition.secretPath?.(path) ?? path);
      const spelled = [...secretsOf(inputs), ...given].map((path) => JSON.stringify(path));
      const news = new Set(spelled.filter((path) => !alwaysSecret.has(path)));
      return withSecrets(
        inputs,
        Array.from(news)
          .sort()
          .map((path) => JSON.parse(path)),
      );
    },
    secretInputs: (inputs) => [...inputSecrets, ...everywhere(secretsOf(inputs), follows)],
    secretOutputs: (state) => {
      const paths = everywhere(secretsOf(state), follows);
      if (paths.length === 0) return [];
      const hidden = Object.keys(state).filter((name) => name.startsWith("__") && !plain.has(name));
      return [...new Set([...paths.map(([name]) => name), ...hidden])].map((name) => [name]);
    },
    check: (inputs, before, name) => {
      const named = withName(definition, inputs, name);
      const given = canonical(named);
      const last = before && canonicalInputs(fields, before);
      const checked = declarations.add(
        definition.kind,
        name,
        identitiesOf(given),
        last && identitiesOf(last),
      );
      const isAnew = isReplacedAnew(given, checked);
      const declared = isAnew ? { ...given, [adoptedKey]: true } : given;
      keepAdopted(declared, last);
      const problems = [...misconfigured(configured()), ...failures(definition, named, before, checked)];
      // diff is asked of what is in state alone.
      if (before === undefined && problems.length === 0) noteFor(undefined, declared);
      return { inputs: { ...defined(declared) }, failures: problems };
    },
    diff: (id, given, inputs) => {
      const state = parse(given);
      register(id, state);
      const result = difference(definition, fields, { id, state }, inputs, now());
      const isOfProgram = !refreshed.delete(id);
      if (isOfProgram) noteNamed(id, inputs);
      if (isOfProgram) warnOfState(id, state, inputs);
      if (isOfProgram && result.replaces.length === 0) warnOfExpiry(id, state, inputs);
      // An input that replaces is the cause by itself.
      const isExplained = result.replaces.some((name) => fields.some((field) => field.name === name));
      if (isOfProgram && result.changes !== false && !isExplained) noteFor(state, inputs);
      if (result.changes !== false || isMarkedAlike(state, inputs)) return result;
      // What is secret in state is told by the state alone, so it has to be written anew.
      if (isOfProgram) host.note?.("Only which values are secret has changed. No request is sent.");
      return { ...result, changes: true };
    },
    changes: (id, given, inputs) => {
      const state = parse(given);
      const [before, now] = [inputsOf(state), canonical(inputs)];
      return differing(definition, fields, state, inputs, id).flatMap(({ name }) =>
        changesAt([name], before[name], now[name]),
      );
    },
    isDeclared: (properties) => {
      const named = withName(definition, properties, definition.kind);
      return failures(definition, named, undefined, unchecked).length === 0;
    },
    foresee: (inputs, before) => {
      const state = before && parse(before.state);
      const same = before && state && onlyMarked(before.id, before.state, state, inputs);
      if (same !== undefined) return same;
      const declared = before === undefined ? toCreate(inputs) : canonical(inputs);
      const outputs = Object.entries(definition.outputs).map(([name, { stable }]) => [
        name,
        declared[name] ?? (stable ? state?.[name] : undefined) ?? unknown,
      ]);
      const known = definition.foresee?.(declared, state, now());
      return defined({ ...declared, ...Object.fromEntries(outputs), ...known, [adoptedKey]: undefined });
    },
    create: (inputs) =>
      operate([inputs], async (session) =>
        stamped(await create(definition, host.run, session, toCreate(inputs))),
      ),
    read: (id, given) =>
      operate([given], async (session) => {
        const state = parse(given);
        register(id, state);
        const outcome = await definition.read(session, id, state);
        const known = services();
        if (writtenElsewhere(given, known)) expectFound(definition, { id, state }, outcome);
        forget(managed(id, state), outcome === undefined ? [] : managed(outcome.id, outcome.state));
        if (outcome === undefined) return undefined;
        if (outcome.notFound !== undefined) session.warn(outcome.notFound);
        const service = serviceAfterRead(given, known);
        const { id: found, state: next } = complete(outcome, service);
        refreshed.add(found);
        const isUnchanged =
          !(failedKey in given) &&
          isDeepStrictEqual(next, wireable({ ...state, [serviceKey]: lastService(given) }));
        if (isUnchanged) return { id: found, state: given };
        return {
          id: found,
          state: next,
          inputs: { ...defined(withSecrets(inputsOf(next), secretsOf(next))) },
        };
      }),
    find: (id, given, isReading, name) =>
      operate([given], async (session) => {
        const parts = partsOf(definition, id, given);
        const outcome = await definition.importing.read(
          session,
          parts,
          isReading ? { [readingKey]: true } : {},
        );
        if (outcome === undefined) return undefined;
        const all = isReading ? outcome.state : { ...inputsOf(outcome.state), ...outcome.state };
        const state = withSecrets(all, secretsOf(given));
        const found = complete({ ...outcome, state }, services()[0]);
        register(found.id, found.state);
        const inputs = withoutDefaults(fields, inputsOf(state), name);
        return { ...found, inputs: { ...defined(withSecrets(inputs, secretsOf(given))) } };
      }),
    update: (id, given, inputs) =>
      operate([inputs, given], async (session) => {
        const state = parse(given);
        register(id, state);
        const same = onlyMarked(id, given, state, inputs);
        if (same !== undefined) return { ...same };
        const before = { id, state };
        await expectThere(session, given, before);
        return stamped(await update(definition, host.run, session, before, canonical(inputs))).state;
      }),
    delete: (id, given) =>
      operate([given], async (session) => {
        const state = parse(given);
        register(id, state);
        if (definition.onDestroy === "delete") await expectThere(session, given, { id, state });
        const isDeclaredAnew = identitiesOf(inputsOf(state)).some(declarations.has);
        await definition.delete(session, id, state, isDeclaredAnew);
        for (const { workspaceId, id: object } of managed(id, state)) registry.drop(workspaceId, object);
      }),
  };
}

/** The inputs with the resource's name where that is the default of one of them. */
function withName({ fields }: AnyDefinition, inputs: Properties, name: string | undefined): Properties {
  const field = fields.find(({ defaultsToResourceName }) => defaultsToResourceName);
  if (field === undefined || name === undefined) return inputs;
  return { ...inputs, [field.name]: inputs[field.name] ?? name };
}

/** What a program that declares the same can leave out. */
function withoutDefaults(
  fields: readonly Field[],
  inputs: Properties,
  name: string | undefined,
): Record<string, unknown> {
  const declared = fields.filter((field) => {
    const assumed = field.defaultsToResourceName ? name : field.default;
    return !isDeepStrictEqual(inputs[field.name], assumed);
  });
  return Object.fromEntries(declared.map((field) => [field.name, inputs[field.name]]));
}

/** The parts of an id that a user gives; the workspace may be given apart. */
function partsOf(
  { kind, importing }: AnyDefinition,
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

/** What is hidden but can hold no value of an input. */
const plain: ReadonlySet<string> = new Set([providerKey, secretsKey, serviceKey]);

function misconfigured(found: Configured): readonly string[] {
  return "problems" in found ? found.problems : [];
}
