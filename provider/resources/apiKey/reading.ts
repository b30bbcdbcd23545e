import type { ApiKeyRecord } from "../../client/apiKeys";
import type { Outcome, Session } from "../../core/definition";
import { toFailure } from "../../core/errors";
import { applyDrift, defined, failedKey, hiddenIn, observedKey } from "../../core/state";
import { lastingMs, type SharedReads, sharedReads } from "../../reads/sharedReads";
import { type KeyPath, lookUpKey } from "./presence";
import type { KeyDraft, KeyInputs, KeyState } from "./properties";
import { isWhole, managed, observe, outputs, tellsUnmanaged, unmanagedChanges } from "./state";

export function pathOf({ workspaceId }: KeyDraft, keyId: string): KeyPath {
  return { workspaceId: String(workspaceId), keyId };
}

/** The key as it is now; `undefined` when it is gone. Many keys of one workspace are read by its list. */
export async function read(
  session: Session,
  id: string,
  state: KeyState,
): Promise<Outcome<KeyState> | undefined> {
  session.hide(state.key);
  const path = pathOf(state, id);
  const ask = (list: KeyList) => list.current(lastingMs, id);
  if (!isForeign(state) && (await listedAsInState(session, path, state, ask))) return { id, state };
  const doing = `Reading key ${id} in workspace ${path.workspaceId}`;
  const record = await readKeyOrFail(session, path, doing);
  return record && found(session, path, state, record);
}

/** One of which state does not have all yet that there is to know: one that is imported, or read by `.get`. */
function isForeign({ key, __keyLost, createdAt, maskedKey }: KeyState): boolean {
  return [key, __keyLost, createdAt, maskedKey].every((value) => value === undefined);
}

function found(
  session: Session,
  { keyId }: KeyPath,
  state: KeyState,
  record: ApiKeyRecord,
): Outcome<KeyState> {
  for (const line of unmanagedChanges(keyId, record, state)) session.warn(line, [keyId]);
  const next = applyDrift(managed, state, observe(record));
  if (!isForeign(state)) return { id: keyId, state: next };
  const seen = defined({ customerId: record.customerId, ...outputs(record) });
  return { id: keyId, state: { ...seen, ...defined(next) } };
}

type KeyList = ReturnType<SharedReads["keys"]>;

/** Lists of workspaces of which one key was read by itself: a stack with one key must not list all others. */
const readAlone = new WeakSet<KeyList>();

type Ask = (list: KeyList) => ReturnType<KeyList["current"]>;

/**
 * What the workspace's list shows of the key, if that is just what state has. A list may be cut, brief, or lag behind, so
 * it only confirms: what it does not show whole and unchanged is read by itself (R5, R6).
 */
async function listedAsInState(
  session: Session,
  path: KeyPath,
  state: KeyState,
  ask: Ask,
): Promise<ApiKeyRecord | undefined> {
  const { workspaceId, keyId } = path;
  const list = sharedReads(session.call).keys(workspaceId);
  // The first key of each workspace is read by itself.
  if (!readAlone.has(list)) {
    readAlone.add(list);
    list.hasRead(keyId);
    return undefined;
  }
  const listed = await ask(list);
  const record = "byId" in listed ? listed.byId.get(keyId) : undefined;
  const isConfirmed =
    record?.deleted === false &&
    isWhole(record) &&
    // One without any scope may be of a list that leaves scopes out.
    (record.scopes ?? []).some((scope) => scope.create || scope.read || scope.update || scope.del) &&
    tellsUnmanaged(record, state) &&
    unmanagedChanges(keyId, record, state).length === 0 &&
    applyDrift(managed, state, observe(record)) === state;
  return isConfirmed ? record : undefined;
}

/**
 * What an update may take from the workspace's list in place of a read (K1); `undefined` where there is any doubt. Whatever
 * else this process writes does not matter to the key.
 */
export async function listedForUpdate(
  session: Session,
  path: KeyPath,
  state: KeyState,
  declared: KeyInputs,
): Promise<ApiKeyRecord | undefined> {
  // If the name differs, only a read shows whether the service rewrote it or has not carried the write out yet.
  const { name }: { name?: unknown } = { ...state, ...hiddenIn(state, observedKey) };
  if (name !== declared.name || isForeign(state) || state[failedKey]) return undefined;
  const record = await listedAsInState(session, path, state, ({ recent }) => recent(lastingMs));
  return record?.scopes?.every(({ id }) => id !== undefined) ? record : undefined;
}

export async function readKeyOrFail(
  session: Session,
  path: KeyPath,
  doing: string,
  notDone = "State is unchanged",
): Promise<ApiKeyRecord | undefined> {
  try {
    return await lookUpKey(session, path);
  } catch (error) {
    const advice = `Check that the access token is allowed to read the keys of ${path.workspaceId}.`;
    throw toFailure(error, session, { doing, notDone, advice });
  }
}
