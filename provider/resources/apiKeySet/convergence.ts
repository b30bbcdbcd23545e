import { spelled } from "../../core/check";
import type { Session } from "../../core/definition";
import { Failure, oneLine } from "../../core/errors";
import { isKeepable } from "../../core/stateSize";
import * as key from "../apiKey/operations";
import type { KeyState } from "../apiKey/properties";
import { contradictions, fixedByMigration } from "../apiKey/rules";
import { adoptedId, conceal, pending as isLost } from "../apiKey/state";
import { type Batch, expectOpen, type Named, openBatch } from "./batch";
import { type Entry, type Holding, type KeyToDelete, label, stateOf } from "./entries";
import { adoptedBy, plan, refusedRename, type Step } from "./plan";
import type { SetInputs } from "./properties";

/** Makes a set's keys as declared: those that are missing or different first; what is to go, when the rest is done. */

export interface Converged {
  readonly holding: Holding;
  readonly batch: Batch;
  /** How many keys there was something to do with. */
  readonly of: number;
}

type Work = Named<Exclude<Step, { does: "keep" | "remove" }>>;

/** A key that is to go. */
interface Going extends Named<Entry> {
  /** Whether another key takes its place. */
  readonly isReplaced: boolean;
}

/** What has come of it so far. Aliases are those that state has: the new ones hold once all is done. */
interface Progress {
  readonly entries: Map<string, Entry>;
  /** Keys to delete in the end. */
  readonly going: Going[];
  /** Keys that the next update is to delete. */
  readonly toDelete: KeyToDelete[];
}

/**
 * `claim`: that of the resource. `verb` is what the user who waits reads of the keys that are done; `subject`, what messages
 * call the keys.
 */
export async function convergeKeys(
  session: Session,
  claim: string,
  before: Holding,
  declared: SetInputs,
  verb: "created" | "written",
  subject = label(declared),
): Promise<Converged> {
  const steps = plan(before, declared);
  const refusal = refusedRename(steps, declared, before);
  if (refusal !== undefined) {
    throw new Failure(`Updating the ${label(declared)}: nothing was changed. ${refusal}`);
  }
  const batch = openBatch(session, subject);
  const progress: Progress = { entries: new Map(before.entries), going: [], toDelete: [] };
  for (const step of steps) if (step.does === "keep") progress.entries.set(step.from, step.entry);
  const work = steps.flatMap((step): Work[] =>
    step.does === "keep" || step.does === "remove" ? [] : [{ name: step.alias, ...step }],
  );
  const holders = holdersIn(before);
  await batch.each(work.some(adoptedBy) ? "written" : verb, work, (part, step) =>
    apply(part, step, claim, progress, holders),
  );

  // While the key that takes a place could not be made as declared, the one that had it may be in use.
  const failed = new Set(batch.failures.map(({ name }) => name));
  const waiting = new Set(
    steps.flatMap((step) => ("from" in step && failed.has(step.alias) ? [step.from] : [])),
  );
  for (const one of before.toDelete) {
    if (one.alias !== undefined && waiting.has(one.alias)) progress.toDelete.push(one);
    else progress.going.push({ ...entryOf(declared, one), name: one.name, isReplaced: true });
  }
  const removed = new Set<string>();
  for (const step of steps) {
    if (step.does !== "remove") continue;
    removed.add(step.alias);
    progress.going.push({ name: step.alias, isReplaced: false, ...step.entry });
  }
  // A service may answer a value that it is given with the record that another entry had.
  const inUse = new Set([...progress.entries].flatMap(([alias, { id }]) => (removed.has(alias) ? [] : [id])));
  // Nor does a key go that an entry is to adopt, also where it has not yet.
  for (const id of steps.map(adoptedBy)) if (id !== undefined) inUse.add(id);
  const going = progress.going.filter(({ id }) => !inUse.has(id));
  for (const one of progress.going)
    if (inUse.has(one.id) && !one.isReplaced) progress.entries.delete(one.name);
  const isTooLarge =
    going.length > 0 &&
    !isKeepable(stateOf(declared, { entries: progress.entries, toDelete: before.toDelete }));
  // What no state will hold is taken back: the keys of before are all there is then.
  const isUndone = isTooLarge && batch.failures.length > 0;
  // What is not deleted any more fails the update, so that nothing of it is taken for done.
  if (going.length > 0) await session.closing();
  if (isUndone) for (const one of going) keepForNext(session, one, claim, progress);
  else await batch.each("deleted", going, (part, one) => deleteOne(part, one, claim, progress, isTooLarge));
  batch.close();
  return {
    holding: {
      entries: isUndone || batch.failures.length > 0 ? progress.entries : renamed(steps, progress),
      toDelete: progress.toDelete.filter(({ id }) => !inUse.has(id)),
    },
    batch,
    of: new Set([...work, ...going].map(({ name }) => name)).size,
  };
}

/** Under the aliases that are declared. An update that fails leaves the former ones, so that it can be repeated as it is. */
function renamed(steps: readonly Step[], { entries }: Progress): ReadonlyMap<string, Entry> {
  return new Map(
    steps.flatMap((step) => {
      const entry = entries.get("from" in step ? step.from : step.alias);
      return entry === undefined ? [] : [[step.alias, entry] as const];
    }),
  );
}

/** Whose secret, or id, a value is. */
type Holders = ReadonlyMap<unknown, { readonly alias: string; readonly entry: Entry }>;

function holdersIn({ entries }: Holding): Holders {
  return new Map(
    [...entries].flatMap(([alias, entry]) =>
      [entry.state.key, entry.id].map((value) => [value, { alias, entry }] as const),
    ),
  );
}

/** Makes one key as declared. Gives what is wrong with it, if it exists all the same. */
async function apply(
  session: Session,
  step: Work,
  claim: string,
  { entries, going, toDelete }: Progress,
  holders: Holders,
): Promise<string | undefined> {
  const { alias, does, declared } = step;
  conceal(session, declared, ...(does === "add" ? [] : [step.entry.state]));
  expectOpen(session);
  const wrong = does === "edit" ? [] : problemsOf(step, holders);
  if (wrong.length > 0) throw new Failure(`Nothing was changed: ${wrong.join(" ")}`);
  const { id, state, failure } =
    does === "edit"
      ? await key.update(session, step.entry.id, step.entry.state, declared)
      : await key.create(session, declared, claim);
  entries.set(does === "add" ? alias : step.from, { id, state });
  if (does !== "replace") return failure;
  const { entry, from } = step;
  // While nobody can tell whether the new one works, the old one does, unless nobody has its secret.
  if (failure === undefined || isLost(entry.state)) going.push({ name: alias, isReplaced: true, ...entry });
  else toDelete.push({ ...released(session, entry, claim), alias: from });
  return failure;
}

/** What check can't see, which has the inputs of before: not the secrets of keys, nor what a failed update has done (K5). */
function problemsOf(step: Work, holders: Holders): readonly string[] {
  const { does, declared } = step;
  const held = does === "replace" ? step.entry : undefined;
  const id = adoptedId(declared);
  const value = declared.existingKey ?? id;
  const holder = value === undefined ? undefined : holders.get(value);
  if (holder === undefined || holder.entry === held) {
    const before = held && { ...held.state, existingKey: held.state.key };
    const problems = [...contradictions(declared), ...fixedByMigration(declared, before)];
    return problems.map(({ path, message }) => `${spelled(path)}: ${message}`);
  }
  const name = JSON.stringify(oneLine(holder.alias));
  const what =
    id === undefined
      ? `existingKey: is the secret of the key ${name} of this set`
      : `existingId: is the id of the key ${name} of this set`;
  return [
    `${what}, and one key can't have two entries; leave it out, or replace the entry ${name} by renamedFrom: ${name} here.`,
  ];
}

/** Deletes one key; one that can't be deleted is left for the next update. */
async function deleteOne(
  session: Session,
  one: Going,
  claim: string,
  progress: Progress,
  isTooLarge: boolean,
): Promise<undefined> {
  conceal(session, one.state);
  try {
    expectOpen(session);
    await key.remove(session, one.id, one.state, claim);
    if (!one.isReplaced) progress.entries.delete(one.name);
  } catch (error) {
    // The engine could not keep the state of a failure, and the new keys are all there is.
    if (isTooLarge && error instanceof Failure) {
      progress.toDelete.push(released(session, one, claim));
      session.warn(error.headline, [one.id]);
      return;
    }
    keepForNext(session, one, claim, progress);
    throw error;
  }
}

/** What is not deleted stays under its alias, with its secret, or among what the next update is to delete. */
function keepForNext(session: Session, one: Going, claim: string, { toDelete }: Progress): void {
  if (one.isReplaced) toDelete.push(released(session, one, claim));
}

/** From now on another resource that has the key may keep it. */
function released(session: Session, { id, state }: Entry, claim: string): KeyToDelete {
  session.registry.release(state.workspaceId, id, claim);
  return { id, name: String(state.name) };
}

/** A key that is still to be deleted, as an entry. */
export function entryOf(
  { workspaceId }: { readonly workspaceId?: string | undefined },
  { id, name }: KeyToDelete,
): Entry {
  return { id, state: { workspaceId, name } as KeyState };
}
