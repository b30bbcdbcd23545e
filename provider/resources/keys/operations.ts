import { CallError } from "../../client/callError";
import { eachBounded } from "../../core/bounded";
import type { Session } from "../../core/definition";
import { Failure, InconclusiveError } from "../../core/errors";
import { defined, failedKey } from "../../core/state";
import { listed, oneLine } from "../../core/text";
import * as apiKey from "../apiKey/operations";
import { lookUpKey } from "../apiKey/presence";
import type { KeyState } from "../apiKey/properties";
import { pathOf, read as readKey } from "../apiKey/reading";
import { maskKey } from "../apiKey/state";
import { failIfCancelled, type Item, openBatch } from "./batch";
import { asOwnedKey, type KeyToDelete, type OwnedKey, type OwnedKeys } from "./owned";

/** The operations on all keys of a resource: those of an ApiKey, on each of them. The resource's id claims them all. */

/** A resource that owns several keys. */
export interface Owner {
  readonly workspaceId?: string | undefined;
  /** What messages call its keys. */
  readonly label: string;
  /** What an error says if some keys could not be deleted. */
  readonly stays: string;
  /** What to do if keys of state were deleted, and the program is reverted. Default: nothing, because no program asked for it. */
  readonly ifReverted?: string;
}

export const tryAgain =
  "State records what succeeded. Do what the lines below say, then run `pulumi up` again.";

function itemsOf({ byAlias }: OwnedKeys): readonly Item<OwnedKey>[] {
  return Array.from(byAlias, ([name, key]) => ({ name, ...key }));
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
    maskKey(part, key.state);
    const lines = await apiKey.rollbackCreate(part, key);
    part.onInterrupt(lines[0]);
    left.push(...lines);
  });
  const isDeleted = ({ id }: OwnedKey) => session.registry.isDropped(owner.workspaceId, id);
  return [...left, ...batch.lines, ...deletedLines(owner, itemsOf(inState).filter(isDeleted))];
}

function deletedLines({ ifReverted }: Owner, deleted: readonly Item<OwnedKey>[]): readonly string[] {
  if (ifReverted === undefined || deleted.length === 0) return [];
  const names = listed(deleted.map(({ name, id }) => `${JSON.stringify(oneLine(name))} (${id})`));
  return [`Already deleted, although state still has them: ${names}. ${ifReverted}`];
}

/** The keys as they are now, without those that no longer exist. Throws if any can't be read. */
export async function readKeys(session: Session, owner: Owner, owned: OwnedKeys): Promise<OwnedKeys> {
  const batch = openBatch(session, owner.label);
  const found = new Map<string, OwnedKey>();
  const all = itemsOf(owned);
  await batch.each("read", all, async (part, { name, id, state }) => {
    failIfCancelled(part);
    maskKey(part, state);
    const now = await readKey(part, id, state);
    if (now !== undefined) found.set(name, { ...now, state: confirmed(now.state) });
  });
  if (batch.failed.size > 0) {
    const failed = `Reading the ${owner.label}: ${batch.summary}`;
    throw new Failure(`${failed}. State is unchanged; run the command again.`, { lines: batch.lines });
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

export async function removeKeys(
  session: Session,
  claim: string,
  owner: Owner,
  owned: OwnedKeys,
): Promise<void> {
  const batch = openBatch(session, owner.label);
  const toDelete = owned.toDelete.map((one) => ({ ...asOwnedKey(owner.workspaceId, one), name: one.name }));
  const all = [...itemsOf(owned), ...toDelete];
  await batch.each("deleted", all, async (part, one) => {
    failIfCancelled(part);
    maskKey(part, one.state);
    await apiKey.remove(part, one.id, one.state, claim);
  });
  if (batch.failed.size === 0) return;
  throw new Failure(`Deleting the ${owner.label}: ${batch.summary}. ${owner.stays}`, {
    lines: batch.lines,
  });
}
