import { CallError } from "../client/callError";
import type { WorkspaceRecord } from "../client/workspaces";
import type { SharedRead } from "../reads/sharedRead";
import type { Unavailable } from "../reads/sharedReads";
import type { Session } from "./definition";
import { InconclusiveError } from "./errors";
import { pollUntil } from "./polling";

/** Whether an object still exists. No single answer says that it does not (R6). */

/** What one GET says of an object: its record, or that there is none. */
export type Found<T> = { readonly record: T } | Missing;

export interface Missing {
  /** In which words the service says so. */
  readonly missing: string;
  /** Whether it says so by a record that is marked as deleted. */
  readonly marked: boolean;
}

/** How to find out whether an object is gone, by the rule that all resources share. */
export interface Presence<T> {
  /** What messages call it: `key key_1`. */
  readonly what: string;
  /** One GET. Throws a CallError where the answer says neither. */
  find(): Promise<Found<T>>;
  /** The workspace that it belongs to. */
  readonly workspace: SharedRead<WorkspaceRecord | Unavailable>;
  /** Whether the workspace's list, read now, has it and not as deleted. Throws an InconclusiveError where the list can't be read. */
  isListed(missing: Missing): Promise<boolean>;
}

/**
 * The object, or `undefined` when it is gone: two GETs don't find it, its workspace is visible, and the list, really read,
 * does not have it. A token of another tenant, a gateway or a retired path answers 404 or 410 for what exists, too.
 * Throws a CallError or an InconclusiveError if neither is certain.
 */
export async function lookUp<T>(session: Session, presence: Presence<T>): Promise<T | undefined> {
  const { what, find, isListed } = presence;
  const first = await find();
  if ("record" in first) return first.record;
  await expectVisible(session, presence, first.missing);
  // Read again in any case: one odd answer may have passed, and a list may be cut, or lag behind.
  const last = await pollUntil(
    session,
    `the service's list to confirm that ${what} is gone`,
    async () => ({ listed: await isListed(first), found: await find() }),
    (seen) => !seen.listed || "record" in seen.found,
  );
  if ("record" in last.found) return last.found.record;
  if (!last.listed) return undefined;
  throw new InconclusiveError(
    `${last.found.missing}, but its workspace lists it`,
    `The access token may not be allowed to read it, or the list may lag behind: run the command again later. ${session.tokenAdvice}`,
  );
}

/** Throws an InconclusiveError where the workspace of what is missing can't be read: to such a token, nothing is gone. */
export async function expectVisible(
  session: Session,
  { workspace }: Pick<Presence<unknown>, "workspace">,
  missing: string,
): Promise<void> {
  // An earlier read may be from before this token lost its access to the workspace.
  const answer = await workspace.fresh();
  if (!("problem" in answer)) return;
  throw new InconclusiveError(
    `${missing}, but its workspace can't be read either: ${answer.problem}`,
    `The access token is the likely cause: it may belong to another account. ${session.tokenAdvice} If the workspace itself was deleted, remove the resource from state with \`pulumi state delete\`.`,
  );
}

/** Such an answer says nothing about the object, whether the request was carried out or not. */
const saysNothing = new Set([401, 403, 408, 429, 499]);

/** Whether a write was refused for what it does, or for what the object is. */
export function isAboutObject(error: unknown): error is CallError {
  const status = error instanceof CallError ? (error.status ?? 0) : 0;
  return status >= 400 && status <= 499 && !saysNothing.has(status);
}

/**
 * Whether a write was refused because the object is gone: whatever the service refused it with, the object is looked up.
 * Throws a CallError or an InconclusiveError if that is not certain.
 */
export async function isRefusedAsGone<T>(
  session: Session,
  presence: Presence<T>,
  error: unknown,
): Promise<boolean> {
  if (!isAboutObject(error)) return false;
  try {
    return (await lookUp(session, presence)) === undefined;
  } catch (doubt) {
    // Why the write was refused says more than that the object can't be read.
    if (doubt instanceof CallError && error.status !== 404 && error.status !== 410) return false;
    throw doubt;
  }
}
