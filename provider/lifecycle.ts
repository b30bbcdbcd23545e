import { isDeepStrictEqual } from "node:util";
import { canonicalInputs, failures } from "./check";
import type { Transport } from "./client/transport";
import { configuration, type Environment, type Settings } from "./config";
import { type Definition, type Field, fieldsOf, type Outcome, type Session } from "./definition";
import { Failure, type Kept, oneLine } from "./errors";
import { capitalised } from "./outcome";
import { type Properties, wireable } from "./state";
import { containsUnknown } from "./unknown";

/** What a door gives the lifecycle. */
export interface Surroundings {
  readonly settings: Settings;
  readonly env: Environment;
  readonly transport: () => Transport;
  readonly warn: (message: string) => void;
}

interface Checked {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
}

interface Difference {
  /** `undefined` leaves it to the engine, which compares the inputs itself and shows exactly what changed. */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
}

interface ReadBack {
  readonly id: string;
  readonly state: Record<string, unknown>;
  readonly inputs: Record<string, unknown>;
}

/** One resource's operations, for any door. Those that call the service throw a Failure and nothing else. */
export interface Lifecycle {
  /** Names of the inputs that are secrets, whatever the program says. */
  readonly secrets: readonly string[];
  check(inputs: Properties, before: Properties | undefined): Checked;
  diff(state: Properties, inputs: Properties): Difference;
  create(inputs: Properties): Promise<{ id: string; state: Record<string, unknown> }>;
  read(id: string, state: Properties): Promise<ReadBack | undefined>;
  update(id: string, state: Properties, inputs: Properties): Promise<Record<string, unknown>>;
  delete(id: string, state: Properties): Promise<void>;
}

export function lifecycle(definition: Definition, surroundings: Surroundings): Lifecycle {
  const fields = fieldsOf(definition.schema);
  const open = () => openSession(surroundings);
  return {
    secrets: fields.filter(({ facts }) => facts.secret).map(({ name }) => name),
    check: (inputs, before) => ({
      inputs: { ...canonicalInputs(fields, inputs) },
      failures: [...misconfigured(surroundings), ...failures(definition, fields, inputs, before)],
    }),
    diff: (state, inputs) => difference(definition, fields, state, inputs),
    create: async (inputs) => {
      const { id, state } = complete(await definition.create(open(), canonicalInputs(fields, inputs)));
      return { id, state };
    },
    read: async (id, state) => {
      const outcome = await definition.read(open(), id, state);
      if (outcome === undefined) return undefined;
      const { id: found, state: next } = complete(outcome);
      const declared = definition.declared?.(next) ?? next;
      return { id: found, state: next, inputs: { ...canonicalInputs(fields, declared) } };
    },
    update: async (id, state, inputs) =>
      complete(await definition.update(open(), id, state, canonicalInputs(fields, inputs))).state,
    delete: (id, state) => definition.delete(open(), id, state),
  };
}

/** What a change of the program does, decided without any request. */
function difference(
  definition: Definition,
  fields: readonly Field[],
  state: Properties,
  inputs: Properties,
): Difference {
  const changed = fields.filter(({ name, canonical }) => {
    const value = canonical(inputs[name]);
    if (containsUnknown(value)) return true;
    if (isDeepStrictEqual(canonical(state[name]), value)) return false;
    return !definition.unchanged?.(name, state, value);
  });
  const replaces = changed.filter((field) => field.facts.onChange === "replace").map(({ name }) => name);
  const pending = definition.pending?.(state);
  if (pending !== undefined) return { changes: true, replaces: [...pending, ...replaces] };
  return { changes: changed.length === 0 ? false : undefined, replaces };
}

/** The configuration is looked at when a request is to be made, and not before: some operations make none. */
function openSession({ settings, env, transport, warn }: Surroundings): Session {
  const ready = () => {
    const found = configuration(settings, env);
    if ("problems" in found) throw new Failure(found.problems.map(capitalised).join(" "));
    return found.ready;
  };
  return {
    warn: (message) => warn(oneLine(message)),
    get call() {
      return { transport: transport(), credentials: ready().credentials };
    },
    get tokenAdvice() {
      return ready().tokenAdvice;
    },
  };
}

function misconfigured({ settings, env }: Surroundings): readonly string[] {
  const found = configuration(settings, env);
  return "problems" in found ? found.problems : [];
}

function complete({ id, state, failure }: Outcome): { id: string; state: Record<string, unknown> } {
  const kept = { id, state: wireable(state) } satisfies Kept;
  if (failure !== undefined) throw new Failure(failure, kept);
  return kept;
}
