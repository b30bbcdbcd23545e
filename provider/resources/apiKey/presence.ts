import { CallError } from "../../client/callError";
import { readApiKey } from "../../client/endpoints";
import type { ApiKeyRecord } from "../../client/responses";
import type { Session } from "../../core/definition";
import { Doubt } from "../../core/errors";
import { lookAgain } from "../../core/polling";
import { lastingMs, sharedReads } from "../../reads/sharedReads";

/** Whether a key still exists. No single answer says that it does not (R6). */

export interface KeyPath {
  readonly workspaceId: string;
  readonly keyId: string;
}

/** What one GET says of a key: its record, or that there is none. */
export type Found = { readonly record: ApiKeyRecord } | Missing;

interface Missing {
  /** In which words the service says so. */
  readonly missing: string;
  /** Whether it says so by a record that is marked as deleted. */
  readonly marked: boolean;
}

/** Throws a CallError where the answer says neither. */
export async function find(session: Session, path: KeyPath): Promise<Found> {
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
 * The key, or `undefined` when it is gone: its workspace is visible, and its list, really read, does not hold it alive
 * (R6). A token of another tenant, a gateway or a retired path answers 404 or 410 for what lives, too. Throws a CallError
 * or a Doubt where it can't be told.
 */
export async function lookUp(session: Session, path: KeyPath): Promise<ApiKeyRecord | undefined> {
  const first = await find(session, path);
  if ("record" in first) return first.record;
  await expectVisible(session, path, first);
  // Read again in any case: one odd answer may have passed, and a list may be cut, or lag behind.
  const { isListed, found } = await lookAgain(
    session,
    `the service to agree on whether key ${path.keyId} is gone`,
    async () => ({ isListed: await isListedAlive(session, path, first), found: await find(session, path) }),
    (seen) => !seen.isListed || "record" in seen.found,
  );
  if ("record" in found) return found.record;
  if (!isListed) return undefined;
  throw new Doubt(
    `${found.missing}, but its workspace lists it`,
    `The access token may not be allowed to read it, or the list may lag behind: run the command again later. ${session.tokenAdvice}`,
  );
}

/** Looked at by the service or not, such a request was not carried out, and says nothing of the key. */
const saysNothing = new Set([401, 403, 408, 429]);

/**
 * Whether a write was refused because the key is gone: whatever the service refused it with, the key is looked up.
 * Throws a CallError or a Doubt where that can't be told.
 */
export async function isRefusedAsGone(session: Session, path: KeyPath, error: unknown): Promise<boolean> {
  const status = error instanceof CallError ? (error.status ?? 0) : 0;
  if (status < 400 || status > 499 || saysNothing.has(status)) return false;
  try {
    return (await lookUp(session, path)) === undefined;
  } catch (doubt) {
    // Why the write was refused says more than that the key can't be read.
    if (doubt instanceof CallError && status !== 404 && status !== 410) return false;
    throw doubt;
  }
}

async function expectVisible(
  session: Session,
  { workspaceId }: KeyPath,
  { missing }: Missing,
): Promise<void> {
  // What others saw of it before may be from before this token lost sight of it, and of the key.
  const workspace = await sharedReads(session.call).workspace(workspaceId).fresh();
  if (!("problem" in workspace)) return;
  throw new Doubt(
    `${missing}, but its workspace can't be read either: ${workspace.problem}`,
    `The access token is the likely cause: it may belong to another account. ${session.tokenAdvice} If the workspace itself was deleted, remove the resource from state with \`pulumi state delete\`.`,
  );
}

/** Throws a Doubt where the list can't be read. */
async function isListedAlive(
  session: Session,
  path: KeyPath,
  { missing, marked }: Missing,
): Promise<boolean> {
  const { workspaceId, keyId } = path;
  const list = sharedReads(session.call).keys(workspaceId);
  // A list may leave `deleted` out, which does not speak against a record that has it.
  const isAlive = (record: ApiKeyRecord | undefined) =>
    record !== undefined && (marked ? record.deleted === false : !record.deleted);
  const before = await list.current(lastingMs, `gone ${keyId}`)?.answer;
  if (before !== undefined && "byId" in before && !isAlive(before.byId.get(keyId))) return false;
  // A list from before the key was deleted still holds it.
  const now = await list.awaited();
  if ("byId" in now) return isAlive(now.byId.get(keyId));
  if (session.withoutKeyList) return false;
  throw new Doubt(
    `${missing}, but the workspace's list of keys can't be read to confirm that it is gone: ${now.problem}`,
    `Run the command again, with an access token that may list the keys of ${workspaceId}. If neither helps and you know that the key is gone, set APIKEYS_NO_KEY_LIST=true for one command, which then does without the list, or remove the resource from state with \`pulumi state delete\`.`,
  );
}
