import { randomUUID } from "node:crypto";
import { CallError } from "../../client/callError";
import { eachBounded } from "../../core/bounded";
import type { Outcome, Session } from "../../core/definition";
import { Failure, InconclusiveError, listed } from "../../core/errors";
import * as key from "../apiKey/operations";
import { lookUpKey } from "../apiKey/presence";
import { pathOf, read as readKey } from "../apiKey/reading";
import { conceal } from "../apiKey/state";
import { type Batch, expectOpen, type Named, openBatch } from "./batch";
import { convergeKeys } from "./convergence";
import {
  type Entry,
  entryOf,
  type Holding,
  holdingOf,
  type KeyToDelete,
  label,
  mismatchedAliases,
  nothing,
  quoted,
  stateOf,
} from "./entries";
import type { SetInputs, SetState } from "./properties";
import { plan, type SetUpdate } from "./steps";

/** What is done with a set: with each of its keys what is done with an ApiKey. The set's id claims them all. */

type SetOutcome = Outcome<SetState>;

/** A resource that has several keys. */
export interface Owner {
  readonly workspaceId?: string | undefined;
  /** What messages call its keys. */
  readonly label: string;
  /** What they say where not all of them could be deleted. */
  readonly stays: string;
}

const ownerOf = (set: SetInputs | SetState): Owner => ({
  workspaceId: set.workspaceId,
  label: label(set),
  stays: "The set stays in state: run the command again to delete the rest.",
});

export async function create(session: Session, declared: SetInputs): Promise<SetOutcome> {
  const id = `keys-${randomUUID()}`;
  const all = { claim: id, declared, plan: plan(nothing, declared), verb: "created" } as const;
  const { holding, batch, of } = await convergeKeys(session, all);
  const outcome = { id, state: stateOf(declared, holding) };
  if (batch.failures.length === 0) return outcome;
  const failed = `Creating the ${label(declared)}: ${share(batch, of)} failed`;
  const { unresolved } = batch;
  const lines = batch.lines();
  if (holding.entries.size === 0) {
    const what = unresolved.length === 0 ? "Nothing was created" : "None of them is in state";
    throw new Failure(`${failed}. ${what}; run \`pulumi up\` again after fixing the cause.`, {
      lines,
      unresolved: unresolved.length > 0,
    });
  }
  return { ...outcome, failure: `${failed}. ${rest}`, lines, unresolved };
}

export const rest = "State records what succeeded. Do what the lines below say, then run `pulumi up` again.";

export async function update(
  session: Session,
  { id, state, inputs: declared, plan }: SetUpdate,
): Promise<SetOutcome> {
  warnOf(session, mismatchedAliases(state).ids);
  const { holding, batch, of } = await convergeKeys(session, { claim: id, declared, plan, verb: "written" });
  const outcome = { id, state: stateOf(declared, holding) };
  if (batch.failures.length === 0) return outcome;
  const failure = `Updating the ${label(declared)}: ${share(batch, of)} failed. ${rest}`;
  return { ...outcome, failure, lines: batch.lines(), unresolved: batch.unresolved };
}

function named({ entries }: Pick<Holding, "entries">): readonly Named<Entry>[] {
  return Array.from(entries, ([name, entry]) => ({ name, ...entry }));
}

/** "3 of 200". */
export function share({ failures }: Batch, of: number): string {
  const failed = new Set(failures.map(({ name }) => name)).size;
  return [failed, of].map((count) => count.toLocaleString("en")).join(" of ");
}

/** Keys that nobody declared are nobody's to delete. */
function warnOf(session: Session, aliases: readonly string[]): void {
  if (aliases.length === 0) return;
  session.warn(
    `State has ids for ${listed(quoted(aliases))}, but keys has no entries for them: the update leaves these keys in the service and removes them from state. To manage them, import the set again with an entry for each in keys.`,
  );
}

export async function rollback(
  session: Session,
  { state }: SetOutcome,
  before?: SetState,
): Promise<readonly string[]> {
  const held = before === undefined ? nothing : holdingOf(before);
  return rollbackKeys(session, ownerOf(state), holdingOf(state), held);
}

/** Deletes again what was made and no state holds. Gives a line for each that still exists. */
export async function rollbackKeys(
  session: Session,
  owner: Owner,
  now: Holding,
  before: Holding,
): Promise<readonly string[]> {
  const held = new Set([...before.entries.values(), ...before.toDelete].map(({ id }) => id));
  const made = named(now).filter(({ id }) => !held.has(id));
  const left: string[] = [];
  const batch = openBatch(session, owner.label);
  await batch.each("deleted again", made, async (part, entry) => {
    conceal(part, entry.state);
    const lines = await key.rollbackCreate(part, entry);
    part.onInterrupt(lines[0]);
    left.push(...lines);
  });
  batch.close();
  return [...left, ...batch.lines()];
}

/** Keys that exist, each under the alias that the user gives it: without their secrets, which nobody can read. */
export async function find(
  session: Session,
  [workspaceId = "", list = ""]: readonly string[],
  isReading: boolean,
): Promise<SetOutcome> {
  const ids = new Map<string, string>();
  for (const pair of list.split(",")) {
    const [, alias = "", keyId = ""] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (alias === "" || ids.has(alias)) {
      throw new Failure("ApiKeySet: give each key once, as alias=keyId, after the id of the workspace.");
    }
    ids.set(alias, keyId);
  }
  const entries = new Map<string, Entry>();
  for (const [alias, keyId] of ids) {
    expectOpen(session);
    const entry = await readKey(session, keyId, { workspaceId });
    if (entry === undefined) {
      throw new Failure(`There is no key ${keyId} in workspace ${workspaceId}, so nothing was imported.`);
    }
    entries.set(alias, entry);
  }
  const state = stateOf({ workspaceId }, { entries, toDelete: [] });
  return { id: isReading ? list : `keys-${randomUUID()}`, state };
}

export async function read(session: Session, id: string, state: SetState): Promise<SetOutcome> {
  const { ids, keys } = mismatchedAliases(state);
  warnOf(session, ids);
  const before = holdingOf(state);
  const now = await readKeys(session, ownerOf(state), before);
  const isSame =
    [...ids, ...keys].length === 0 &&
    now.toDelete.length === before.toDelete.length &&
    Array.from(before.entries).every(([alias, entry]) => now.entries.get(alias)?.state === entry.state);
  return { id, state: isSame ? state : stateOf(state, now) };
}

/** The keys as they are now. One that cannot be read fails it all, so that state stays; one that is gone leaves it. */
export async function readKeys(session: Session, owner: Owner, holding: Holding): Promise<Holding> {
  const { entries, toDelete } = holding;
  const batch = openBatch(session, owner.label);
  const found = new Map<string, Entry>();
  const all = named({ entries });
  await batch.each("read", all, async (part, { name, ...entry }) => {
    expectOpen(part);
    conceal(part, entry.state);
    const now = await readKey(part, entry.id, entry.state);
    if (now !== undefined) found.set(name, now);
  });
  batch.close();
  if (batch.failures.length > 0) {
    const failed = `Reading the ${owner.label}: ${share(batch, all.length)} failed`;
    throw new Failure(`${failed}. State is unchanged; run the command again.`, { lines: batch.lines() });
  }
  const remaining = await remainingOf(session, owner, toDelete);
  const inOrder = [...entries.keys()].flatMap((alias) => {
    const entry = found.get(alias);
    return entry === undefined ? [] : [[alias, entry] as const];
  });
  return { entries: new Map(inOrder), toDelete: remaining };
}

/** The keys still to be deleted that may exist. One that can't be read is one of them: the next update deletes it. */
async function remainingOf(
  session: Session,
  owner: Owner,
  toDelete: readonly KeyToDelete[],
): Promise<readonly KeyToDelete[]> {
  const gone = new Set<KeyToDelete>();
  await eachBounded(session.parallel, toDelete, async (one) => {
    if (session.closed.aborted) return;
    try {
      if ((await lookUpKey(session, pathOf(owner, one.id))) === undefined) gone.add(one);
    } catch (error) {
      if (!(error instanceof CallError || error instanceof InconclusiveError)) throw error;
    }
  });
  return toDelete.filter((one) => !gone.has(one));
}

export async function remove(session: Session, id: string, state: SetState): Promise<void> {
  warnOf(session, mismatchedAliases(state).ids);
  await removeKeys(session, id, ownerOf(state), holdingOf(state));
}

export async function removeKeys(
  session: Session,
  claim: string,
  owner: Owner,
  { entries, toDelete }: Holding,
): Promise<void> {
  const batch = openBatch(session, owner.label);
  const all = [...named({ entries }), ...toDelete.map((one) => ({ ...entryOf(owner, one), name: one.name }))];
  await batch.each("deleted", all, async (part, one) => {
    expectOpen(part);
    conceal(part, one.state);
    await key.remove(part, one.id, one.state, claim);
  });
  batch.close();
  if (batch.failures.length === 0) return;
  const failed = `Deleting the ${owner.label}: ${share(batch, all.length)} failed`;
  throw new Failure(`${failed}. ${owner.stays}`, { lines: batch.lines() });
}
