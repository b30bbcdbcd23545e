import { isDeepStrictEqual } from "node:util";
import type { Kept, Properties } from "../../provider/core/state";
import { type Actor, failureOf, OperationFailed } from "./actor";
import type { Declared, Kind, Program } from "./program";

/**
 * A model of the Pulumi engine, as far as a resource's fate depends on it:
 * - up checks and compares one resource after the other, then creates, updates and replaces; only if nothing failed
 *   it deletes what is no longer declared and what was replaced;
 * - inputs and outputs stand in state side by side. A create that failed with an id leaves the resource, and its next
 *   up updates it even if nothing differs. An update that failed that way leaves the new outputs and the old inputs;
 * - a replacement is created before the old object is deleted, and even one that failed with an id dooms the old one;
 * - refresh takes what read gives, and drops what read says is gone;
 * - once interrupted it begins nothing more. The next update runs beside the requests that nobody waits for.
 */
export interface Command {
  readonly green: boolean;
  readonly state: State;
  readonly operations: readonly Operation[];
}

/** The engine's state of a stack. Two entries may have the same name, and even the same id. */
export type State = readonly Entry[];

export interface Entry extends Kept {
  readonly name: string;
  readonly kind: Kind;
  readonly inputs: Properties;
  /** Whether the last operation failed after the object was made or changed. */
  readonly halfDone: boolean;
  /** Replaced, and still to be deleted. */
  readonly doomed: boolean;
  /** Whether its object stays when it is removed. */
  readonly retain: boolean | undefined;
}

export interface Operation {
  readonly name: "check" | "create" | "read" | "update" | "delete";
  readonly resource: string;
  readonly kind: Kind;
  /** The inputs of the call. */
  readonly inputs: Properties;
  /** The requests of the service's log from the operation's begin to its end: (from, until]. */
  readonly from: number;
  until: number;
  /** "dropped": the result was thrown away, as nobody waited for it. */
  ended: "well" | "failed" | "dropped";
  message: string;
}

/** Where one command of the engine takes place. */
export interface Site {
  readonly actor: Actor;
  readonly control: Control;
  readonly parallel: boolean;
  /** The number of the service's last request. */
  readonly requests: () => number;
}

export async function up(site: Site, state: State, program: Program): Promise<Command> {
  const desk = openDesk(site, state);
  await desk.each(program, (declared) => register(desk, declared));
  if (!desk.failed && !site.control.cancelled) {
    await desk.each(unwanted(desk.state, program).toReversed(), (entry) => remove(desk, entry));
  }
  return desk.close();
}

export async function destroy(site: Site, state: State): Promise<Command> {
  const desk = openDesk(site, state);
  await desk.each(state.toReversed(), (entry) => remove(desk, entry));
  return desk.close();
}

export async function refresh(site: Site, state: State): Promise<Command> {
  const desk = openDesk(site, state);
  await desk.each(state, (entry) => look(desk, entry));
  return desk.close();
}

/** The beginning of an update: the resources that would change, and those that fail the preview. */
export async function preview(site: Site, state: State, program: Program) {
  const desk = openDesk(site, state);
  let changes = unwanted(state, program).length;
  await desk.each(program, async (declared) => {
    const old = currentOf(state, declared);
    const inputs = await checked(site.actor, declared, old);
    if (old === undefined || (await planOf(site.actor, old, inputs)) !== "same") changes += 1;
  });
  return { ...desk.close(), changes };
}

function unwanted(state: State, program: Program): State {
  return state.filter((entry) => entry.doomed || !program.some(({ name }) => name === entry.name));
}

async function checked(actor: Actor, { name, kind, inputs: given }: Declared, old: Entry | undefined) {
  const { inputs, failures } = await actor.resource(kind, name).check(given, old?.inputs, old?.state);
  if (failures.length > 0) throw new OperationFailed(failures.map(({ reason }) => reason).join("\n"));
  return inputs;
}

function currentOf(state: State, { name }: Declared): Entry | undefined {
  return state.find((entry) => entry.name === name && !entry.doomed);
}

async function planOf(actor: Actor, old: Entry, inputs: Properties): Promise<"same" | "update" | "replace"> {
  const { changes, replaces } = await actor.resource(old.kind, old.name).diff(old, inputs);
  const isSame = () => isDeepStrictEqual(withoutNulls(old.inputs), withoutNulls(inputs));
  if (changes === "unknown" ? !isSame() : changes === "some")
    return replaces.length > 0 ? "replace" : "update";
  return old.halfDone ? "update" : "same";
}

/** To the engine, null and a missing property are equal. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(present.map(([name, one]) => [name, withoutNulls(one)]));
}

async function register(desk: Desk, declared: Declared): Promise<void> {
  const { actor } = desk;
  const old = currentOf(desk.state, declared);
  const inputs = await checked(actor, declared, old);
  if (old === undefined) return create(desk, { ...declared, inputs });
  const plan = await planOf(actor, old, inputs);
  const { retain } = declared;
  if (plan === "same") return desk.put({ ...old, inputs, retain }, old);
  if (plan === "update") return update(desk, { ...old, retain }, old, inputs);
  // A replacement is checked like a new resource.
  return create(desk, { ...declared, inputs: await checked(actor, declared, undefined) }, old);
}

async function create(desk: Desk, declared: Declared, replaced?: Entry): Promise<void> {
  const { name, kind, inputs, retain } = declared;
  const end = await desk.operate("create", declared, () => desk.actor.resource(kind, name).create(inputs));
  if (end?.held === undefined) return;
  if (replaced !== undefined) desk.put({ ...replaced, doomed: true }, replaced);
  desk.put({ ...end.held, name, kind, inputs, retain, halfDone: end.failed, doomed: false });
}

async function update(desk: Desk, entry: Entry, old: Entry, inputs: Properties): Promise<void> {
  const resource = desk.actor.resource(entry.kind, entry.name);
  const end = await desk.operate("update", { ...entry, inputs }, () => resource.update(entry, inputs));
  if (end?.held === undefined) return;
  const { state } = end.held;
  desk.put({ ...entry, state, inputs: end.failed ? entry.inputs : inputs, halfDone: end.failed }, old);
}

async function remove(desk: Desk, entry: Entry): Promise<void> {
  if (entry.retain) return desk.put(undefined, entry);
  const end = await desk.operate("delete", entry, async () => {
    await desk.actor.resource(entry.kind, entry.name).delete(entry);
    return undefined;
  });
  if (end?.failed === false) desk.put(undefined, entry);
}

async function look(desk: Desk, entry: Entry): Promise<void> {
  const resource = desk.actor.resource(entry.kind, entry.name);
  let { inputs } = entry;
  const end = await desk.operate("read", entry, async () => {
    const found = await resource.read(entry);
    inputs = found.inputs ?? inputs;
    return found.id === "" ? undefined : { id: found.id, state: found.properties };
  });
  if (end?.failed !== false) return;
  if (end.held === undefined) return desk.put(undefined, entry);
  desk.put({ ...entry, ...end.held, inputs, halfDone: false }, entry);
  // The engine compares after each read, to show what has drifted.
  await resource.diff(end.held, entry.inputs);
}

type Control = ReturnType<typeof openControl>;

/** The life of one command: how an interruption reaches it. */
export function openControl() {
  const { promise: dropping, resolve } = Promise.withResolvers<undefined>();
  const work: Promise<unknown>[] = [];
  const control = {
    cancelled: false,
    /** Nothing more is begun, and with `drops` nobody waits for what is under way. */
    cancel(drops: boolean): void {
      control.cancelled = true;
      if (drops) resolve(undefined);
    },
    /** The result, or `undefined` once nobody waits for it. */
    wait<T>(one: Promise<T>): Promise<T | undefined> {
      work.push(one);
      return Promise.race([one, dropping]);
    },
    /** Settles when all work has ended, also what nobody waits for. */
    rest: async () => void (await Promise.allSettled(work)),
  };
  return control;
}

/** The state that the engine keeps of an operation. */
interface End {
  readonly failed: boolean;
  readonly held: Kept | undefined;
}

type Desk = ReturnType<typeof openDesk>;

/** The engine's working copy of the state during one command, and the record of what it did. */
function openDesk({ actor, control, parallel, requests }: Site, before: State) {
  let state = before;
  let failed = false;
  const operations: Operation[] = [];

  function begin(name: Operation["name"], { name: resource, kind, inputs }: Declared): Operation {
    const about = { name, resource, kind, inputs, from: requests(), until: requests() };
    const record: Operation = { ...about, ended: "dropped", message: "" };
    operations.push(record);
    return record;
  }

  return {
    actor,
    get failed() {
      return failed;
    },
    get state() {
      return state;
    },
    /** Adds an entry, or puts it in the place of another. Without one, the other is dropped. */
    put(entry: Entry | undefined, instead?: Entry): void {
      const added = entry === undefined ? [] : [entry];
      state =
        instead === undefined
          ? [...state, ...added]
          : state.flatMap((one) => (one === instead ? added : [one]));
    },
    /** One after the other, or all at once; after a failure or an interruption none is begun. */
    async each<T extends Declared>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
      const attempt = async (item: T) => {
        if (control.cancelled) return;
        // Failures outside of an operation, such as in a check, and all calls to a process that has ended.
        await act(item).catch((error: unknown) => {
          failed = true;
          Object.assign(begin("check", item), { ended: "failed", message: failureOf(error).message });
        });
      };
      if (parallel) await Promise.all(items.map(attempt));
      else {
        for (const item of items) if (!failed) await attempt(item);
      }
    },
    /** `undefined` once nobody waits for it. Its end is still recorded. */
    async operate(
      name: Operation["name"],
      about: Declared,
      act: () => Promise<Kept | undefined>,
    ): Promise<End | undefined> {
      const record = begin(name, about);
      const work = act()
        .then((held): End => ({ failed: false, held }))
        .catch((error: unknown): End => {
          const { message, kept } = failureOf(error);
          record.message = message;
          return { failed: true, held: kept };
        })
        .finally(() => {
          record.until = requests();
        });
      const end = await control.wait(work);
      if (end === undefined) return undefined;
      failed ||= end.failed;
      record.ended = end.failed ? "failed" : "well";
      return end;
    },
    close: (): Command => ({ green: !failed && !control.cancelled, state, operations }),
  };
}
