import { randomUUID } from "node:crypto";
import type { Outcome, Session } from "../definition";
import { Failure } from "../errors";
import { capitalised } from "../outcome";
import type { Properties } from "../state";
import { isKeepable } from "../stateSize";
import { rules as keyRules } from "./keyInputs";
import * as key from "./keyOperations";
import { read as readKey } from "./keyReading";
import { holderKey, holderOf, lost } from "./keyState";
import { type Entry, type Holding, holdingOf, type LeftKey, stateOf } from "./setEntries";
import { plan, type Step } from "./setPlan";
import { type Crowd, openCrowd } from "./setRun";

/** What is done with a set: with each of its keys what is done with an ApiKey. */

const none: Holding = { entries: new Map(), left: [] };

function subjectOf({ workspaceId }: Properties): string {
  return `keys of workspace ${workspaceId}`;
}

export async function create(session: Session, declared: Properties): Promise<Outcome> {
  const { holding, crowd, of } = await converge(session, none, declared);
  const outcome = { id: `keys-${randomUUID()}`, state: stateOf(declared, holding) };
  if (crowd.failures.length === 0) return outcome;
  const failed = `Creating the ${subjectOf(declared)}: ${share(crowd, of)} failed`;
  const { unresolved } = crowd;
  const lines = crowd.lines();
  if (holding.entries.size === 0) {
    const nothing = unresolved.length === 0 ? "Nothing was created" : "State holds none of them";
    throw new Failure(`${failed}. ${nothing}; run up again when the cause is mended.`, {
      lines,
      unresolved: unresolved.length > 0,
    });
  }
  return { ...outcome, failure: `${failed}. ${rest}`, lines, unresolved };
}

const rest = "State holds what was done; run up again, which does the rest.";

export async function update(
  session: Session,
  id: string,
  state: Properties,
  declared: Properties,
): Promise<Outcome> {
  const { holding, crowd, of } = await converge(session, holdingOf(state), declared);
  const outcome = { id, state: stateOf(declared, holding) };
  if (crowd.failures.length === 0) return outcome;
  const failure = `Updating the ${subjectOf(declared)}: ${share(crowd, of)} failed. ${rest}`;
  return { ...outcome, failure, lines: crowd.lines(), unresolved: crowd.unresolved };
}

/** "3 of 200", or "all 3". */
function share({ failures }: Crowd, of: number): string {
  const failed = new Set(failures.map(({ name }) => name)).size;
  const [some, all] = [failed, of].map((count) => count.toLocaleString("en"));
  return failed < of ? `${some} of ${all}` : of === 1 ? "the one" : `all ${all}`;
}

interface Converged {
  readonly holding: Holding;
  readonly crowd: Crowd;
  /** How many keys there was something to do with. */
  readonly of: number;
}

type Named<T> = T & { readonly name: string };
type Work = Exclude<Step, { does: "keep" | "remove" }>;

/** What has come of it so far. */
interface Standing {
  readonly entries: Map<string, Entry>;
  readonly doomed: Named<Entry>[];
  readonly left: LeftKey[];
}

/** Makes the keys as declared: those that are missing or different first; what is to go goes when the rest stands. */
async function converge(session: Session, before: Holding, declared: Properties): Promise<Converged> {
  const steps = plan(before, declared);
  const crowd = openCrowd(session, capitalised(subjectOf(declared)));
  const standing: Standing = { entries: new Map(), doomed: [], left: [] };
  const { entries, doomed, left } = standing;
  const work: Named<Work>[] = [];
  for (const step of steps) {
    if (step.does === "remove") doomed.push({ name: step.alias, ...step.entry });
    else if (step.does === "keep") entries.set(step.alias, step.entry);
    else work.push({ name: step.alias, ...step });
  }
  await crowd.each(before === none ? "created" : "written", work, (part, step) =>
    fulfil(part, step, standing),
  );
  const { due = [], waiting = [] } = Object.groupBy(follow(before, steps), waitingFor(crowd));
  left.push(...waiting);
  // A service may answer a value that it is given with the record that another entry had.
  const serving = new Set([...entries.values()].map(({ id }) => id));
  const isFree = ({ id }: { readonly id: string }) => !serving.has(id);
  const going = [...doomed, ...due.map((one) => toDelete(declared, one))].filter(isFree);
  // What no state will hold is taken back: the keys of before are all there is then.
  const tooLarge = going.length > 0 && !isKeepable(stateOf(declared, standing));
  const undone = tooLarge && crowd.failures.length > 0;
  const stays = going.length > 0 && (undone || (await session.over()) !== undefined);
  if (stays) left.push(...going.map((one) => leave(session, one)));
  else await crowd.each("deleted", going, (part, one) => end(part, one, left, tooLarge));
  crowd.close();
  const declaredOrder = steps.map(({ alias }) => alias);
  return {
    holding: { entries: inOrder(entries, declaredOrder), left: left.filter(isFree) },
    crowd,
    of: new Set([...work, ...going].map(({ name }) => name)).size,
  };
}

/** Makes one key as declared. Gives what is wrong with it, if it stands all the same. */
async function fulfil(
  session: Session,
  step: Work,
  { entries, doomed, left }: Standing,
): Promise<string | undefined> {
  const { alias, does, declared } = step;
  // Until it is done, what was there before is what there is.
  if (does !== "add") entries.set(alias, step.entry);
  if (session.signal.aborted) throw new Failure("Not begun, since the run ended.");
  // check has the inputs of before an update that failed halfway.
  const wrong = does === "replace" ? keyRules(declared, step.entry.state) : [];
  if (wrong.length > 0) throw new Failure(`Nothing was done: ${wrong.join(" ")}`);
  const { id, state, failure } =
    does === "edit"
      ? await key.update(session, step.entry.id, step.entry.state, declared)
      : await key.create(session, declared);
  entries.set(alias, { id, state });
  if (does !== "replace") return failure;
  // While nobody can tell whether the new one serves, the old one does, unless nobody has its secret.
  if (failure === undefined || lost(step.entry.state)) doomed.push({ name: alias, ...step.entry });
  else left.push({ ...leave(session, step.entry), alias });
  return failure;
}

/** Deletes one key; one that can't be deleted is left for the next update. */
async function end(session: Session, one: Entry, left: LeftKey[], tooLarge: boolean): Promise<undefined> {
  try {
    await key.remove(session, one.id, one.state);
    session.known.drop(one.state, one.id);
  } catch (error) {
    left.push(leave(session, one));
    // The engine could not keep the state of a failure, and those that took the place of others are all there is.
    if (!tooLarge || !(error instanceof Failure)) throw error;
    session.warn(error.headline, [one.id]);
  }
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
function waitingFor({ failures }: Crowd): (one: LeftKey) => "due" | "waiting" {
  const failed = new Set(failures.map(({ name }) => name));
  return ({ alias }) => (alias !== undefined && failed.has(alias) ? "waiting" : "due");
}

/** From now on another resource that has the key may keep it. */
function leave(session: Session, { id, state }: Entry): LeftKey {
  session.known.release(state, id, holderOf(state) ?? "");
  return { id, name: String(state["name"]) };
}

/** A key that is left, as one that is to be deleted: the set no longer holds it. */
function toDelete({ workspaceId }: Properties, { id, name }: LeftKey): Named<Entry> {
  return { id, name, state: { workspaceId, name, [holderKey]: "left" } };
}

/** In the order of the aliases, whichever was done first. */
function inOrder(entries: ReadonlyMap<string, Entry>, aliases: Iterable<string>): Holding["entries"] {
  return new Map(
    [...aliases].flatMap((alias) => {
      const entry = entries.get(alias);
      return entry === undefined ? [] : [[alias, entry] as const];
    }),
  );
}

/** Deletes again what was made and no state holds. Gives a line for each that still stands. */
export async function withdraw(
  session: Session,
  { state }: Outcome,
  before: Properties | undefined,
): Promise<readonly string[]> {
  const { entries, left } = before === undefined ? none : holdingOf(before);
  const held = new Set([...[...entries.values()].map(({ id }) => id), ...left.map(({ id }) => id)]);
  const made = [...holdingOf(state).entries]
    .filter(([, { id }]) => !held.has(id))
    .map(([name, entry]) => ({ name, ...entry }));
  const remains: string[] = [];
  const crowd = openCrowd(session, capitalised(subjectOf(state)));
  await crowd.each("deleted again", made, async (part, entry) => {
    const lines = await key.abandon(part, entry);
    part.leaves(lines[0]);
    remains.push(...lines);
    return undefined;
  });
  crowd.close();
  return [...remains, ...crowd.lines()];
}

/** The keys as they are now. One that cannot be read fails it all, so that state stays; one that is gone leaves it. */
export async function read(session: Session, id: string, state: Properties): Promise<Outcome> {
  const { entries, left } = holdingOf(state);
  const crowd = openCrowd(session, capitalised(subjectOf(state)));
  const found = new Map<string, Entry>();
  const all = [...entries].map(([name, entry]) => ({ name, ...entry }));
  await crowd.each("read", all, async (part, { name, ...entry }) => {
    const now = await readKey(part, entry.id, entry.state);
    if (now !== undefined) found.set(name, now);
    return undefined;
  });
  crowd.close();
  if (crowd.failures.length > 0) {
    const failed = `Reading the ${subjectOf(state)}: ${share(crowd, all.length)} failed`;
    throw new Failure(`${failed}. State is unchanged; run the command again.`, { lines: crowd.lines() });
  }
  return { id, state: stateOf(state, { entries: inOrder(found, entries.keys()), left }) };
}

export async function remove(session: Session, _id: string, state: Properties): Promise<void> {
  const { entries, left } = holdingOf(state);
  const crowd = openCrowd(session, capitalised(subjectOf(state)));
  const all = [
    ...[...entries].map(([name, entry]) => ({ name, ...entry })),
    ...left.map((one) => toDelete(state, one)),
  ];
  await crowd.each("deleted", all, async (part, { id, state: key_ }) => {
    await key.remove(part, id, key_);
    return undefined;
  });
  crowd.close();
  if (crowd.failures.length === 0) return;
  const failed = `Deleting the ${subjectOf(state)}: ${share(crowd, all.length)} failed`;
  throw new Failure(`${failed}. The set stays in state: run the command again, which deletes the rest.`, {
    lines: crowd.lines(),
  });
}
