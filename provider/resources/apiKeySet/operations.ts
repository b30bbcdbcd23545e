import { randomUUID } from "node:crypto";
import { CallError } from "../../client/callError";
import { eachBounded } from "../../core/bounded";
import type { Outcome, Session } from "../../core/definition";
import { Failure, InconclusiveError } from "../../core/errors";
import { defined, failedKey } from "../../core/state";
import { listed, oneLine } from "../../core/text";
import * as apiKey from "../apiKey/operations";
import { lookUpKey } from "../apiKey/presence";
import type { KeyState } from "../apiKey/properties";
import { pathOf, read as readKey } from "../apiKey/reading";
import { maskInMessages } from "../apiKey/state";
import { applyPlan } from "./applyPlan";
import { failIfCancelled, type Item, openBatch } from "./batch";
import { plan, type SetUpdate } from "./plan";
import type { SetInputs, SetState } from "./properties";
import {
  asOwnedKey,
  type KeyToDelete,
  label,
  noKeys,
  type OwnedKey,
  type OwnedKeys,
  ownedKeys,
  stateOf,
} from "./state";

/** The operations on a set: those of an ApiKey, on each of its keys. The set's id claims them all. */

type SetOutcome = Outcome<SetState>;

/** A resource that owns several keys. */
export interface Owner {
  readonly workspaceId?: string | undefined;
  /** What messages call its keys. */
  readonly label: string;
  /** What an error says if some keys could not be deleted. */
  readonly stays: string;
}

const ownerOf = (set: SetInputs | SetState): Owner => ({
  workspaceId: set.workspaceId,
  label: label(set),
  stays: "The set stays in state: run the command again to delete the rest.",
});

export async function create(session: Session, declared: SetInputs): Promise<SetOutcome> {
  const id = `keys-${randomUUID()}`;
  const { owned, batch } = await applyPlan(session, plan(noKeys, declared), { claim: id });
  const outcome = { id, state: stateOf(declared, owned) };
  if (batch.failures.length === 0) return outcome;
  const failed = `Creating the ${label(declared)}: ${batch.summary}`;
  const { unresolved } = batch;
  const lines = batch.lines();
  if (owned.byAlias.size === 0) {
    const what = unresolved.length === 0 ? "Nothing was created" : "None of them is in state";
    throw new Failure(`${failed}. ${what}; run \`pulumi up\` again after fixing the cause.`, {
      lines,
      unresolved: unresolved.length > 0,
    });
  }
  return { ...outcome, failure: `${failed}. ${tryAgain}`, lines, unresolved };
}

export const tryAgain =
  "State records what succeeded. Do what the lines below say, then run `pulumi up` again.";

export async function update(
  session: Session,
  { id, inputs: declared, plan }: SetUpdate,
): Promise<SetOutcome> {
  const { owned, batch } = await applyPlan(session, plan, { claim: id });
  const outcome = { id, state: stateOf(declared, owned) };
  if (batch.failures.length === 0) return outcome;
  const failure = `Updating the ${label(declared)}: ${batch.summary}. ${tryAgain}`;
  return { ...outcome, failure, lines: batch.lines(), unresolved: batch.unresolved };
}

function itemsOf({ byAlias }: OwnedKeys): readonly Item<OwnedKey>[] {
  return Array.from(byAlias, ([name, key]) => ({ name, ...key }));
}

export async function rollback(
  session: Session,
  { state }: SetOutcome,
  before?: SetState,
): Promise<readonly string[]> {
  const inState = before === undefined ? noKeys : ownedKeys(before);
  return rollbackKeys(session, ownerOf(state), ownedKeys(state), inState);
}

/**
 * Deletes new keys that will not be in state. Returns a line for each that still exists, and one with the keys of state that
 * were deleted.
 */
export async function rollbackKeys(
  session: Session,
  owner: Owner,
  now: OwnedKeys,
  inState: OwnedKeys,
): Promise<readonly string[]> {
  const saved = new Set([...inState.byAlias.values(), ...inState.toDelete].map(({ id }) => id));
  const created = itemsOf(now).filter(({ id }) => !saved.has(id));
  const left: string[] = [];
  const batch = openBatch(session, owner.label);
  await batch.each("deleted again", created, async (part, key) => {
    maskInMessages(part, key.state);
    const lines = await apiKey.rollbackCreate(part, key);
    part.onInterrupt(lines[0]);
    left.push(...lines);
  });
  batch.close();
  const existing = new Set([...now.byAlias.values(), ...now.toDelete].map(({ id }) => id));
  const deleted = itemsOf(inState).filter(({ id }) => !existing.has(id));
  return [...left, ...batch.lines(), ...deletedLines(deleted)];
}

function deletedLines(deleted: readonly Item<OwnedKey>[]): readonly string[] {
  if (deleted.length === 0) return [];
  const names = listed(deleted.map(({ name, id }) => `${JSON.stringify(oneLine(name))} (${id})`));
  return [
    `Already deleted, although state still has them: ${names}. If you take the change back before the next update, run \`pulumi up --refresh\`, which creates what is missing.`,
  ];
}

/** For an import or a `get`: reads existing keys, which have no secrets, under the aliases that the user gives. */
export async function find(
  session: Session,
  [workspaceId = "", list = ""]: readonly string[],
  isGet: boolean,
): Promise<SetOutcome> {
  const pairs = list.split(",").map((pair) => /^([^=]+)=(.+)$/.exec(pair) ?? []);
  const ids = new Map(pairs.map(([, alias = "", keyId = ""]) => [alias, keyId]));
  if (ids.has("") || ids.size < pairs.length || new Set(ids.values()).size < pairs.length) {
    throw new Failure("ApiKeySet: give each key once, as alias=keyId, after the id of the workspace.");
  }
  const wanted = Array.from(ids, ([alias, id]) => [alias, { id, state: { workspaceId } }] as const);
  const set = { workspaceId };
  const found = await readKeys(session, ownerOf(set), { byAlias: new Map(wanted), toDelete: [] });
  const missing = [...ids].flatMap(([alias, id]) => (found.byAlias.has(alias) ? [] : [id]));
  if (missing.length > 0) {
    const keys = listed(missing, 20, " or ");
    throw new Failure(`There is no key ${keys} in workspace ${workspaceId}, so nothing was imported.`);
  }
  const state = stateOf(set, found);
  return { id: isGet ? list : `keys-${randomUUID()}`, state };
}

export async function read(session: Session, id: string, state: SetState): Promise<SetOutcome> {
  const before = ownedKeys(state);
  const now = await readKeys(session, ownerOf(state), before);
  const isSame =
    // In a state that was imported by hand, `ids` and `keys` may have other aliases.
    [state.ids, state.keys].every((all = {}) => Object.keys(all).length === before.byAlias.size) &&
    now.toDelete.length === before.toDelete.length &&
    Array.from(before.byAlias).every(([alias, key]) => now.byAlias.get(alias)?.state === key.state);
  return { id, state: isSame ? state : stateOf(state, now) };
}

/** The keys as they are now, without those that no longer exist. Throws if any can't be read. */
export async function readKeys(session: Session, owner: Owner, owned: OwnedKeys): Promise<OwnedKeys> {
  const batch = openBatch(session, owner.label);
  const found = new Map<string, OwnedKey>();
  const all = itemsOf(owned);
  await batch.each("read", all, async (part, { name, id, state }) => {
    failIfCancelled(part);
    maskInMessages(part, state);
    const now = await readKey(part, id, state);
    if (now !== undefined) found.set(name, { ...now, state: confirmed(now.state) });
  });
  batch.close();
  if (batch.failures.length > 0) {
    const failed = `Reading the ${owner.label}: ${batch.summary}`;
    throw new Failure(`${failed}. State is unchanged; run the command again.`, { lines: batch.lines() });
  }
  const inOrder = all.flatMap(({ name }) => {
    const key = found.get(name);
    return key === undefined ? [] : [[name, key] as const];
  });
  return { byAlias: new Map(inOrder), toDelete: await stillToDelete(session, owner, owned.toDelete) };
}

/** After a read, state has what the service has. */
function confirmed(state: KeyState): KeyState {
  return failedKey in state ? defined({ ...state, [failedKey]: undefined }) : state;
}

/** Without the keys that no longer exist. If one can't be read, the next update tries to delete it. */
async function stillToDelete(
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
  await removeKeys(session, id, ownerOf(state), ownedKeys(state));
}

export async function removeKeys(
  session: Session,
  claim: string,
  owner: Owner,
  owned: OwnedKeys,
): Promise<void> {
  const batch = openBatch(session, owner.label);
  const toDelete = owned.toDelete.map((one) => ({ ...asOwnedKey(owner, one), name: one.name }));
  const all = [...itemsOf(owned), ...toDelete];
  await batch.each("deleted", all, async (part, one) => {
    failIfCancelled(part);
    maskInMessages(part, one.state);
    await apiKey.remove(part, one.id, one.state, claim);
  });
  batch.close();
  if (batch.failures.length === 0) return;
  throw new Failure(`Deleting the ${owner.label}: ${batch.summary}. ${owner.stays}`, {
    lines: batch.lines(),
  });
}
