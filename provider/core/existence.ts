/** Whether an object of the service exists. No single answer says that it doesn't (R6), or that it was deleted (R7). */
import { CallError, isNotFound, recordOf, type Written } from "../client/send";
import { type Listing, type Reading, type SharedRead, sharedReads } from "../reads";
import type { Session } from "./definition";
import { InconclusiveError, ifDeleted } from "./errors";

interface Shown {
  readonly id: string;
  readonly deleted?: boolean | undefined;
}

/** An object that the service shows by its id, and in a list of its workspace. */
export interface Target<T extends Shown> {
  /** Its name in messages: "key". */
  readonly kind: string;
  readonly workspaceId: string;
  readonly id: string;
  /** One GET. */
  readonly read: () => Promise<T>;
  readonly list: SharedRead<Listing<T>>;
}

type Found<T> = { readonly kind: "found"; readonly record: T } | Missing;

interface Missing {
  readonly kind: "missing";
  /** The service's words. */
  readonly said: string;
  /** Whether the service showed the object with `deleted: true`. */
  readonly marked: boolean;
}

// ---- Waiting -------------------------------------------------------------------------------------------------------

/** A service may carry out a write, or show it, a little later: these are the pauses between reads. */
export const pausesMs: readonly number[] = [300, 600, 1_200, 2_400, 3_600];
/** All of them. */
export const longestLagMs = pausesMs.reduce((sum, ms) => sum + ms, 0);

/** Looks now, and after each pause until it is done. Returns what it saw last, done or not. */
export async function pollUntil<T>(
  session: Pick<Session, "pause" | "over">,
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
): Promise<T> {
  let seen = await look();
  for (const ms of pausesMs) {
    if (isDone(seen) || session.over.aborted) break;
    await session.pause(ms);
    seen = await look();
  }
  return seen;
}

// ---- Gone ----------------------------------------------------------------------------------------------------------

/** One GET. Throws a CallError unless it finds the object or says that there is none. */
async function readOnce<T extends Shown>({ kind, read }: Target<T>): Promise<Found<T>> {
  try {
    const record = await read();
    if (!record.deleted) return { kind: "found", record };
    return { kind: "missing", said: `the service shows the ${kind} as deleted`, marked: true };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { kind: "missing", said: error.message, marked: false };
  }
}

/**
 * The object, or `undefined` when it is gone: two GETs don't find it, its workspace is visible, and they show it as deleted,
 * or the list, really read, does not have it. A token of another tenant, a gateway or a retired path answers 404 or 410 for
 * what exists, too. Throws a CallError or an InconclusiveError if neither is certain.
 */
export async function lookUp<T extends Shown>(session: Session, target: Target<T>): Promise<T | undefined> {
  const first = await readOnce(target);
  if (first.kind === "found") return first.record;
  await expectVisible(session, target.workspaceId, first.said);
  if (!first.marked) await awaitShown(session, target, first.said);
  // The first answer may have been a mistake.
  const second = await readOnce(target);
  if (second.kind === "found") return second.record;
  if ((first.marked && second.marked) || !(await isListed(session, target, second.said))) return undefined;
  throw new InconclusiveError(
    "unconfirmed",
    `${second.said}, but its workspace lists it`,
    `The access token may not be allowed to read it, or the list may lag behind: run the command again later. ${session.setup.tokenAdvice}`,
  );
}

/** How a write reads the object afterwards. `gone`: the error if it no longer exists. */
export function readsOf<T extends Shown>(session: Session, target: Target<T>, gone: InconclusiveError) {
  return {
    read: async (): Promise<T | undefined> => {
      const found = await readOnce(target);
      return found.kind === "found" ? found.record : undefined;
    },
    explainMissing: async (): Promise<T> => {
      const record = await lookUp(session, target);
      if (record === undefined) throw gone;
      return record;
    },
  };
}

/** Throws an InconclusiveError if the workspace of a missing object can't be read: then the object may exist. */
async function expectVisible(session: Session, workspaceId: string, said: string): Promise<void> {
  // An earlier read may be from before this token lost its access to the workspace.
  const answer = await sharedReads(session.call).workspace(workspaceId).fresh();
  if (answer.kind === "known") return;
  throw new InconclusiveError(
    "unconfirmed",
    `${said}, but its workspace can't be read either: ${answer.error.message}`,
    `The access token is the likely cause: it may belong to another account. ${session.setup.tokenAdvice} If the token is right, check the workspace's id. ${ifDeleted}.`,
  );
}

const waits = new WeakMap<object, Promise<unknown>>();

/**
 * A service that lags behind may show an object that was just created neither by GET nor in its list. In each process one
 * wait serves all objects of a list: after it, none that another process created is too new.
 */
async function awaitShown<T extends Shown>(
  session: Session,
  { list }: Target<T>,
  said: string,
): Promise<void> {
  const waiting = waits.get(list) ?? session.pause(longestLagMs).then(list.fresh);
  waits.set(list, waiting);
  await waiting;
  const { aborted, reason } = session.over;
  if (aborted)
    throw new InconclusiveError("interrupted", `${said}, and ${reason} before it could be confirmed`);
}

/** Whether a list has an object as not deleted. */
function isIn<T extends Shown>({ byId }: Listing<T>, id: string): boolean {
  const listed = byId.get(id);
  return listed !== undefined && !listed.deleted;
}

/** Whether the workspace's list has the object. Throws an InconclusiveError if it can't be read. */
async function isListed<T extends Shown>(
  session: Session,
  { kind, id, list, workspaceId }: Target<T>,
  said: string,
): Promise<boolean> {
  const before = await list.recent(true);
  if (before.kind === "known" && !isIn(before.value, id)) return false;
  // A list from before the deletion still has it.
  const now = await list.fresh();
  if (now.kind === "known") return isIn(now.value, id);
  if (session.setup.withoutKeyList) return false;
  throw new InconclusiveError(
    "unconfirmed",
    `${said}, but the workspace's list of ${kind}s can't be read to confirm that it is gone: ${now.error.message}`,
    `Run the command again, with an access token that is allowed to list the ${kind}s of ${workspaceId}. If that doesn't help and you know that the ${kind} no longer exists, set APIKEYS_NO_KEY_LIST=true for one command, or remove the resource from state with \`pulumi state delete\`.`,
  );
}

/** Refusals that are not about the object: of the token, of too many requests, or of a gateway. */
const saysNothing = new Set([401, 403, 408, 429, 499]);

/**
 * Looks for the object if a write was refused because of the object or the values: it may be gone. Throws the refusal if
 * that was for another reason, or if a read fails, which says less.
 */
export async function lookAfterRefusal<T>(refusal: unknown, look: () => Promise<T>): Promise<T> {
  const status = refusal instanceof CallError ? (refusal.status ?? 0) : 0;
  if (status < 400 || status > 499 || saysNothing.has(status)) throw refusal;
  try {
    return await look();
  } catch (error) {
    throw error instanceof CallError ? refusal : error;
  }
}

// ---- Deleted -------------------------------------------------------------------------------------------------------

/** Deletes the object. Throws if it may still exist: neither a success nor a refusal is believed by itself (R7). */
export async function deleteObject<T extends Shown>(
  session: Session,
  target: Target<T>,
  send: () => Promise<Written<T>>,
): Promise<void> {
  const answered = await send().catch(async (error: unknown) => {
    if ((await lookAfterRefusal(error, () => lookUp(session, target))) !== undefined) throw error;
  });
  // A gateway that answers with a page may answer the next request with a 404, and an error is not a success.
  const isAccepted = answered?.record !== undefined || answered?.noRecord;
  const look = async () => (isAccepted ? isDeleted(target) : (await lookUp(session, target)) === undefined);
  if (answered !== undefined && !recordOf(answered)?.deleted && !(await pollUntil(session, look, Boolean))) {
    const said = answered.problem ?? "the service accepted the deletion";
    throw new InconclusiveError("notDeleted", `${said}, but the ${target.kind} still exists`);
  }
  session.registry.drop(target.workspaceId, target.id);
}

/** Whether an object whose deletion was accepted no longer exists: a GET or the list says so. */
async function isDeleted<T extends Shown>(target: Target<T>): Promise<boolean> {
  try {
    return (await readOnce(target)).kind === "missing";
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const list = await target.list.fresh();
    if (list.kind === "unavailable") throw error;
    return !isIn(list.value, target.id);
  }
}

// ---- Created -------------------------------------------------------------------------------------------------------

/** Where a POST creates an object, and what was there before it. */
export interface Creation<T> {
  readonly workspaceId: string;
  /** The list before the POST. */
  readonly before: Reading<Listing<T>>;
}

/** The object that a POST's answer shows. */
export type Created<T> = Written<T> & { readonly record: T };

/**
 * Sends a POST once. Throws if nothing was created; "unavailable" means that this is not known. `acceptExisting`: whether
 * a record that existed before can be used, although the POST did not create it. Default: it can't.
 */
export async function createObject<T extends Shown>(
  session: Session,
  creation: Creation<T>,
  send: () => Promise<Written<T>>,
  acceptExisting: (record: T, said: string) => boolean = () => false,
): Promise<Reading<Created<T>>> {
  try {
    const written = await send();
    const { record, problem = "the answer can't be used" } = written;
    if (record === undefined) throw new CallError("ambiguous", problem);
    const said = `the service answered with ${record.id}, which existed before`;
    if (wasThere(session, creation, record) && !acceptExisting(record, said))
      throw new CallError("ambiguous", said);
    session.registry.add(creation.workspaceId, record.id);
    return { kind: "known", value: { ...written, record } };
  } catch (error) {
    if (error instanceof CallError && error.verdict === "ambiguous") return { kind: "unavailable", error };
    throw error;
  }
}

/** Whether an object existed before a create. */
const wasThere = <T extends Shown>({ registry }: Session, { workspaceId, before }: Creation<T>, { id }: T) =>
  registry.has(workspaceId, id) ||
  (before.kind === "known" && isIn(before.value, id) && !registry.isDropped(workspaceId, id));

/** The objects that a lost create may have created: `candidates` that were not there before. The list may lag behind. */
export async function findCreated<T extends Shown>(
  session: Session,
  creation: Creation<T>,
  list: SharedRead<Listing<T>>,
  candidates: (listing: Listing<T>) => readonly T[],
): Promise<Reading<readonly T[]>> {
  const isNew = (one: T) => !wasThere(session, creation, one);
  const look = async (): Promise<Reading<readonly T[]>> => {
    const now = await list.fresh();
    return now.kind === "known" ? { kind: "known", value: candidates(now.value).filter(isNew) } : now;
  };
  return pollUntil(session, look, (now) => now.kind === "known" && now.value.length > 0);
}
