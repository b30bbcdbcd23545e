import { isDeepStrictEqual } from "node:util";
import { type Actor, type Held, OperationFailed } from "./actor";
import { holdsKeys, idsIn, lostAlive } from "./heldKeys";
import type { Declared, Program, Properties } from "./schedule";
import type { Entry, OperationName, OperationRecord, StackState } from "./trace";

/**
 * What the Pulumi engine does with a provider, as far as a resource's fate depends on it:
 * - up checks and compares one resource after the other, then creates, updates and replaces; only if nothing failed
 *   it deletes what is no longer declared and what was replaced;
 * - inputs and outputs stand in state side by side. A create that failed with an id leaves the resource, and its next
 *   up updates it even if nothing differs. An update that failed that way leaves the new outputs and the old inputs;
 * - a replacement is created before the old object is deleted, and even one that failed with an id dooms the old one;
 * - refresh takes what read gives, and drops what read says is gone;
 * - once interrupted it begins nothing more. The next up goes on beside what nobody waits for any more.
 */
export interface Command {
  readonly green: boolean;
  readonly after: StackState;
  readonly operations: readonly OperationRecord[];
}

export async function up(site: Site, state: StackState, program: Program): Promise<Command> {
  const desk = openDesk(site, state);
  await each(site, desk, program, async (declared) => register(site, desk, declared));
  if (!desk.failed && !site.control.cancelled) {
    const unwanted = desk.entries().filter((entry) => entry.doomed || !isDeclared(entry, program));
    await each(site, desk, unwanted.reverse(), async (entry) => remove(site, desk, entry));
  }
  return desk.close();
}

export async function destroy(site: Site, state: StackState): Promise<Command> {
  const desk = openDesk(site, state);
  await each(site, desk, desk.entries().reverse(), async (entry) => remove(site, desk, entry));
  return desk.close();
}

export async function refresh(site: Site, state: StackState): Promise<Command> {
  const desk = openDesk(site, state);
  await each(site, desk, desk.entries(), async (entry) => look(site, desk, entry));
  return desk.close();
}

/** A resource for which an up would do something, or which fails the preview. */
interface Change {
  readonly declared: Declared;
  readonly problem?: string | undefined;
}

export async function preview(site: Site, state: StackState, program: Program): Promise<readonly Change[]> {
  const changed: Change[] = [];
  for (const declared of program) {
    const old = currentOf(state.entries, declared.name);
    const resource = site.actor.resource(declared.kind);
    const { inputs, failures } = await resource.check(declared.inputs, old?.inputs, declared.name);
    let problem = failures.length > 0 ? failures.join("\n") : undefined;
    const plan =
      old &&
      (await planOf(site, old, inputs).catch(({ message }: OperationFailed) => {
        problem ??= message;
      }));
    if (problem !== undefined || plan !== "same") changed.push({ declared, problem });
  }
  const unwanted = state.entries.filter((entry) => entry.doomed || !isDeclared(entry, program));
  return [...changed, ...unwanted.map((declared) => ({ declared }))];
}

/** What the up comes to whose preview fails. */
export async function refusal(site: Site, state: StackState, program: Program): Promise<Command | undefined> {
  const desk = openDesk(site, state);
  for (const { declared, problem } of await preview(site, state, program)) {
    if (problem !== undefined) desk.refuse(declared, problem);
  }
  return desk.failed ? desk.close() : undefined;
}

/** One after the other, or all at once; after a failure or an interruption none is begun. */
async function each<T extends Declared>(
  { parallel, control }: Site,
  desk: Desk,
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> {
  const attempt = async (item: T) => {
    if (control.cancelled) return;
    try {
      await act(item);
    } catch (error) {
      // What a process that has ended can't even check or compare.
      if (!(error instanceof OperationFailed)) throw error;
      desk.refuse(item, error.message);
    }
  };
  if (parallel) {
    await Promise.all(items.map(attempt));
    return;
  }
  for (const item of items) {
    if (desk.failed) return;
    await attempt(item);
  }
}

function currentOf(entries: readonly Entry[], name: string): Entry | undefined {
  return entries.find((entry) => entry.name === name && !entry.doomed);
}

function isDeclared(entry: Entry, program: Program): boolean {
  return program.some(({ name }) => name === entry.name);
}

type Plan = "same" | "update" | "replace";

async function planOf({ actor }: Site, old: Entry, inputs: Properties): Promise<Plan> {
  const { changes, replaces } = await actor.resource(old.kind).diff(old, inputs, old.name);
  const changed = changes ?? !isDeepStrictEqual(withoutNulls(old.inputs), withoutNulls(inputs));
  if (changed) return replaces.length > 0 ? "replace" : "update";
  return old.halfDone ? "update" : "same";
}

/** To the engine, null and a missing property are equal. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(present.map(([name, one]) => [name, withoutNulls(one)]));
}

async function register(site: Site, desk: Desk, given: Declared): Promise<void> {
  const { name, kind, inputs: declared, retain } = given;
  const resource = site.actor.resource(kind);
  const old = currentOf(desk.entries(), name);
  const { inputs, failures } = await resource.check(declared, old?.inputs, name);
  if (failures.length > 0) return desk.refuse({ name, kind, inputs }, failures.join("\n"));
  if (old === undefined) return create(site, desk, { ...given, inputs }, undefined);
  const plan = await planOf(site, old, inputs);
  if (plan === "same") desk.put({ ...old, inputs, retain });
  else if (plan === "replace") await replace(site, desk, given, old);
  else await update(site, desk, { ...old, retain }, inputs);
}

/** What is created in the place of another is checked once more, as what is new. */
async function replace(site: Site, desk: Desk, given: Declared, old: Entry) {
  const { name, kind, inputs: declared } = given;
  const { inputs, failures } = await site.actor.resource(kind).check(declared, undefined, name);
  if (failures.length > 0) return desk.refuse({ name, kind, inputs }, failures.join("\n"));
  await create(site, desk, { ...given, inputs }, old);
}

async function create(site: Site, desk: Desk, declared: Declared, replaced: Entry | undefined) {
  const { name, kind, inputs, retain } = declared;
  const attempt = await desk.operate("create", declared, undefined, () =>
    site.actor.resource(kind).create(inputs),
  );
  const held = keptOf(attempt);
  if (held === undefined) return;
  if (replaced !== undefined) desk.doom(replaced);
  desk.add({ name, kind, inputs, ...held, halfDone: attempt.ended === "failed", doomed: false, retain });
}

async function update(site: Site, desk: Desk, old: Entry, inputs: Properties): Promise<void> {
  const attempt = await desk.operate("update", { ...old, inputs }, old.id, async () => ({
    id: old.id,
    state: await site.actor.resource(old.kind).update(old, inputs),
  }));
  const held = keptOf(attempt);
  if (held === undefined) return;
  const failed = attempt.ended === "failed";
  desk.put(
    { ...old, state: held.state, inputs: failed ? old.inputs : inputs, halfDone: failed },
    attempt.record,
  );
}

async function remove(site: Site, desk: Desk, entry: Entry): Promise<void> {
  if (entry.retain) return desk.drop(entry);
  const attempt = await desk.operate("delete", entry, entry.id, () =>
    site.actor.resource(entry.kind).delete(entry, entry.name),
  );
  if (attempt.ended === "well") desk.drop(entry, attempt.record);
}

async function look(site: Site, desk: Desk, entry: Entry): Promise<void> {
  const attempt = await desk.operate("read", entry, entry.id, () =>
    site.actor.resource(entry.kind).read(entry),
  );
  if (attempt.ended !== "well") return;
  if (attempt.result === undefined) return desk.drop(entry, attempt.record);
  const { id, state, inputs = entry.inputs } = attempt.result;
  desk.put({ ...entry, id, state, inputs, halfDone: false }, attempt.record);
  // The engine compares after each read, to show what has drifted.
  await site.actor.resource(entry.kind).diff({ id, state }, entry.inputs, entry.name);
}

/** What the engine keeps of an operation. */
function keptOf(attempt: Attempt<Held>): Held | undefined {
  if (attempt.ended === "well") return attempt.result;
  return attempt.ended === "failed" ? attempt.kept : undefined;
}

/** Where one command of the engine takes place. */
export interface Site {
  readonly actor: Actor;
  readonly control: Control;
  readonly parallel: boolean;
  /** The number of the service's last request. */
  readonly requests: () => number;
  /** Those of its ids whose object lives in the service; asked when state loses some. */
  readonly living: (entry: Entry) => readonly string[];
}

type Control = ReturnType<typeof openControl>;

/** The life of one command: how an interruption reaches it. */
export function openControl() {
  let cancelled = false;
  let announce = () => {};
  const dropping = new Promise<undefined>((resolve) => {
    announce = () => resolve(undefined);
  });
  const work: Promise<unknown>[] = [];
  return {
    /** Nothing more is begun. */
    cancel(): void {
      cancelled = true;
    },
    /** And nobody waits for what is under way. */
    drop(): void {
      cancelled = true;
      announce();
    },
    get cancelled() {
      return cancelled;
    },
    /** The result, or `undefined` once nobody waits for it. */
    wait<T>(one: Promise<T>): Promise<T | undefined> {
      work.push(one);
      return Promise.race([one, dropping]);
    },
    /** The work goes on unobserved; settles when it has ended. */
    rest: async () => {
      await Promise.allSettled(work);
    },
  };
}

/** What came of an operation, as the engine sees it. */
type Attempt<T> = { readonly record: OperationRecord } & (
  | { readonly ended: "well"; readonly result: T }
  | { readonly ended: "failed"; readonly kept: Held | undefined }
  | { readonly ended: "dropped" }
);

type Desk = ReturnType<typeof openDesk>;

/** The engine's working copy of the state during one command, and the record of what it did. */
function openDesk(site: Site, before: StackState) {
  let entries = before.entries;
  let failed = false;
  let serial = Math.max(0, ...entries.map((entry) => entry.serial));
  const operations: OperationRecord[] = [];

  function begin(name: OperationName, { name: resource, kind, inputs }: Declared, id: string | undefined) {
    const at = site.requests();
    const record: OperationRecord = {
      ...{ name, resource, kind, inputs, id, from: at, until: at },
      ...{ ended: "dropped", message: "", lostAlive: [] },
    };
    operations.push(record);
    return record;
  }
  return {
    get failed() {
      return failed;
    },
    entries: (): Entry[] => [...entries],
    /** `by`: the operation that changed it, if one did. */
    put(entry: Entry, by?: OperationRecord): void {
      const before = entries.find(({ serial: old }) => old === entry.serial);
      if (by !== undefined && before !== undefined) by.lostAlive = lostAlive(site, before, entry);
      entries = entries.map((one) => (one.serial === entry.serial ? entry : one));
    },
    add(entry: Omit<Entry, "serial">): void {
      serial += 1;
      entries = [...entries, { ...entry, serial }];
    },
    doom({ serial: doomed }: Entry): void {
      entries = entries.map((one) => (one.serial === doomed ? { ...one, doomed: true } : one));
    },
    drop(entry: Entry, by?: OperationRecord): void {
      // Destroy leaves in the service what it has no call to delete.
      entries = entries.filter((one) => one.serial !== entry.serial);
      if (by === undefined || (by.name !== "read" && !holdsKeys(entry.kind))) return;
      // Two may have the same key, which stays for the other one.
      const others = entries.filter(({ kind }) => holdsKeys(kind)).flatMap(idsIn);
      by.lostAlive = lostAlive(site, entry, undefined).filter((id) => !others.includes(id));
    },
    /** A resource whose inputs are refused. */
    refuse(declared: Declared, reason: string): void {
      failed = true;
      Object.assign(begin("check", declared, undefined), { ended: "failed", message: reason });
    },
    async operate<T>(
      name: OperationName,
      about: Declared,
      id: string | undefined,
      act: () => Promise<T>,
    ): Promise<Attempt<T>> {
      const record = begin(name, about, id);
      // Its end is recorded even if nobody waits for it.
      const work = settled(act).then((end) => {
        record.until = site.requests();
        if ("problem" in end) record.message = end.problem.message;
        return end;
      });
      const end = await site.control.wait(work);
      if (end === undefined) return { record, ended: "dropped" };
      if ("problem" in end) {
        failed = true;
        record.ended = "failed";
        record.id ??= end.problem.kept?.id;
        return { record, ended: "failed", kept: end.problem.kept };
      }
      record.ended = "well";
      record.id ??= (end.result as Partial<Held> | undefined)?.id;
      return { record, ended: "well", result: end.result };
    },
    close: (): Command => ({ green: !failed && !site.control.cancelled, after: { entries }, operations }),
  };
}

async function settled<T>(
  act: () => Promise<T>,
): Promise<{ readonly result: T } | { readonly problem: OperationFailed }> {
  try {
    return { result: await act() };
  } catch (error) {
    if (error instanceof OperationFailed) return { problem: error };
    throw error;
  }
}
