/** Reads a key: from its workspace's list, or by itself. */

import { type ApiKeyPath, type ApiKeyRecord, readApiKey } from "../../client/service";
import type { Outcome, Session } from "../../core/definition";
import { ifDeleted, orFail } from "../../core/errors";
import { lookUp, type Target } from "../../core/existence";
import { applyDrift, asLastSeen, defined, failedKey, type Properties } from "../../core/state";
import { sharedReads } from "../../reads";
import { warnOfNamesakes } from "./create";
import {
  hasOutputs,
  isRegenerated,
  isWhole,
  type KeyDraft,
  type KeyInputs,
  type KeyState,
  type OwnedKey,
  observe,
  outputs,
  updatable,
  withChangedOutputs,
} from "./model";

export function pathOf({ workspaceId }: KeyDraft, keyId: string): ApiKeyPath {
  return { workspaceId: String(workspaceId), keyId };
}

/** The key as something that may be gone. */
export function targetOf(session: Session, path: ApiKeyPath): Target<ApiKeyRecord> {
  const { workspaceId, keyId } = path;
  return {
    kind: "key",
    workspaceId,
    id: keyId,
    read: (id) => readApiKey(session.call, { workspaceId, keyId: id }),
    list: sharedReads(session.call).keys(workspaceId),
  };
}

/** Many keys of a workspace share one list (R5). `undefined`: the key is gone. */
export async function read(
  session: Session,
  { id, state }: OwnedKey,
): Promise<Outcome<KeyState> | undefined> {
  const path = pathOf(state, id);
  if (!isIncomplete(state) && (await listedAsInState(session, path, state, true))) return { id, state };
  const doing = `Reading key ${id} in workspace ${path.workspaceId}`;
  const record = await readKeyOrFail(session, path, doing);
  if (record === undefined) return undefined;
  if (isRegenerated(record, state)) {
    const what = `The service shows another secret, so somebody regenerated it there, and the secret in state no longer works. To replace the key by a new one, change keepers, and leave existingKey out if it is declared; to take over the new secret, declare it as existingKey beside existingId. In workspace ${path.workspaceId}:`;
    session.warn(what, id);
  }
  const next = withDrift(state, record);
  if (!isIncomplete(state)) return { id, state: next };
  const seen = defined({ customerId: record.customerId, ...outputs(record) });
  return { id, state: { ...seen, ...defined(next) } };
}

/** Whether state lacks the outputs, because the key is being imported or read by `get`. */
function isIncomplete({ key, __keyLost, createdAt, maskedKey }: KeyState): boolean {
  return [key, __keyLost, createdAt, maskedKey].every((value) => value === undefined);
}

/** State as the record shows the key; the same object if nothing has changed. */
function withDrift(state: KeyState, record: ApiKeyRecord): KeyState {
  return applyDrift(updatable, withChangedOutputs(state, record), observe(record));
}

/** The first key of each list, which is always read by itself: a stack with one key needs no list. */
const firstKeys = new WeakMap<object, string>();

/**
 * The key's record in the list, if it is complete and equal to state. A list may be truncated, leave fields out or lag
 * behind, so it can only confirm: every other key is read by itself (R5, R6).
 */
async function listedAsInState(
  session: Session,
  path: ApiKeyPath,
  state: KeyState,
  sinceWrites: boolean,
): Promise<ApiKeyRecord | undefined> {
  const { workspaceId, keyId } = path;
  const list = sharedReads(session.call).keys(workspaceId);
  const firstKey = firstKeys.get(list) ?? keyId;
  if (firstKey === keyId) {
    firstKeys.set(list, keyId);
    return undefined;
  }
  const listed = await list.recent(sinceWrites);
  const record = listed.kind === "known" ? listed.value.byId.get(keyId) : undefined;
  if (listed.kind === "known" && record?.deleted === false)
    warnOfNamesakes(session, listed.value, state, record);
  const isConfirmed =
    record?.deleted === false &&
    isWhole(record) &&
    // Without scopes, the list may have left them out.
    (record.scopes ?? []).some((scope) => scope.create || scope.read || scope.update || scope.del) &&
    hasOutputs(record, state) &&
    !isRegenerated(record, state) &&
    withDrift(state, record) === state;
  return isConfirmed ? record : undefined;
}

/** The key's record in the list, if an update can use it instead of a read (K1). Writes to other keys don't matter. */
export async function listedForUpdate(
  session: Session,
  path: ApiKeyPath,
  state: KeyState,
  declared: KeyInputs,
): Promise<ApiKeyRecord | undefined> {
  // If the name differs, only a read shows whether the service rewrote it or has not carried the write out yet.
  if (asLastSeen(state)["name"] !== declared.name || isIncomplete(state) || state[failedKey])
    return undefined;
  const record = await listedAsInState(session, path, state, false);
  // A list may leave out what an update has to repeat.
  const known: readonly Properties[] = [declared, state, { ...record }];
  const isKnown = updatable.every((field) => known.some((one) => one[field.name] !== undefined));
  return isKnown && record?.scopes?.every(({ id }) => id !== undefined) ? record : undefined;
}

export function readKeyOrFail(
  session: Session,
  path: ApiKeyPath,
  doing: string,
): Promise<ApiKeyRecord | undefined> {
  const advice = `Check that the access token is allowed to read the keys of ${path.workspaceId}. ${ifDeleted}`;
  return orFail(lookUp(session, targetOf(session, path)), session, { doing, advice });
}
