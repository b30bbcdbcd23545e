import { type ApiKeyPath, type ApiKeyRecord, readApiKey } from "../../client/apiKeys";
import { CallError } from "../../client/callError";
import type { Session } from "../../core/definition";
import { InconclusiveError } from "../../core/errors";
import { type Found, lookUp, type Missing, type Presence } from "../../core/presence";
import { lastingMs, sharedReads } from "../../reads/sharedReads";

/** Whether a key still exists (R6). */

export type KeyPath = ApiKeyPath;

/** What one GET says of a key. Throws a CallError where the answer says neither. */
export async function findKey(session: Session, path: KeyPath): Promise<Found<ApiKeyRecord>> {
  try {
    const record = await readApiKey(session.call, path);
    return record.deleted ? { missing: "the service shows the key as deleted", marked: true } : { record };
  } catch (error) {
    const isMissing = error instanceof CallError && (error.status === 404 || error.status === 410);
    if (!isMissing) throw error;
    return { missing: error.message, marked: false };
  }
}

export function presenceOf(session: Session, path: KeyPath): Presence<ApiKeyRecord> {
  return {
    what: `key ${path.keyId}`,
    find: () => findKey(session, path),
    workspace: sharedReads(session.call).workspace(path.workspaceId),
    isListed: (missing) => isListed(session, path, missing),
  };
}

/** The key, or `undefined` when it is gone. Throws a CallError or an InconclusiveError if neither is certain. */
export async function lookUpKey(session: Session, path: KeyPath): Promise<ApiKeyRecord | undefined> {
  return lookUp(session, presenceOf(session, path));
}

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
