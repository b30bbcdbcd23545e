import type { ApiKeyRecord } from "../../client/apiKeys";
import type { Outcome, Session } from "../../core/definition";
import { Failure, toFailure } from "../../core/errors";
import { applyDrift, defined, readingKey } from "../../core/state";
import { lastingMs, sharedReads } from "../../reads/sharedReads";
import { type KeyPath, lookUpKey } from "./presence";
import type { KeyDraft, KeyState } from "./properties";
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
  if (!isForeign(state) && (await isConfirmed(session, path, state))) return { id, state };
  const doing = `Reading key ${id} in workspace ${path.workspaceId}`;
  const record = await readKeyOrFail(session, path, doing);
  return record === undefined ? missing(path, state) : found(session, path, state, record);
}

/** One that this stack does not manage, or that was imported and not read yet: all that there is to know is wanted. */
function isForeign(state: KeyState): boolean {
  const { key, __keyLost, createdAt, maskedKey } = state;
  return (
    state[readingKey] === true || [key, __keyLost, createdAt, maskedKey].every((value) => value === undefined)
  );
}

function missing({ workspaceId, keyId }: KeyPath, state: KeyState): undefined {
  if (!state[readingKey]) return undefined;
  throw new Failure(
    `There is no key ${keyId} in workspace ${workspaceId}: check both ids given to ApiKey.get.`,
  );
}

function found(
  session: Session,
  { keyId }: KeyPath,
  state: KeyState,
  record: ApiKeyRecord,
): Outcome<KeyState> {
  const isReading = state[readingKey] === true;
  if (!isReading) {
    for (const line of unmanagedChanges(keyId, record, state)) session.warn(line, [keyId]);
  }
  const next = applyDrift(managed, state, observe(record));
  if (!isForeign(state)) return { id: keyId, state: next };
  const seen = defined({ customerId: record.customerId, ...outputs(record) });
  return { id: keyId, state: isReading ? { ...next, ...seen } : { ...seen, ...defined(next) } };
}

/** Lists of workspaces of which one key was read by itself: a stack with one key must not list all others. */
const readAlone = new WeakSet<object>();

/**
 * Whether the workspace's list shows the key just as state has it. A list may be cut, brief, or lag behind, so it only
 * confirms: what it does not show whole and unchanged is read by itself (R5, R6).
 */
async function isConfirmed(
  session: Session,
  { workspaceId, keyId }: KeyPath,
  state: KeyState,
): Promise<boolean> {
  const list = sharedReads(session.call).keys(workspaceId);
  if (!readAlone.has(list)) {
    readAlone.add(list);
    list.hasRead(keyId);
    return false;
  }
  const listed = await list.current(lastingMs, keyId);
  const record = "byId" in listed ? listed.byId.get(keyId) : undefined;
  return (
    record !== undefined &&
    record.deleted === false &&
    isWhole(record) &&
    // One without any scope may be of a list that leaves scopes out.
    (record.scopes ?? []).some((scope) => scope.create || scope.read || scope.update || scope.del) &&
    tellsUnmanaged(record, state) &&
    unmanagedChanges(keyId, record, state).length === 0 &&
    applyDrift(managed, state, observe(record)) === state
  );
}

export async function readKeyOrFail(
  session: Session,
  path: KeyPath,
  doing: string,
): Promise<ApiKeyRecord | undefined> {
  try {
    return await lookUpKey(session, path);
  } catch (error) {
    const advice = `Check that the access token may read the keys of ${path.workspaceId}.`;
    throw toFailure(error, session, { doing, notDone: "State is unchanged", advice });
  }
}
