import { randomUUID } from "node:crypto";
import { CallError } from "../../client/callError";
import { eachBounded } from "../../core/bounded";
import type { Outcome, Session } from "../../core/definition";
import { Doubt, Failure } from "../../core/errors";
import type { Properties } from "../../core/state";
import * as key from "../apiKey/operations";
import { lookUp } from "../apiKey/presence";
import { pathOf, read as readKey } from "../apiKey/reading";
import { conceal } from "../apiKey/state";
import { type Batch, type Named, openBatch } from "./batch";
import { converge, toDelete } from "./convergence";
import {
  type Entry,
  type Holding,
  holdingOf,
  inOrder,
  type LeftKey,
  label,
  listed,
  stateOf,
  strays,
} from "./entries";

/** What is done with a set: with each of its keys what is done with an ApiKey. */

const nothing = (holder: string): Holding => ({ holder, entries: new Map(), left: [] });

export async function create(session: Session, declared: Properties): Promise<Outcome> {
  const id = `keys-${randomUUID()}`;
  const { holding, batch, of } = await converge(session, nothing(id), declared, "created");
  const outcome = { id, state: stateOf(declared, holding) };
  if (batch.failures.length === 0) return outcome;
  const failed = `Creating the ${label(declared)}: ${share(batch, of)} failed`;
  const { unresolved } = batch;
  const lines = batch.lines();
  if (holding.entries.size === 0) {
    const what = unresolved.length === 0 ? "Nothing was created" : "State holds none of them";
    throw new Failure(`${failed}. ${what}; run up again when the cause is mended.`, {
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
  warnOf(session, strays(state).ids);
  const { holding, batch, of } = await converge(session, holdingOf(state, id), declared, "written");
  const outcome = { id, state: stateOf(declared, holding) };
  if (batch.failures.length === 0) return outcome;
  const failure = `Updating the ${label(declared)}: ${share(batch, of)} failed. ${rest}`;
  return { ...outcome, failure, lines: batch.lines(), unresolved: batch.unresolved };
}

function named({ entries }: Pick<Holding, "entries">): readonly Named<Entry>[] {
  return Array.from(entries, ([name, entry]) => ({ name, ...entry }));
}

/** "3 of 200", or "all 3". */
function share({ failures }: Batch, of: number): string {
  const failed = new Set(failures.map(({ name }) => name)).size;
  const [some, all] = [failed, of].map((count) => count.toLocaleString("en"));
  return failed < of ? `${some} of ${all}` : of === 1 ? "the one" : `all ${all}`;
}

/** Keys that nobody declared are nobody's to delete. */
function warnOf(session: Session, aliases: readonly string[]): void {
  if (aliases.length === 0) return;
  const names = listed(aliases);
  session.warn(
    `ids of state has ${names}, and keys does not: the set leaves what they name as it is, and drops them from ids. To have them in the set, import it with an entry for each in keys.`,
  );
}

/** Deletes again what was made and no state holds. Gives a line for each that still stands. */
export async function withdraw(
  session: Session,
  { id, state }: Outcome,
  before: Properties | undefined,
): Promise<readonly string[]> {
  const { entries, left } = before === undefined ? nothing(id) : holdingOf(before, id);
  const held = new Set([...entries.values(), ...left].map((key) => key.id));
  const made = named(holdingOf(state, id)).filter((key) => !held.has(key.id));
  const remains: string[] = [];
  const batch = openBatch(session, label(state));
  await batch.each("deleted again", made, async (part, entry) => {
    conceal(part, entry.state);
    const lines = await key.abandon(part, entry);
    part.leaves(lines[0]);
    remains.push(...lines);
    return undefined;
  });
  batch.close();
  return [...remains, ...batch.lines()];
}

/** The keys as they are now. One that cannot be read fails it all, so that state stays; one that is gone leaves it. */
export async function read(session: Session, id: string, state: Properties): Promise<Outcome> {
  const { holder, entries, left } = holdingOf(state, id);
  const batch = openBatch(session, label(state));
  const found = new Map<string, Entry>();
  const all = named({ entries });
  const apart = strays(state);
  warnOf(session, apart.ids);
  let unchanged = 0;
  await batch.each("read", all, async (part, { name, ...entry }) => {
    conceal(part, entry.state);
    const now = await readKey(part, entry.id, entry.state);
    if (now !== undefined) found.set(name, now);
    if (now?.state === entry.state) unchanged += 1;
    return undefined;
  });
  batch.close();
  if (batch.failures.length > 0) {
    const failed = `Reading the ${label(state)}: ${share(batch, all.length)} failed`;
    throw new Failure(`${failed}. State is unchanged; run the command again.`, { lines: batch.lines() });
  }
  const remaining = await remainingOf(session, state, left);
  const isWhole = apart.ids.length === 0 && apart.keys.length === 0 && remaining.length === left.length;
  if (isWhole && unchanged === entries.size && all.every(({ was }) => was === undefined))
    return { id, state };
  return { id, state: stateOf(state, { holder, entries: inOrder(found, entries.keys()), left: remaining }) };
}

/** The keys still to be deleted that may exist. One that can't be read is one of them: the next update deletes it. */
async function remainingOf(
  session: Session,
  state: Properties,
  left: readonly LeftKey[],
): Promise<readonly LeftKey[]> {
  const gone = new Set<LeftKey>();
  await eachBounded(session.parallel, left, async (one) => {
    try {
      if ((await lookUp(session, pathOf(state, one.id))) === undefined) gone.add(one);
    } catch (error) {
      if (!(error instanceof CallError || error instanceof Doubt)) throw error;
    }
  });
  return left.filter((one) => !gone.has(one));
}

export async function remove(session: Session, id: string, state: Properties): Promise<void> {
  warnOf(session, strays(state).ids);
  const { holder, entries, left } = holdingOf(state, id);
  const batch = openBatch(session, label(state));
  const all = [...named({ entries }), ...left.map((one) => toDelete(state, one, holder))];
  await batch.each("deleted", all, async (part, one) => {
    conceal(part, one.state);
    await key.remove(part, one.id, one.state);
    return undefined;
  });
  batch.close();
  if (batch.failures.length === 0) return;
  const failed = `Deleting the ${label(state)}: ${share(batch, all.length)} failed`;
  throw new Failure(`${failed}. The set stays in state: run the command again, which deletes the rest.`, {
    lines: batch.lines(),
  });
}
