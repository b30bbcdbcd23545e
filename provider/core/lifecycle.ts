import { isDeepStrictEqual } from "node:util";
import { maskSecrets } from "../client/secrets";
import { canonicalInputs, failures } from "./check";
import { type Configured, openConfiguration } from "./config";
import { openDeclarations } from "./declarations";
import { type Definition, fieldsOf, type Members, type Outcome, type Session } from "./definition";
import { type Difference, difference } from "./diff";
import { Failure, inBounds, type Kept, oneLine, reworded } from "./errors";
import {
  type Complete,
  complete,
  expectFound,
  isElsewhere,
  placeAfterRead,
  withoutFailure,
} from "./hiddenState";
import { openKnown } from "./registry";
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
import { openSession, type Surroundings } from "./session";
import { defined, failedKey, type Properties, providerKey, secretsKey, serviceKey } from "./state";

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

/** One resource's operations, for any door. Those that call the service throw a Failure and nothing else. */
export interface Lifecycle {
  /** The paths of what is secret in these inputs: some are whatever the program says. */
  secretInputs(inputs: Properties): readonly SecretPath[];
  /** Those outputs, hidden ones too, in which a value that the program made secret may stand (R16). */
  secretOutputs(state: Properties): readonly SecretPath[];
  /** `name`: the resource's in the program, where the host knows it. */
  check(inputs: Properties, before: Properties | undefined, name?: string): Checked;
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
  /** The inputs in canonical form, and which of them are secret. */
  const canonical = (inputs: Properties) => withSecrets(canonicalInputs(fields, inputs), secretsOf(inputs));
  const declaredIn = (state: Properties) => canonicalInputs(fields, definition.declared?.(state) ?? state);
  const declarations = openDeclarations();
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
  const { follows } = definition;
  /** No secret of these properties stands in what an operation says. */
  const operate = <T>(all: readonly Properties[], act: (session: Session) => Promise<T>): Promise<T> =>
    surroundings.run.during(async (leaves) => {
      const session = openSession(surroundings, configured, known, leaves);
      for (const one of all) session.hide(...secrets.flatMap((path) => valuesAt(one, path)));
      session.conceal(...secretValues(all, follows));
      try {
        return await act(session);
      } catch (error) {
        throw error instanceof Failure ? reworded(error, (line) => inBounds(session.masked(line))) : error;
      }
    });
  const agree = (state: Properties, inputs: Properties) =>
    isDeepStrictEqual(secretsOf(state), secretsOf(inputs));
  return {
    secretInputs: (inputs) => [...secrets, ...everywhere(secretsOf(inputs), follows)],
    secretOutputs: (state) => {
      const paths = everywhere(secretsOf(state), follows);
      if (paths.length === 0) return [];
      const hidden = Object.keys(state).filter((name) => name.startsWith("__") && !plain.has(name));
      return [...new Set([...paths.map(([name]) => name), ...hidden])].map((name) => [name]);
    },
    check: (inputs, before, name) => {
      refreshed.clear();
      const declared = canonical(inputs);
      const last = before && canonicalInputs(fields, before);
      for (const one of last === undefined ? [] : members.declared(last)) known.note(one);
      for (const [value, label] of definition.given?.(declared) ?? []) known.give(value, label);
      const context = declarations.add({
        name,
        identity: definition.identity?.(declared),
        before: last && definition.identity?.(last),
      });
      return {
        inputs: { ...defined(declared) },
        failures: [...misconfigured(configured()), ...failures(definition, fields, inputs, before, context)],
      };
    },
    diff: (id, state, inputs) => {
      meetDeclared(id, state, inputs);
      const result = difference(definition, fields, state, inputs);
      const shown = !refreshed.delete(id) && result.changes !== false && result.replaces.length === 0;
      const line = shown ? definition.foretold?.(state, canonical(inputs)) : undefined;
      if (line !== undefined) {
        const texts = textsIn(secretValues([state, inputs], follows));
        surroundings.tell?.(inBounds(maskSecrets(oneLine(line), texts)));
      }
      // What is secret in state is told by the state alone, so it has to be written anew.
      return result.changes === false && !agree(state, inputs) ? { ...result, changes: true } : result;
    },
    create: (inputs) =>
      operate([inputs], async (session) =>
        stamped(await create(definition, surroundings.run, session, canonical(inputs))),
      ),
    read: (id, given) =>
      operate([given], async (session) => {
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
        return {
          id: found,
          state: next,
          inputs: { ...defined(withSecrets(declaredIn(next), secretsOf(next))) },
        };
      }),
    update: (id, state, inputs) =>
      operate([inputs, state], async (session) => {
        meetDeclared(id, state, inputs);
        const isMarkedOnly = !agree(state, inputs) && state[failedKey] === undefined;
        if (isMarkedOnly && difference(definition, fields, state, inputs).changes === false) {
          return { ...defined(withSecrets(state, secretsOf(inputs))) };
        }
        const before = { id, state };
        await lookFor(session, before);
        return stamped(await update(definition, surroundings.run, session, before, canonical(inputs))).state;
      }),
    delete: (id, state) =>
      operate([state], async (session) => {
        meet(id, state);
        if (definition.deletes === true) await lookFor(session, { id, state });
        const identity = definition.identity?.(declaredIn(state));
        await definition.delete(session, id, state, identity !== undefined && declarations.has(identity));
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

/** What is hidden but can hold no value of an input. */
const plain: ReadonlySet<string> = new Set([providerKey, secretsKey, serviceKey]);

function misconfigured(found: Configured): readonly string[] {
  return "problems" in found ? found.problems : [];
}
