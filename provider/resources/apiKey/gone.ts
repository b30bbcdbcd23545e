/** Whether a key still exists. No single answer says that it does not (R6). */

import { CallError, isNotFound } from "../../client/send";
import { type ApiKeyPath, type ApiKeyRecord, readApiKey } from "../../client/service";
import { expectVisible, pollUntil } from "../../core/converge";
import type { Outcome, Session } from "../../core/definition";
import { explain, InconclusiveError } from "../../core/errors";
import { applyDrift, defined, failedKey, hiddenIn, observedKey } from "../../core/state";
import { type SharedReads, sharedReads } from "../../reads";
import {
  type HeldKey,
  hasOutputs,
  isWhole,
  type KeyDraft,
  type KeyInputs,
  type KeyState,
  observe,
  outputs,
  updatable,
  withChangedOutputs,
} from "./model";

type Found = { readonly kind: "found"; readonly record: ApiKeyRecord } | Missing;

interface Missing {
  readonly kind: "missing";
  /** What the service said. */
  readonly missing: string;
  /** Whether it said so by a record with `deleted: true`. */
  readonly marked: boolean;
}

/** One GET. Throws a CallError unless it finds the key or says that there is none. */
export async function findKey(session: Session, path: ApiKeyPath): Promise<Found> {
  try {
    const record = await readApiKey(session.call, path);
    if (!record.deleted) return { kind: "found", record };
    return { kind: "missing", missing: "the service shows the key as deleted", marked: true };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { kind: "missing", missing: error.message, marked: false };
  }
}

/**
 * The key, or `undefined` when it is gone: two GETs don't find it, its workspace is visible, and the list, really read,
 * does not have it. A token of another tenant, a gateway or a retired path answers 404 or 410 for what exists, too.
 * Throws a CallError or an InconclusiveError if neither is certain.
 */
export async function lookUpKey(session: Session, path: ApiKeyPath): Promise<ApiKeyRecord | undefined> {
  const first = await findKey(session, path);
  if (first.kind === "found") return first.record;
  await expectVisible(session, path.workspaceId, first.missing);
  if (!first.marked) await awaitShown(session, path, first.missing);
  // The first answer may have been a mistake, and a list may be truncated or lag behind.
  const last = await pollUntil(session, {
    waitingFor: `the service's list to confirm that key ${path.keyId} is gone`,
    look: async () => ({ listed: await isListed(session, path, first), found: await findKey(session, path) }),
    isDone: (seen) => !seen.listed || seen.found.kind === "found",
  });
  if (last.found.kind === "found") return last.found.record;
  if (!last.listed) return undefined;
  throw new InconclusiveError(
    `${last.found.missing}, but its workspace lists it`,
    `The access token may not be allowed to read it, or the list may lag behind: run the command again later. ${session.setup.tokenAdvice}`,
  );
}

const waits = new WeakMap<object, Promise<unknown>>();

/**
 * A service that lags behind may show a key that was just created neither by GET nor in its list. In each process one wait
 * serves all keys of a workspace: after it, none that another process created is too new.
 */
async function awaitShown(
  session: Session,
  { workspaceId, keyId }: ApiKeyPath,
  missing: string,
): Promise<void> {
  const list = sharedReads(session.call).keys(workspaceId);
  const before = await list.recent();
  if (before.kind === "known" && before.value.byId.has(keyId)) return;
  const waitingFor = `the service to show key ${keyId}`;
  const wait = () => pollUntil(session, { waitingFor, look: async () => {}, isDone: () => false });
  const waiting = waits.get(list) ?? wait().then(list.fresh);
  waits.set(list, waiting);
  await waiting;
  if (session.over.aborted)
    throw new InconclusiveError(`${missing}, and the run ended before it could be confirmed`);
}

/** Whether the workspace's list has the key as not deleted. Throws an InconclusiveError if it can't be read. */
async function isListed(session: Session, path: ApiKeyPath, { missing, marked }: Missing): Promise<boolean> {
  const { workspaceId, keyId } = path;
  const list = sharedReads(session.call).keys(workspaceId);
  // A list without `deleted` does not contradict a record that has it.
  const isAlive = (record: ApiKeyRecord | undefined) =>
    record !== undefined && (marked ? record.deleted === false : !record.deleted);
  const before = await list.recent(`gone ${keyId}`);
  if (before.kind === "known" && !isAlive(before.value.byId.get(keyId))) return false;
  // A list from before the deletion still has the key.
  const now = await list.fresh();
  if (now.kind === "known") return isAlive(now.value.byId.get(keyId));
  if (session.setup.withoutKeyList) return false;
  throw new InconclusiveError(
    `${missing}, but the workspace's list of keys can't be read to confirm that it is gone: ${now.error.message}`,
    `Run the command again, with an access token that is allowed to list the keys of ${workspaceId}. If that doesn't help and you know that the key no longer exists, set APIKEYS_NO_KEY_LIST=true for one command, or remove the resource from state with \`pulumi state delete\`.`,
  );
}

/** Refusals that say nothing about the key. */
const saysNothing = new Set([401, 403, 408, 429, 499]);

/** Whether a write was refused because of the key or the values, so that the key may be gone. */
export function isAboutKey(error: unknown): error is CallError {
  const status = error instanceof CallError ? (error.status ?? 0) : 0;
  return status >= 400 && status <= 499 && !saysNothing.has(status);
}

/** Whether a refused write shows that the key is gone. Throws an InconclusiveError if that is not certain. */
export async function isGoneAfter(session: Session, path: ApiKeyPath, refusal: unknown): Promise<boolean> {
  if (!isAboutKey(refusal)) return false;
  try {
    return (await lookUpKey(session, path)) === undefined;
  } catch (error) {
    // The refusal tells the user more than the failed read.
    if (error instanceof CallError) return false;
    throw error;
  }
}

/** Whether a key whose deletion was accepted no longer exists: a GET or the list says so (R7). */
export async function isDeleted(session: Session, path: ApiKeyPath): Promise<boolean> {
  try {
    return (await findKey(session, path)).kind === "missing";
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const list = await sharedReads(session.call).keys(path.workspaceId).fresh();
    if (list.kind === "unavailable") throw error;
    const listed = list.value.byId.get(path.keyId);
    return listed === undefined || listed.deleted === true;
  }
}

export function pathOf({ workspaceId }: KeyDraft, keyId: string): ApiKeyPath {
  return { workspaceId: String(workspaceId), keyId };
}

/** Many keys of a workspace share one list (R5). `undefined`: the key is gone. */
export async function read(session: Session, { id, state }: HeldKey): Promise<Outcome<KeyState> | undefined> {
  session.maskEverywhere(state.key);
  const path = pathOf(state, id);
  if (!isIncomplete(state) && (await listedAsInState(session, path, state, id))) return { id, state };
  const doing = `Reading key ${id} in workspace ${path.workspaceId}`;
  const record = await readKeyOrFail(session, path, doing);
  if (record === undefined) return undefined;
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

type KeyList = ReturnType<SharedReads["keys"]>;

/** The first key of each list, which is always read by itself: a stack with one key needs no list. */
const firstKeys = new WeakMap<KeyList, string>();

/**
 * The key's record in the list, if it is complete and equal to state. A list may be truncated, leave fields out or lag
 * behind, so it can only confirm: every other key is read by itself (R5, R6).
 */
async function listedAsInState(
  session: Session,
  path: ApiKeyPath,
  state: KeyState,
  reader?: string,
): Promise<ApiKeyRecord | undefined> {
  const { workspaceId, keyId } = path;
  const list = sharedReads(session.call).keys(workspaceId);
  const firstKey = firstKeys.get(list) ?? keyId;
  if (firstKey === keyId) {
    firstKeys.set(list, keyId);
    return undefined;
  }
  const listed = await list.recent(reader);
  const record = listed.kind === "known" ? listed.value.byId.get(keyId) : undefined;
  const isConfirmed =
    record?.deleted === false &&
    isWhole(record) &&
    // Without scopes, the list may have left them out.
    (record.scopes ?? []).some((scope) => scope.create || scope.read || scope.update || scope.del) &&
    hasOutputs(record, state) &&
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
  const { name }: { name?: unknown } = { ...state, ...hiddenIn(state, observedKey) };
  if (name !== declared.name || isIncomplete(state) || state[failedKey]) return undefined;
  const record = await listedAsInState(session, path, state);
  return record?.scopes?.every(({ id }) => id !== undefined) ? record : undefined;
}

export async function readKeyOrFail(
  session: Session,
  path: ApiKeyPath,
  doing: string,
  notDone = "State is unchanged",
): Promise<ApiKeyRecord | undefined> {
  try {
    return await lookUpKey(session, path);
  } catch (error) {
    const advice = `Check that the access token is allowed to read the keys of ${path.workspaceId}.`;
    throw explain(error, session, { doing, notDone, advice });
  }
}
