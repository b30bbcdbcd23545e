import { type ApiKeyPath, type ApiKeyRecord, readApiKey } from "../../client/apiKeys";
import { CallError, isNotFound } from "../../client/callError";
import type { Session } from "../../core/definition";
import { InconclusiveError } from "../../core/errors";
import { pollUntil } from "../../core/polling";
import { expectVisible } from "../../core/presence";
import { sharedReads } from "../../reads/sharedReads";

/** Whether a key still exists. No single answer says that it does not (R6). */

export type KeyPath = ApiKeyPath;

type Found = { readonly record: ApiKeyRecord } | Missing;

interface Missing {
  /** What the service said. */
  readonly missing: string;
  /** Whether it said so by a record with `deleted: true`. */
  readonly marked: boolean;
  /** Whether it said so by a 2xx without a record, as a server would that answers the same to everything. */
  readonly noRecord?: boolean;
}

/** One GET. Throws a CallError unless it finds the key or says that there is none. */
export async function findKey(session: Session, path: KeyPath): Promise<Found> {
  try {
    const record = await readApiKey(session.call, path);
    return record.deleted ? { missing: "the service shows the key as deleted", marked: true } : { record };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { missing: error.message, marked: false, noRecord: error.noRecord };
  }
}

/**
 * The key, or `undefined` when it is gone: two GETs don't find it, its workspace is visible, and the list, really read,
 * does not have it. A token of another tenant, a gateway or a retired path answers 404 or 410 for what exists, too.
 * Throws a CallError or an InconclusiveError if neither is certain.
 */
export async function lookUpKey(session: Session, path: KeyPath): Promise<ApiKeyRecord | undefined> {
  const first = await findKey(session, path);
  if ("record" in first) return first.record;
  await expectVisible(session, path.workspaceId, first.missing);
  if (!first.marked) await awaitShown(session, path, first.missing);
  // The first answer may have been a mistake, and a list may be truncated or lag behind.
  const last = await pollUntil(session, {
    waitingFor: `the service's list to confirm that key ${path.keyId} is gone`,
    look: async () => ({ listed: await isListed(session, path, first), found: await findKey(session, path) }),
    isDone: (seen) => !seen.listed || "record" in seen.found,
  });
  if ("record" in last.found) return last.found.record;
  if (!last.listed) return undefined;
  throw new InconclusiveError(
    `${last.found.missing}, but its workspace lists it`,
    `The access token may not be allowed to read it, or the list may lag behind: run the command again later. ${session.tokenAdvice}`,
  );
}

const waits = new WeakMap<object, Promise<unknown>>();

/**
 * A service that lags behind may show a key that was just created neither by GET nor in its list. In each process one wait
 * serves all keys of a workspace: after it, none that another process created is too new.
 */
async function awaitShown(session: Session, { workspaceId, keyId }: KeyPath, missing: string): Promise<void> {
  const list = sharedReads(session.call).keys(workspaceId);
  const before = await list.recent();
  if ("byId" in before && before.byId.has(keyId)) return;
  const polling = {
    waitingFor: `the service to show key ${keyId}`,
    look: async () => {},
    isDone: () => false,
  };
  const waiting = waits.get(list) ?? pollUntil(session, polling).then(list.fresh);
  waits.set(list, waiting);
  await waiting;
  if (session.over.aborted)
    throw new InconclusiveError(`${missing}, and the run ended before it could be confirmed`);
}

/** Whether the workspace's list has the key as not deleted. Throws an InconclusiveError if it can't be read. */
async function isListed(session: Session, path: KeyPath, { missing, marked }: Missing): Promise<boolean> {
  const { workspaceId, keyId } = path;
  const list = sharedReads(session.call).keys(workspaceId);
  // A list without `deleted` does not contradict a record that has it.
  const isAlive = (record: ApiKeyRecord | undefined) =>
    record !== undefined && (marked ? record.deleted === false : !record.deleted);
  const before = await list.current(`gone ${keyId}`);
  if ("byId" in before && !isAlive(before.byId.get(keyId))) return false;
  // A list from before the deletion still has the key.
  const now = await list.awaited();
  if ("byId" in now) return isAlive(now.byId.get(keyId));
  if (session.withoutKeyList) return false;
  throw new InconclusiveError(
    `${missing}, but the workspace's list of keys can't be read to confirm that it is gone: ${now.problem}`,
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
export async function isGoneAfter(session: Session, path: KeyPath, refusal: unknown): Promise<boolean> {
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
export async function isDeleted(session: Session, path: KeyPath): Promise<boolean> {
  try {
    return "missing" in (await findKey(session, path));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const list = await sharedReads(session.call).keys(path.workspaceId).fresh();
    if ("problem" in list) throw error;
    const listed = list.byId.get(path.keyId);
    return listed === undefined || listed.deleted === true;
  }
}
