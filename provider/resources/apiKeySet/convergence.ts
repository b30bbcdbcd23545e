import type { Session } from "../../core/definition";
import { Failure, oneLine } from "../../core/errors";
import type { Properties } from "../../core/state";
import { isKeepable } from "../../core/stateSize";
import { rules as keyRules } from "../apiKey/inputs";
import * as key from "../apiKey/operations";
import { conceal, holderKey, holderOf, lost } from "../apiKey/state";
import { type Batch, type Named, openBatch } from "./batch";
import { type Entry, type Holding, inOrder, type LeftKey, label, stateOf } from "./entries";
import { plan, type Step } from "./plan";
import { misnamed } from "./preview";

/** Makes a set's keys as declared: those that are missing or different first; what is to go goes when the rest stands. */

export interface Converged {
  readonly holding: Holding;
  readonly batch: Batch;
  /** How many keys there was something to do with. */
  readonly of: number;
}

type Work = Exclude<Step, { does: "keep" | "remove" }>;

/** A key that is to go; `alias` is that of one that is no longer declared. */
type Going = Named<Entry> & { readonly alias?: string };

/** What has come of it so far. */
interface Progress {
  /** As that of a holding. */
  readonly holder: string;
  readonly entries: Map<string, Entry>;
  /** Keys that are deleted in the end. */
  readonly obsolete: Going[];
  /** Keys that the next update is to delete. */
  readonly left: LeftKey[];
  /** By alias, `Entry.was`, should the update fail. */
  readonly origins: ReadonlyMap<string, string>;
}

/** `verb` is what the user who waits reads of the keys that are done. */
export async function converge(
  session: Session,
  before: Holding,
  declared: Properties,
  verb: "created" | "written",
): Promise<Converged> {
  const steps = plan(before, declared);
  const refusal = misnamed(steps, declared);
  if (refusal !== undefined) {
    throw new Failure(`Updating the ${label(declared)}: nothing was done: ${refusal}`);
  }
  const batch = openBatch(session, label(declared));
  const { work, ...planned } = sorted(steps);
  // Of a create that fails halfway the engine has all inputs.
  const origins = verb === "created" ? new Map() : originsOf(before, steps);
  const { holder } = before;
  const progress = { ...planned, holder, origins };
  const { entries, obsolete, left } = progress;
  const holders = holdersIn(before);
  await batch.each(verb, work, (part, step) => apply(part, step, progress, holders));
  const { due = [], waiting = [] } = Object.groupBy(follow(before, steps), waitingFor(batch));
  left.push(...waiting);
  // A service may answer a value that it is given with the record that another entry had.
  const serving = new Set([...entries.values()].map(({ id }) => id));
  const isFree = ({ id }: { readonly id: string }) => !serving.has(id);
  const going = [...obsolete, ...due.map((one) => toDelete(declared, one, holder))].filter(isFree);
  if (going.length > 0) await deleteLast(session, batch, declared, going, progress);
  batch.close();
  const told = batch.failures.length > 0 ? origins : undefined;
  const declaredOrder = steps.map(({ alias }) => alias);
  return {
    holding: { holder, entries: inOrder(entries, declaredOrder, told), left: left.filter(isFree) },
    batch,
    of: new Set([...work, ...going].map(({ name }) => name)).size,
  };
}

/** Whose secret a value is. */
type Holders = ReadonlyMap<unknown, { readonly alias: string; readonly entry: Entry }>;

function holdersIn({ entries }: Holding): Holders {
  return new Map([...entries].map(([alias, entry]) => [entry.state["key"], { alias, entry }]));
}

/** The plan, by when it is done. */
function sorted(
  steps: readonly Step[],
): Omit<Progress, "holder" | "origins"> & { readonly work: readonly Named<Work>[] } {
  const entries = new Map<string, Entry>();
  const obsolete: Going[] = [];
  const work: Named<Work>[] = [];
  for (const step of steps) {
    if (step.does === "remove") obsolete.push({ name: step.alias, alias: step.alias, ...step.entry });
    else if (step.does === "keep") entries.set(step.alias, step.entry);
    else work.push({ name: step.alias, ...step });
  }
  return { entries, obsolete, left: [], work };
}

/** Makes one key as declared. Gives what is wrong with it, if it stands all the same. */
async function apply(
  session: Session,
  step: Work,
  { holder, entries, obsolete, left }: Progress,
  holders: Holders,
): Promise<string | undefined> {
  const { alias, does, declared } = step;
  conceal(session, declared, ...(does === "add" ? [] : [step.entry.state]));
  // Until it is done, what was there before is what there is.
  if (does !== "add") entries.set(alias, step.entry);
  if (session.signal.aborted) throw new Failure("Not begun, since the run ended.");
  const wrong = does === "edit" ? [] : problemsOf(step, holders);
  if (wrong.length > 0) throw new Failure(`Nothing was done: ${wrong.join(" ")}`);
  const { id, state, failure } =
    does === "edit"
      ? await key.update(session, step.entry.id, step.entry.state, declared)
      : await key.create(session, declared, holder);
  entries.set(alias, { id, state });
  if (does !== "replace") return failure;
  // While nobody can tell whether the new one serves, the old one does, unless nobody has its secret.
  if (failure === undefined || lost(step.entry.state)) obsolete.push({ name: alias, ...step.entry });
  else left.push({ ...leave(session, step.entry), alias });
  return failure;
}

/** What check can't see, which has the inputs of before: not the secrets of keys, nor what a failed update has done (K5). */
function problemsOf(step: Work, holders: Holders): readonly string[] {
  const { does, declared } = step;
  const held = does === "replace" ? step.entry : undefined;
  const value = declared["existingKey"];
  const holder = value === undefined ? undefined : holders.get(value);
  if (holder === undefined || holder.entry === held) {
    return keyRules(declared, held && { ...held.state, existingKey: held.state["key"] });
  }
  const name = JSON.stringify(oneLine(holder.alias));
  return [
    `existingKey: is the secret of the key ${name} of this set, and one key can't become two; leave it out, or keep that key with renamedFrom: ${name} in place of its entry.`,
  ];
}

/** Deletes what is to go, or leaves it to the next update where these keys may be all there is in the end. */
async function deleteLast(
  session: Session,
  batch: Batch,
  declared: Properties,
  going: readonly Going[],
  progress: Progress,
): Promise<void> {
  const tooLarge = !isKeepable(stateOf(declared, atWorst(progress, going)));
  // What no state will hold is taken back: the keys of before are all there is then.
  const undone = tooLarge && batch.failures.length > 0;
  if (undone || (await session.over()) !== undefined) {
    for (const one of going) spare(session, one, progress);
    return;
  }
  await batch.each("deleted", going, (part, one) => deleteOne(part, one, progress, tooLarge));
}

/** Deletes one key; one that can't be deleted is left for the next update. */
async function deleteOne(
  session: Session,
  one: Going,
  progress: Progress,
  tooLarge: boolean,
): Promise<undefined> {
  conceal(session, one.state);
  try {
    await key.remove(session, one.id, one.state);
    session.known.drop(one.state, one.id);
  } catch (error) {
    // The engine could not keep the state of a failure, and those that took the place of others are all there is.
    if (!tooLarge || !(error instanceof Failure)) {
      spare(session, one, progress);
      throw error;
    }
    progress.left.push(leave(session, one));
    session.warn(error.headline, [one.id]);
  }
}

/** What is not deleted by an update that fails: the key of an alias that no other has stands, with its secret. */
function spare(session: Session, one: Going, { entries, left }: Progress): void {
  const key = leave(session, one);
  const alias = freeAlias(one, entries);
  if (alias === undefined) left.push(key);
  else entries.set(alias, { id: one.id, state: one.state });
}

/** What there would be if none of these could be deleted. */
function atWorst({ holder, entries, left, origins }: Progress, going: readonly Going[]): Holding {
  const all = { holder, entries: new Map(entries), left: [...left] };
  for (const one of going) {
    const alias = freeAlias(one, entries);
    if (alias === undefined) all.left.push(leftKey(one));
    else all.entries.set(alias, one);
  }
  return { ...all, entries: inOrder(all.entries, all.entries.keys(), origins) };
}

function freeAlias({ alias }: Going, entries: ReadonlyMap<string, Entry>): string | undefined {
  return alias === undefined || entries.has(alias) ? undefined : alias;
}

/**
 * By its alias of now, the one that the engine's inputs have a key under, "" for none: they stay those of before an update
 * that failed halfway.
 */
function originsOf({ entries }: Holding, steps: readonly Step[]): ReadonlyMap<string, string> {
  const before = new Map([...entries].map(([alias, entry]) => [entry, entry.was ?? alias]));
  return new Map(
    // Of two that stand under one alias the key that goes comes last in the plan.
    steps.toReversed().flatMap((step) => {
      const was = "entry" in step ? before.get(step.entry) : "";
      return was === undefined || was === step.alias ? [] : [[step.alias, was] as const];
    }),
  );
}

/** The keys that are left, each with the alias that its successor has now. */
function follow({ entries, left }: Holding, steps: readonly Step[]): readonly LeftKey[] {
  const aliases = new Map(steps.map((step) => ["entry" in step ? step.entry : undefined, step.alias]));
  return left.map((one) => {
    const successor = one.alias === undefined ? undefined : entries.get(one.alias);
    const alias = successor && aliases.get(successor);
    return alias === undefined ? one : { ...one, alias };
  });
}

/** Tells a key that may be the one that serves, since what is to take its place failed once more. */
function waitingFor({ failures }: Batch): (one: LeftKey) => "due" | "waiting" {
  const failed = new Set(failures.map(({ name }) => name));
  return ({ alias }) => (alias !== undefined && failed.has(alias) ? "waiting" : "due");
}

/** From now on another resource that has the key may keep it. */
function leave(session: Session, { id, state }: Entry): LeftKey {
  session.known.release(state, id, holderOf(state) ?? "");
  return leftKey({ id, state });
}

function leftKey({ id, state }: Entry): LeftKey {
  return { id, name: String(state["name"]) };
}

/** A key that is left, as one that is to be deleted. */
export function toDelete({ workspaceId }: Properties, { id, name }: LeftKey, holder: string): Named<Entry> {
  return { id, name, state: { workspaceId, name, [holderKey]: holder } };
}
