import { type ApiKeyPath, type ApiKeyRecord, readApiKey } from "../../client/apiKeys";
import { CallError } from "../../client/callError";
import type { Session } from "../../core/definition";
import { InconclusiveError } from "../../core/errors";
import { pollUntil } from "../../core/polling";
import { expectVisible } from "../../core/presence";
import { lastingMs, sharedReads } from "../../reads/sharedReads";

/** Whether a key still exists. No single answer says that it does not (R6). */

export type KeyPath = ApiKeyPath;

/** What one GET says of a key: its record, or that there is none. */
type Found = { readonly record: ApiKeyRecord } | Missing;

interface Missing {
  /** In which words the service says so. */
  readonly missing: string;
  /** Whether it says so by a record that is marked as deleted. */
  readonly marked: boolean;
}

/** Throws a CallError where the answer says neither. */
export async function findKey(session: Session, path: KeyPath): Promise<Found> {
  try {
    const record = await readApiKey(session.call, path);
    return record.deleted ? { missing: "the service shows the key as deleted", marked: true } : { record };
  } catch (error) {
    const isMissing = error instanceof CallError && (error.status === 404 || error.status === 410);
    if (!isMissing) throw error;
    return { missing: error.message, marked: false };
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
  if (!first.marked) await awaitShown(session, path);
  // Read again in any case: one odd answer may have passed, and a list may be cut, or lag behind.
  const last = await pollUntil(
    session,
    `the service's list to confirm that key ${path.keyId} is gone`,
    async () => ({ listed: await isListed(session, path, first), found: await findKey(session, path) }),
    (seen) => !seen.listed || "record" in seen.found,
  );
  if ("record" in last.found) return last.found.record;
  if (!last.listed) return undefined;
  throw new InconclusiveError(
    `${last.found.missing}, but its workspace lists it`,
    `The access token may not be allowed to read it, or the list may lag behind: run the command again later. ${session.tokenAdvice}`,
  );
}

/** The wait for keys that are not shown, by the list of their workspace. */
const waits = new WeakMap<object, Promise<unknown>>();

/**
 * A service that lags behind may show a key that was just created neither by GET nor in its list. In each process one wait
 * serves all keys of a workspace: after it, none that another process created is too new.
 */
async function awaitShown(session: Session, { workspaceId, keyId }: KeyPath): Promise<void> {
  const list = sharedReads(session.call).keys(workspaceId);
  const before = await list.recent(lastingMs);
  if ("byId" in before && before.byId.has(keyId)) return;
  const nothing = async () => {};
  const waiting =
    waits.get(list) ??
    pollUntil(session, `the service to show key ${keyId}`, nothing, () => false).then(list.fresh);
  waits.set(list, waiting);
  await waiting;
}

/** Whether the workspace's list has the key and not as deleted. Throws an InconclusiveError where it can't be read. */
async function isListed(session: Session, path: KeyPath, { missing, marked }: Missing): Promise<boolean> {
  const { workspaceId, keyId } = path;
  const list = sharedReads(session.call).keys(workspaceId);
  // A list may leave `deleted` out, which does not speak against a record that has it.
  const isAlive = (record: ApiKeyRecord | undefined) =>
    record !== undefined && (marked ? record.deleted === false : !record.deleted);
  const before = await list.current(lastingMs, `gone ${keyId}`);
  if ("byId" in before && !isAlive(before.byId.get(keyId))) return false;
  // A list from before the deletion still has the key.
  const now = await list.awaited();
  if ("byId" in now) return isAlive(now.byId.get(keyId));
  if (session.withoutKeyList) return false;
  throw new InconclusiveError(
    `${missing}, but the workspace's list of keys can't be read to confirm that it is gone: ${now.problem}`,
    `Run the command again, with an access token that is allowed to list the keys of ${workspaceId}. If that doesn't help and you know that the key no longer exists, set APIKEYS_NO_KEY_LIST=true for one command, which then doesn't need the list, or remove the resource from state with \`pulumi state delete\`.`,
  );
}

/** Such an answer says nothing about the key, whether the request was carried out or not. */
const saysNothing = new Set([401, 403, 408, 429, 499]);

/** Whether a write was refused for what it does, or for what the key is. */
export function isAboutKey(error: unknown): error is CallError {
  const status = error instanceof CallError ? (error.status ?? 0) : 0;
  return status >= 400 && status <= 499 && !saysNothing.has(status);
}

/**
 * Whether a write was refused because the key is gone: whatever the service refused it with, the key is looked up.
 * Throws a CallError or an InconclusiveError if that is not certain.
 */
export async function isRefusedAsGone(session: Session, path: KeyPath, error: unknown): Promise<boolean> {
  if (!isAboutKey(error)) return false;
  try {
    return (await lookUpKey(session, path)) === undefined;
  } catch (doubt) {
    // Why the write was refused says more than that the key can't be read.
    if (doubt instanceof CallError && error.status !== 404 && error.status !== 410) return false;
    throw doubt;
  }
}
