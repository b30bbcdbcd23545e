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
  /** One GET, of this object or of another one. */
  readonly read: (id: string) => Promise<T>;
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
async function readOnce<T extends Shown>({ kind, id, read }: Target<T>): Promise<Found<T>> {
  try {
    const record = await read(id);
    if (!record.deleted) return { kind: "found", record };
    return { kind: "missing", said: `the service shows the ${kind} as deleted`, marked: true };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { kind: "missing", said: error.message, marked: false };
  }
}

/**
 * The object, or `undefined` when it is gone: two GETs don't find it, its workspace is visible, and they show it as deleted,
 * or the whole list does not have it. A token of another tenant, a gateway or a retired path answers 404 or 410 for what
 * exists, too, and lists may be cut. Throws a CallError or an InconclusiveError if neither is certain.
 */
export async function lookUp<T extends Shown>(session: Session, target: Target<T>): Promise<T | undefined> {
  const first = await readOnce(target);
  if (first.kind === "found") session.registry.see(target.workspaceId, target.id);
  if (first.kind === "found") return first.record;
  await expectVisible(session, target.workspaceId, first.said);
  // It may be new: a service that lags behind shows it neither by GET nor in its list.
  if (!first.marked) await session.pause(longestLagMs);
  const findsAnother = first.marked || (await isAnotherFound(session, target, await target.list.fresh()));
  const { aborted, reason } = session.over;
  const ended = `${first.said}, and ${reason} before it could be confirmed`;
  if (aborted) throw new InconclusiveError("interrupted", ended);
  // The first answer may have been a mistake.
  const second = await readOnce(target);
  if (second.kind === "found") return second.record;
  if (!first.marked || !second.marked) await expectUnlisted(session, target, second.said, findsAnother);
  return undefined;
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

const asked = new WeakMap<object, Promise<boolean>>();

/**
 * Whether the service finds another object, if its list shows one. Asked once for each list, between the two GETs of a missing
 * object: so a 404 of the whole path, however long, makes nothing gone that has others beside it.
 */
async function isAnotherFound<T extends Shown>(
  { registry }: Session,
  { workspaceId, read }: Target<T>,
  list: Reading<Listing<T>>,
): Promise<boolean> {
  if (list.kind === "unavailable") return true;
  const alive = list.value.all.filter((one) => !one.deleted && !registry.isDropped(workspaceId, one.id));
  const another = alive.find(({ id }) => registry.seenIn(workspaceId).has(id)) ?? alive[0];
  if (another === undefined) return true;
  const asking = asked.get(list.value) ?? read(another.id).then(Boolean, (error) => !isNotFound(error));
  asked.set(list.value, asking);
  return asking;
}

/** Whether a list has an object as not deleted. */
function isIn<T extends Shown>({ byId }: Listing<T>, id: string): boolean {
  const listed = byId.get(id);
  return listed !== undefined && !listed.deleted;
}

/**
 * Whether a list proves that an object is gone: it shows it as deleted; or it lacks it, is whole, and has all others that a GET
 * has shown to this process. If it has none of a resource, it must not be as long as pages usually are: a multiple of 10 or 25.
 */
function provesGone<T extends Shown>(
  { registry }: Session,
  { workspaceId, id }: Target<T>,
  list: Reading<Listing<T>>,
): boolean {
  if (list.kind === "unavailable") return false;
  const { all, byId, isWhole } = list.value;
  const own = byId.get(id);
  if (own !== undefined) return own.deleted === true;
  const isPage = all.length > 0 && [10, 25].some((size) => all.length % size === 0);
  const lacks = (one: string) => one !== id && !byId.has(one) && !registry.isDropped(workspaceId, one);
  const lacksSeen = [...registry.seenIn(workspaceId)].some(lacks);
  return isWhole && !lacksSeen && (!isPage || all.some((one) => registry.has(workspaceId, one.id)));
}

/** Throws an InconclusiveError unless the workspace's list proves that the object is gone. */
async function expectUnlisted<T extends Shown>(
  session: Session,
  target: Target<T>,
  said: string,
  findsAnother: boolean,
): Promise<void> {
  const { kind, id, list, workspaceId } = target;
  const isProof = (now: Reading<Listing<T>>) => findsAnother && provesGone(session, target, now);
  if (isProof(await list.recent(true))) return;
  // A list from before the deletion still has it.
  const now = await list.fresh();
  const isShown = now.kind === "known" && isIn(now.value, id);
  if (isProof(now) || (!isShown && findsAnother && session.setup.withoutKeyList)) return;
  const all = `the workspace's list of ${kind}s`;
  let why = `${all} may be only a part of it, which can't confirm that it is gone`;
  if (now.kind === "unavailable")
    why = `${all} can't be read to confirm that it is gone: ${now.error.message}`;
  if (!findsAnother) why = `it doesn't find another ${kind} either that ${all} shows`;
  if (isShown) why = "its workspace lists it";
  const vouched = isShown || !findsAnother ? "" : "set APIKEYS_NO_KEY_LIST=true for one command, or ";
  throw new InconclusiveError(
    "unconfirmed",
    `${said}, but ${why}`,
    `Run the command again later, with an access token that is allowed to read and list the ${kind}s of ${workspaceId}. ${session.setup.tokenAdvice} If that doesn't help and you know that the ${kind} no longer exists, ${vouched}remove the resource from state with \`pulumi state delete\`.`,
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
  const isGone = async () => (await lookUp(session, target)) === undefined;
  const look = isAccepted ? lookAfterDelete(session, target) : isGone;
  if (answered !== undefined && !recordOf(answered)?.deleted && !(await pollUntil(session, look, Boolean))) {
    const said = answered.problem ?? "the service accepted the deletion";
    throw new InconclusiveError("notDeleted", `${said}, but the ${target.kind} still exists`);
  }
  session.registry.drop(target.workspaceId, target.id);
}

/** Looks whether an object whose deletion was accepted no longer exists: a GET or the list says so. */
function lookAfterDelete<T extends Shown>(session: Session, target: Target<T>): () => Promise<boolean> {
  let isShown = false;
  return async () => {
    try {
      const { kind } = await readOnce(target);
      isShown ||= kind === "found";
      return kind === "missing";
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const list = await target.list.fresh();
      // A list that is cut lacks what a GET has shown since.
      if (list.kind === "unavailable" || isShown) throw error;
      return provesGone(session, target, list);
    }
  };
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

/** Refusals that come from the service itself. Any other may come from a gateway, or from a replica that lags behind. */
const certain = new Set([400, 401, 403, 422, 429]);

/** Whether a POST may have been carried out although it was refused. */
export function isDoubtful(error: unknown): error is CallError {
  return error instanceof CallError && error.verdict === "refused" && !certain.has(error.status ?? 400);
}

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
    if (isDoubtful(error) || (error instanceof CallError && error.verdict === "ambiguous"))
      return { kind: "unavailable", error };
    throw error;
  }
}

/** Whether an object existed before a create. */
const wasThere = <T extends Shown>({ registry }: Session, { workspaceId, before }: Creation<T>, { id }: T) =>
  registry.has(workspaceId, id) ||
  (before.kind === "known" && isIn(before.value, id) && !registry.isDropped(workspaceId, id));

/** The new objects in a list, and whether that is whole. */
export type FoundObjects<T> = Pick<Listing<T>, "all" | "isWhole">;

/** The objects that a create may have created: `candidates` that were not there before. The list may lag behind a lost POST. */
export async function findCreated<T extends Shown>(
  session: Session,
  creation: Creation<T>,
  list: SharedRead<Listing<T>>,
  candidates: (listing: Listing<T>) => readonly T[],
  error: CallError,
): Promise<Reading<FoundObjects<T>>> {
  const isNew = (one: T) => !wasThere(session, creation, one);
  const look = async (): Promise<Reading<FoundObjects<T>>> => {
    const now = await list.fresh();
    if (now.kind === "unavailable") return now;
    const { isWhole } = now.value;
    return { kind: "known", value: { isWhole, all: candidates(now.value).filter(isNew) } };
  };
  const isDone = (now: Reading<FoundObjects<T>>) =>
    isDoubtful(error) || (now.kind === "known" && now.value.all.length > 0);
  return pollUntil(session, look, isDone);
}
