import { canonicalInputs, failures } from "./check";
import { maskSecrets } from "./client/secrets";
import type { Transport } from "./client/transport";
import { configuration, type Environment, type Settings } from "./config";
import { type Definition, fieldsOf, type Outcome, type Session } from "./definition";
import { type Difference, difference } from "./diff";
import { Failure, inBounds, type Kept, oneLine, sentences } from "./errors";
import { type Known, openKnown } from "./known";
import { capitalised } from "./outcome";
import type { Leaves, Run } from "./run";
import { type Properties, wireable } from "./state";

/** What a door gives the lifecycle. */
export interface Surroundings {
  readonly settings: Settings;
  readonly env: Environment;
  readonly transport: () => Transport;
  readonly warn: (message: string) => void;
  readonly run: Run;
}

interface Checked {
  readonly inputs: Record<string, unknown>;
  readonly failures: readonly string[];
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
  diff(id: string, state: Properties, inputs: Properties): Difference;
  create(inputs: Properties): Promise<{ id: string; state: Record<string, unknown> }>;
  read(id: string, state: Properties): Promise<ReadBack | undefined>;
  update(id: string, state: Properties, inputs: Properties): Promise<Record<string, unknown>>;
  delete(id: string, state: Properties): Promise<void>;
}

export function lifecycle(definition: Definition, surroundings: Surroundings): Lifecycle {
  const fields = fieldsOf(definition.schema);
  const known = openKnown();
  const secrets = fields.filter(({ facts }) => facts.secret).map(({ name }) => name);
  /** No secret of its properties stands in what an operation says. */
  const operate = <T>(properties: Properties, act: (session: Session) => Promise<T>): Promise<T> =>
    surroundings.run.during(async (leaves) => {
      const { session, masked } = openSession(surroundings, known, leaves);
      session.hide(...secrets.map((name) => properties[name]));
      try {
        return await act(session);
      } catch (error) {
        throw error instanceof Failure ? new Failure(inBounds(masked(error.message)), error) : error;
      }
    });
  return {
    secrets,
    check: (inputs, before) => {
      if (before !== undefined) known.note(canonicalInputs(fields, before));
      return {
        inputs: { ...canonicalInputs(fields, inputs) },
        failures: [...misconfigured(surroundings), ...failures(definition, fields, inputs, before)],
      };
    },
    diff: (id, state, inputs) => {
      known.add(state, id);
      return difference(definition, fields, state, inputs);
    },
    create: (inputs) =>
      operate(inputs, (session) =>
        create(definition, surroundings.run, session, canonicalInputs(fields, inputs)),
      ),
    read: (id, state) =>
      operate(state, async (session) => {
        known.add(state, id);
        const outcome = await definition.read(session, id, state);
        if (outcome === undefined) return undefined;
        const { id: found, state: next } = complete(outcome);
        const declared = definition.declared?.(next) ?? next;
        return { id: found, state: next, inputs: { ...canonicalInputs(fields, declared) } };
      }),
    update: (id, state, inputs) =>
      operate(inputs, async (session) => {
        known.add(state, id);
        return complete(await definition.update(session, id, state, canonicalInputs(fields, inputs))).state;
      }),
    delete: (id, state) =>
      operate(state, async (session) => {
        known.add(state, id);
        await definition.delete(session, id, state);
        known.drop(state, id);
      }),
  };
}

/** Creates; where the run is over before the result can be taken, nothing is left that nobody is told of. */
async function create(
  definition: Definition,
  run: Run,
  session: Session,
  inputs: Properties,
): Promise<{ id: string; state: Record<string, unknown> }> {
  let made: Outcome;
  try {
    made = await definition.create(session, inputs);
  } catch (error) {
    // Nobody hears of the failure either.
    if (error instanceof Failure && error.unresolved && (await run.over()) !== undefined) {
      session.warn(error.message);
    }
    throw error;
  }
  const why = await run.over();
  if (why === undefined) return complete(made);
  const remains = await definition.abandon?.(session, made);
  if (remains !== undefined) session.warn(remains);
  throw new Failure(sentences(`State can't hold what was made, since ${why}`, remains, nextRun));
}

const nextRun =
  "Run up again; if the engine then speaks of a pending operation, `pulumi refresh --clear-pending-creates` removes it.";

interface Opened {
  readonly session: Session;
  readonly masked: (text: string) => string;
}

/** The configuration is looked at when a request is to be made, and not before: some operations make none. */
function openSession(
  { settings, env, transport, warn, run }: Surroundings,
  known: Known,
  leaves: Leaves,
): Opened {
  const hidden = new Set<string>();
  const ready = () => {
    const found = configuration(settings, env);
    if ("problems" in found) throw new Failure(found.problems.map(capitalised).join(" "));
    hidden.add(found.ready.credentials.accessToken);
    return found.ready;
  };
  const masked = (text: string) => maskSecrets(text, [...hidden]);
  const session: Session = {
    warn: (message) => warn(inBounds(masked(oneLine(message)))),
    hide: (...secrets) => {
      for (const secret of secrets) if (typeof secret === "string" && secret !== "") hidden.add(secret);
    },
    known,
    leaves: (line) => leaves(line && inBounds(masked(oneLine(line)))),
    signal: run.signal,
    get call() {
      const { credentials } = ready();
      return { transport: transport(), credentials, secrets: [...hidden] };
    },
    get tokenAdvice() {
      return ready().tokenAdvice;
    },
  };
  return { session, masked };
}

function misconfigured({ settings, env }: Surroundings): readonly string[] {
  const found = configuration(settings, env);
  return "problems" in found ? found.problems : [];
}

function complete({ id, state, failure }: Outcome): { id: string; state: Record<string, unknown> } {
  const kept = { id, state: wireable(state) } satisfies Kept;
  if (failure !== undefined) throw new Failure(failure, { kept });
  return kept;
}
