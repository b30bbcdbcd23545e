import { CallError } from "../client/callError";
import { readApiKey } from "../client/endpoints";
import type { ApiKeyRecord } from "../client/responses";
import type { Session } from "../definition";
import { Doubt } from "../errors";
import { lastingMs, sharedReads, type Unavailable } from "../sharedReads";

export interface KeyPath {
  readonly workspaceId: string;
  readonly keyId: string;
}

/** The key, or `undefined` when it is gone (R6). Throws a CallError or a Doubt where that can't be told. */
export async function lookUp(session: Session, path: KeyPath): Promise<ApiKeyRecord | undefined> {
  try {
    const record = await readApiKey(session.call, path);
    return record.deleted ? undefined : record;
  } catch (error) {
    const judged = await judge(session, path, error);
    if (judged.gone) return undefined;
    throw judged.cause;
  }
}

export type Judgement = { readonly gone: true } | { readonly gone: false; readonly cause: unknown };

/**
 * What it means that a call for a key failed. A 404 is also what a token of another tenant sees, so it is believed
 * only when the workspace can be seen and its list of keys does not contradict it (R6).
 */
export async function judge(session: Session, path: KeyPath, error: unknown): Promise<Judgement> {
  const status = error instanceof CallError ? error.status : undefined;
  if (status === 410) return { gone: true };
  if (status !== 404) return { gone: false, cause: error };
  try {
    await confirm(session, path);
    return { gone: true };
  } catch (doubt) {
    return { gone: false, cause: doubt };
  }
}

async function confirm(session: Session, { workspaceId, keyId }: KeyPath): Promise<void> {
  // What others saw of it before may be from before this token lost sight of it, and of the key.
  const workspace = await sharedReads(session.call).workspace(workspaceId).fresh();
  if ("problem" in workspace) {
    throw new Doubt(
      `the service knows no such key for this access token, but neither can its workspace be read: ${workspace.problem}`,
      `The token is the likely cause: it may belong to somebody else. ${session.tokenAdvice} If the workspace itself was deleted, drop the resource from state with \`pulumi state delete\`.`,
    );
  }
  if (await listedLive(session, { workspaceId, keyId })) {
    throw new Doubt(
      "the service knows no such key for this access token, but lists it in its workspace",
      `The token may not be allowed to read it, or the list lags behind: run the command again later. ${session.tokenAdvice}`,
    );
  }
}

const unlisted = new Set([403, 404, 405, 410, 501]);

/** Whether this token, or this service, lists no keys: such an answer says nothing. */
export function listsNone({ error }: Unavailable): boolean {
  return error?.verdict === "invalidAnswer" || unlisted.has(error?.status ?? 0);
}

/** Whether the workspace's list holds the key alive. A list that can't be read for now leaves it in doubt. */
async function listedLive(session: Session, { workspaceId, keyId }: KeyPath): Promise<boolean> {
  const list = sharedReads(session.call).keys(workspaceId);
  const current = await list.current(lastingMs, `gone ${keyId}`)?.answer;
  // A list's 404 may come of what the key's own comes of, and have passed since the workspace could be read.
  const lasts = (answer: Unavailable) => listsNone(answer) && answer.error?.status !== 404;
  if (current !== undefined && "problem" in current && lasts(current)) return false;
  const before = current !== undefined && "byId" in current ? current : undefined;
  // A list from before the key was deleted holds it still.
  if (before !== undefined && !isLive(before.byId.get(keyId))) return false;
  // What is gone is worth the wait.
  const now = await list.awaited();
  if (!("problem" in now)) return isLive(now.byId.get(keyId));
  // One that showed the key alive can be had, now or soon.
  if (listsNone(now) && before === undefined) return false;
  throw new Doubt(
    `the service knows no such key, but its workspace's list of keys could not be read to confirm it: ${now.problem}`,
    "Run the command again.",
  );
}

function isLive(record: ApiKeyRecord | undefined): boolean {
  return record !== undefined && !record.deleted;
}
