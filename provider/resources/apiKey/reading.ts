import { isDeepStrictEqual } from "node:util";
import type { ApiKeyRecord } from "../../client/responses";
import type { Outcome, Session } from "../../core/definition";
import { Failure } from "../../core/errors";
import { told } from "../../core/outcome";
import { defined, drifted, type Properties, readingKey } from "../../core/state";
import type { Listing } from "../../reads/byList";
import { sharedReads } from "../../reads/sharedReads";
import { isWhole, managed, observe } from "./convergence";
import { type KeyPath, lookUp } from "./presence";
import { keyLost, outputs, tellsUnmanaged, unmanagedChanges } from "./state";

export function pathOf(properties: Properties, keyId: string): KeyPath {
  return { workspaceId: String(properties["workspaceId"]), keyId };
}

/** The key as it is now; `undefined` when it is gone. Many keys of one workspace are read by its list. */
export async function read(session: Session, id: string, state: Properties): Promise<Outcome | undefined> {
  session.hide(state["key"]);
  const path = pathOf(state, id);
  const single = async () => {
    const record = await look(session, path, `Reading key ${id} in workspace ${path.workspaceId}`);
    return {
      record,
      result: record === undefined ? missing(path, state) : found(session, path, state, record),
    };
  };
  if (isForeign(state)) return (await single()).result;
  return sharedReads(session.call)
    .keys(path.workspaceId)
    .read(id, { single, unchanged: (listed, all) => confirmed(path, state, listed, all), alike });
}

/** One that this stack does not manage, or that was imported and not read yet: all that there is to know is wanted. */
function isForeign(state: Properties): boolean {
  if (state[readingKey] !== undefined) return true;
  return ["key", keyLost, "createdAt", "maskedKey"].every((name) => state[name] === undefined);
}

function missing({ workspaceId, keyId }: KeyPath, state: Properties): undefined {
  if (state[readingKey] === undefined) return undefined;
  throw new Failure(
    `There is no key ${keyId} in workspace ${workspaceId}: check both ids given to ApiKey.get.`,
  );
}

function found(session: Session, { keyId }: KeyPath, state: Properties, record: ApiKeyRecord): Outcome {
  if (state[readingKey] === undefined) {
    for (const line of unmanagedChanges(keyId, record, state)) session.warn(line, [keyId]);
  }
  const next = drifted(managed, state, observe(record));
  if (!isForeign(state)) return { id: keyId, state: next };
  const seen = { customerId: record.customerId, ...outputs(record) };
  return {
    id: keyId,
    state: state[readingKey] === undefined ? { ...seen, ...defined(next) } : { ...next, ...defined(seen) },
  };
}

/** A list's record that leaves state as it is; any other leaves the question to a read of the key (R3, R6). */
function confirmed(
  { keyId }: KeyPath,
  state: Properties,
  listed: ApiKeyRecord,
  all: Listing<ApiKeyRecord>,
): Outcome | undefined {
  if (!isWhole(listed) || !tellsUnmanaged(listed, state)) return undefined;
  if (!grants(listed) && !showsScopes(all)) return undefined;
  if (unmanagedChanges(keyId, listed, state).length > 0) return undefined;
  return drifted(managed, state, observe(listed)) === state ? { id: keyId, state } : undefined;
}

const showing = new WeakMap<Listing<ApiKeyRecord>, boolean>();

/** Whether the list shows permissions at all: one may show each key's scopes as none, or by their names alone. */
function showsScopes(listing: Listing<ApiKeyRecord>): boolean {
  const shows = showing.get(listing) ?? listing.all.some(grants);
  showing.set(listing, shows);
  return shows;
}

function grants({ scopes = [] }: ApiKeyRecord): boolean {
  return scopes.some((scope) => scope.create || scope.read || scope.update || scope.del);
}

/** A list that leaves out `deleted` where a read has it can't tell what is gone. */
function alike(listed: ApiKeyRecord, record: ApiKeyRecord): boolean {
  if (listed.deleted === undefined && record.deleted !== undefined) return false;
  return isDeepStrictEqual(lookedAt(listed), lookedAt(record));
}

function lookedAt(record: ApiKeyRecord) {
  const { customerId, prefix, expiresAt, updatedAt } = record;
  return { ...observe(record), customerId, prefix, expiresAt, updatedAt, whole: isWhole(record) };
}

export async function look(
  session: Session,
  path: KeyPath,
  doing: string,
): Promise<ApiKeyRecord | undefined> {
  try {
    return await lookUp(session, path);
  } catch (error) {
    const advice = `Check that the access token may read the keys of ${path.workspaceId}.`;
    throw told(session, error, { doing, notDone: "State is unchanged", advice });
  }
}
