import { canonicalInputs, failures } from "./check";
import { type Configured, openConfiguration } from "./config";
import { type Definition, fieldsOf, type Members, type Outcome, type Session } from "./definition";
import { type Difference, difference } from "./diff";
import { Failure, inBounds, type Kept, oneLine, reworded } from "./errors";
import { openKnown } from "./known";
import { type Complete, complete, expectFound, isElsewhere, placeAfterRead, withoutFailure } from "./marks";
import { openSession, type Surroundings } from "./session";
import { type Properties, serviceKey } from "./state";
import { create, update } from "./unkept";

interface Checked {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
}

interface ReadBack {
  readonly id: string;
  readonly state: Properties;
  /** Absent where nothing has changed: then those that the engine has are right, and it keeps them. */
  readonly inputs?: Record<string, unknown>;
}

export type SecretPath = readonly [string, ...string[]];

/** One resource's operations, for any door. Those that call the service throw a Failure and nothing else. */
export interface Lifecycle {
  /** The paths of the inputs that are secrets, whatever the program says; "*" stands for any name. */
  readonly secrets: readonly SecretPath[];
  check(inputs: Properties, before: Properties | undefined): Checked;
  diff(id: string, state: Properties, inputs: Properties): Difference;
  create(inputs: Properties): Promise<Complete>;
  read(id: string, state: Properties): Promise<ReadBack | undefined>;
  update(id: string, state: Properties, inputs: Properties): Promise<Record<string, unknown>>;
  delete(id: string, state: Properties): Promise<void>;
}

export function lifecycle(definition: Definition, surroundings: Surroundings): Lifecycle {
  const fields = fieldsOf(definition.schema);
  const configurationOf = openConfiguration();
  const configured = () => configurationOf(surroundings.settings, surroundings.env);
  const known = surroundings.known?.(definition.of ?? definition.kind) ?? openKnown();
  const members = definition.members ?? alone(definition);
  const declaredIn = (state: Properties) => canonicalInputs(fields, definition.declared?.(state) ?? state);
  const unnote = (inputs: Properties) => {
    for (const declared of members.declared(inputs)) known.unnote(declared);
  };
  const meet = (id: string, state: Properties) => {
    for (const held of members.held(state, id)) known.add(held.properties, held.id, held.holder);
    if (known.hasNoted) unnote(declaredIn(state));
  };
  /** What a read does not find again is gone, and a service may give its id once more. */
  const forget = (id: string, state: Properties, now: Outcome | undefined) => {
    if (now?.state === state) return;
    const found = now === undefined ? [] : [...members.held(now.state, now.id)];
    const ids = new Set(found.map((held) => held.id));
    for (const held of members.held(state, id)) {
      if (ids.has(held.id) || held.holder === undefined) continue;
      known.release(held.properties, held.id, held.holder);
      known.drop(held.properties, held.id);
    }
  };
  /** Those whose next diff is a refresh's: it compares what was read with the inputs of before, which no program declares. */
  const refreshed = new Set<string>();
  /** The inputs that check noted are accounted for too, now that the state shows which objects the resource has. */
  const meetDeclared = (id: string, state: Properties, inputs: Properties) => {
    meet(id, state);
    if (known.hasNoted) unnote(canonicalInputs(fields, inputs));
  };
  const places = () => {
    const found = configured();
    return "ready" in found ? found.ready.services : [];
  };
  const stamped = (outcome: Outcome) => complete(outcome, places()[0]);
  /** What another service is to write to must be found there. */
  const lookFor = async (session: Session, before: Kept) => {
    if (!isElsewhere(before.state, places())) return;
    expectFound(definition, before, await definition.read(session, before.id, before.state));
  };
  const secrets = fields.flatMap(({ name, facts: { secret } }): SecretPath[] =>
    secret === undefined ? [] : [[name, ...(secret === true ? [] : secret)]],
  );
  /** No secret of its properties stands in what an operation says. */
  const operate = <T>(properties: Properties, act: (session: Session) => Promise<T>): Promise<T> =>
    surroundings.run.during(async (leaves) => {
      const session = openSession(surroundings, configured, known, leaves);
      session.hide(...secrets.flatMap((path) => valuesAt(properties, path)));
      try {
        return await act(session);
      } catch (error) {
        throw error instanceof Failure ? reworded(error, (line) => inBounds(session.masked(line))) : error;
      }
    });
  return {
    secrets,
    check: (inputs, before) => {
      refreshed.clear();
      if (before !== undefined) {
        for (const declared of members.declared(canonicalInputs(fields, before))) known.note(declared);
      }
      const canonical = canonicalInputs(fields, inputs);
      for (const [value, name] of definition.given?.(canonical) ?? []) known.give(value, name);
      return {
        inputs: { ...canonical },
        failures: [...misconfigured(configured()), ...failures(definition, fields, inputs, before)],
      };
    },
    diff: (id, state, inputs) => {
      meetDeclared(id, state, inputs);
      const result = difference(definition, fields, state, inputs);
      const shown = !refreshed.delete(id) && result.changes !== false && result.replaces.length === 0;
      const line = shown ? definition.foretold?.(state, canonicalInputs(fields, inputs)) : undefined;
      if (line !== undefined) surroundings.tell?.(inBounds(oneLine(line)));
      return result;
    },
    create: (inputs) =>
      operate(inputs, async (session) => {
        const declared = canonicalInputs(fields, inputs);
        return stamped(await create(definition, surroundings.run, session, declared));
      }),
    read: (id, given) =>
      operate(given, async (session) => {
        const state = withoutFailure(given);
        meet(id, state);
        const outcome = await definition.read(session, id, state);
        const services = places();
        if (isElsewhere(state, services)) expectFound(definition, { id, state }, outcome);
        forget(id, state, outcome);
        if (outcome === undefined) return undefined;
        refreshed.add(outcome.id);
        const place = placeAfterRead(given, services);
        if (outcome.state === given && given[serviceKey] === place) return { id: outcome.id, state: given };
        const { id: found, state: next } = complete(outcome, place);
        return { id: found, state: next, inputs: { ...declaredIn(next) } };
      }),
    update: (id, state, inputs) =>
      operate(inputs, async (session) => {
        meetDeclared(id, state, inputs);
        const before = { id, state };
        await lookFor(session, before);
        const declared = canonicalInputs(fields, inputs);
        return stamped(await update(definition, surroundings.run, session, before, declared)).state;
      }),
    delete: (id, state) =>
      operate(state, async (session) => {
        meet(id, state);
        if (definition.deletes === true) await lookFor(session, { id, state });
        await definition.delete(session, id, state);
        for (const held of members.held(state, id)) known.drop(held.properties, held.id);
      }),
  };
}

/** The members of a resource that stands for one object. */
function alone({ holder }: Definition): Members {
  return {
    declared: (inputs) => [inputs],
    held: (properties, id) => [{ id, properties, holder: holder?.(properties) }],
  };
}

/** The values at a path in properties that may be of any shape. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null) return [];
  const next = name === "*" ? Object.values(value) : [(value as Properties)[name]];
  return next.flatMap((one) => valuesAt(one, rest));
}

function misconfigured(found: Configured): readonly string[] {
  return "problems" in found ? found.problems : [];
}
