/**
 * An API key that is replaced by a new one when it is old enough, or when an input needs a new key. The previous key
 * stays valid for the overlap, so that its users have time to change; name, scopes and enabled are updated in place
 * on both. A key is created by one update and deleted by a later one, never by a refresh. Destroy deletes both (interface,
 * sections 2 and 4.1 to 4.5).
 */

import { randomUUID } from "node:crypto";
import { define, type Outcome, type Session } from "../../core/definition";
import { Failure } from "../../core/errors";
import { applyDrift } from "../../core/state";
import { capitalised } from "../../core/text";
import { pathOf, readKeyOrFail } from "../apiKey/gone";
import { adoptionNote, adopts, type KeyInputs, observe, updatable } from "../apiKey/model";
import { identities } from "../apiKey/rules";
import { create as createKey, ifUnsaved } from "../apiKey/write";
import type { Batch } from "../keys/batch";
import {
  applySteps,
  createdKeys,
  type OwnedKey,
  type OwnedKeys,
  type Owner,
  readKeys,
  removeKeys,
  type Step,
  tryAgain,
} from "../keys/operations";
import {
  decide,
  isPending,
  isUnconfirmed,
  mayDiffer,
  previewCreate,
  previewUpdate,
  type RotatingUpdate,
  refusal,
  stillUsed,
  updateNote,
  waiting,
} from "./decision";
import {
  edited,
  follows,
  type Keys,
  keysOf,
  label,
  newKey,
  type RotatingInputs,
  type RotatingState,
  rules,
  shape,
  stateOf,
  type Times,
  timesOf,
  unchanged,
} from "./properties";

export const rotatingApiKey = define({
  kind: "RotatingApiKey",
  shape,
  label,
  objectKind: "ApiKey",
  managed: (id, state) => {
    const { workspaceId } = state;
    const { current, previous, toDelete } = keysOf(state);
    const kept = [current, previous].filter((key) => key !== undefined);
    return [
      ...kept.map((key) => ({ workspaceId, id: key.id, claim: id })),
      ...toDelete.map((key) => ({ workspaceId, id: key.id, claim: undefined })),
    ];
  },
  rules,
  identities,
  plan: decide,
  pending: (compared) => (isPending(compared) ? [] : undefined),
  keepsExisting: ({ state, inputs: { existingId, existingKey } }) =>
    (existingId !== undefined && existingId === state.existingId) ||
    (existingKey !== undefined && existingKey === state.existingKey),
  unchanged,
  follows,
  adopts,
  createNote: (inputs) => adoptionNote(label(inputs), inputs),
  updateNote,
  previewCreate,
  previewUpdate,
  create,
  created: (state) => stateOf(state, keysIn(createdKeys(ownedKeys(keysOf(state)))), timesOf(state)),
  ifUnsaved: (session, inputs) => ifUnsaved(session, [{}, inputs]),
  read,
  update,
  delete: remove,
});

/**
 * The operations of a rotating key. An update first writes the existing keys and deletes what is due. Only then does it
 * create a key, so that there are never more than two.
 */

type RotatingOutcome = Outcome<RotatingState>;

/** What has come of an update so far. */
interface Progress extends Pick<RotatingOutcome, "failure" | "lines" | "unresolved"> {
  readonly keys: Keys;
  readonly times: Times;
  readonly lastUsed: string | undefined;
}

function ownerOf(state: RotatingState): Owner {
  return {
    workspaceId: state.workspaceId,
    label: label(state),
    stays: "The rotating key stays in state: run the command again to delete the rest.",
  };
}

function ownedKeys({ current, previous, toDelete }: Keys): OwnedKeys {
  const byAlias = new Map<string, OwnedKey>();
  if (current !== undefined) byAlias.set("current", current);
  if (previous !== undefined) byAlias.set("previous", previous);
  return { byAlias, toDelete };
}

function keysIn({ byAlias, toDelete }: OwnedKeys): Keys {
  return { current: byAlias.get("current"), previous: byAlias.get("previous"), toDelete };
}

async function create(session: Session, declared: RotatingInputs): Promise<RotatingOutcome> {
  const id = `rotating-${randomUUID()}`;
  const { keys, failure } = await makeKey(session, id, { toDelete: [] }, newKey(declared, true));
  const times = { rotatedAt: keys.current === undefined ? undefined : session.currentTime() };
  return { id, state: stateOf(declared, keys, times), ...(failure !== undefined && { failure }) };
}

/** Creates a key. Without its secret it doesn't become the current one: the next update deletes it (K6). */
async function makeKey(
  session: Session,
  claim: string,
  { current, previous, toDelete }: Keys,
  declared: KeyInputs,
): Promise<{ readonly keys: Keys; readonly failure: string | undefined }> {
  const { failure, reason: _, ...made } = await createKey(session, declared, claim);
  if (!made.state.__keyLost) {
    return { keys: { current: made, previous: current ?? previous, toDelete }, failure };
  }
  session.registry.release(declared.workspaceId, made.id, claim);
  const withoutSecret = { id: made.id, name: String(made.state.name) };
  return { keys: { current, previous, toDelete: [...toDelete, withoutSecret] }, failure };
}

async function update(session: Session, compared: RotatingUpdate): Promise<RotatingOutcome> {
  const { id, state, inputs: declared } = compared;
  const doing = `Updating the ${label(declared)}`;
  const { does } = compared.plan;
  if (does === "fail") {
    throw new Failure(`${doing}: nothing was changed. ${capitalised(refusal(compared))}`);
  }
  if (does === "retire") await expectCurrent(session, state, doing);
  const isAsked = does === "retire" && declared.retire === "whenUnused";
  const lastUsed = isAsked ? await lastUse(session, keysOf(state), doing) : undefined;
  const isUsed = lastUsed !== undefined && lastUsed !== state.__lastUsed;
  if (isUsed) session.warn(stillUsed(compared));
  const isRetiring = does === "retire" && !isUsed;
  const { keys, batch } = await settle(session, compared, isRetiring);
  if (isRetiring && batch.failed.size === 0) {
    for (const line of waiting(compared)) {
      session.warn(`${capitalised(label(declared))}: ${line}. Run \`pulumi up\` again.`);
    }
  }
  const { rotatedAt = session.now, overlapFrom } = timesOf(state);
  const times = { rotatedAt, overlapFrom: isUsed ? session.currentTime() : overlapFrom };
  let progress: Progress = { keys, times, lastUsed: lastUsed ?? state.__lastUsed };
  if (batch.failed.size > 0) {
    const failure = `${doing}: ${batch.summary}. ${tryAgain}`;
    progress = { ...progress, failure, lines: batch.lines, unresolved: batch.unresolved };
  } else if (does === "create" || does === "rotate") {
    progress = await rotate(session, id, declared, progress);
  }
  if (progress.failure === undefined) progress = await startOverlap(session, state, declared, progress);
  const { keys: now, times: dates, lastUsed: use, ...outcome } = progress;
  return { id, state: stateOf(declared, now, dates, use), ...outcome };
}

/** Makes the existing keys match the program, then deletes those that are to be deleted. */
async function settle(
  session: Session,
  { id, state, inputs: declared }: RotatingUpdate,
  isRetiring: boolean,
): Promise<{ readonly keys: Keys; readonly batch: Batch }> {
  const before = ownedKeys(keysOf(state));
  const steps = Array.from(before.byAlias, ([alias, key]): Step => {
    if (isRetiring && alias === "previous") return { alias, op: "delete", key, successor: "current" };
    const isEdited = mayDiffer(key, declared) || (alias === "current" && isUnconfirmed(state));
    if (!isEdited) return { alias, stateAlias: alias, op: "same", key };
    return { alias, stateAlias: alias, op: "update", key, declared: edited(key, declared) };
  });
  const { workspaceId } = declared;
  const { owned, batch } = await applySteps(
    session,
    { workspaceId, owned: before, steps },
    { claim: id, subject: label(declared) },
  );
  return { keys: keysIn(owned), batch };
}

/** Creates a key, which becomes the current one. */
async function rotate(
  session: Session,
  id: string,
  declared: RotatingInputs,
  before: Progress,
): Promise<Progress> {
  try {
    const { keys, failure } = await makeKey(session, id, before.keys, newKey(declared, false));
    const isMade = keys.current?.id !== before.keys.current?.id;
    const progress = {
      keys,
      times: isMade ? { rotatedAt: session.currentTime() } : before.times,
      lastUsed: isMade ? undefined : before.lastUsed,
    };
    return failure === undefined ? progress : { ...progress, failure };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { headline: failure, lines, unresolved } = error;
    return { ...before, failure, lines, unresolved: unresolved ? [failure] : [] };
  }
}

/** Begins the overlap of the previous key once the current one was seen to match the program. */
async function startOverlap(
  session: Session,
  state: RotatingState,
  declared: RotatingInputs,
  progress: Progress,
): Promise<Progress> {
  const { keys, times } = progress;
  if (keys.previous === undefined || times.overlapFrom !== undefined) return progress;
  // If the clock is behind, the overlap would otherwise be over as soon as the clock is set right.
  const overlapFrom = Math.max(session.currentTime(), timesOf(state).rotatedAt ?? 0);
  const started = { ...progress, times: { ...times, overlapFrom } };
  if (declared.retire !== "whenUnused") return started;
  // If it can't be read now, it is recorded at the end of the overlap, and compared after another one.
  const lastUsed = await lastUse(session, keys, "").catch(() => undefined);
  return { ...started, lastUsed };
}

/** Throws unless the current key exists and matches state: otherwise the previous one may be the only one that works. */
async function expectCurrent(session: Session, state: RotatingState, doing: string): Promise<void> {
  const { current, previous } = keysOf(state);
  if (current === undefined) return;
  const record = await readKeyOrFail(session, pathOf(current.state, current.id), doing);
  if (record !== undefined && applyDrift(updatable, current.state, observe(record)) === current.state) return;
  const what = record === undefined ? "no longer exists" : "was changed outside Pulumi";
  throw new Failure(
    `${doing}: nothing was changed, because ${current.id}, the current key, ${what}, and the previous key, ${previous?.id}, would be deleted. Run \`pulumi up --refresh\`.`,
  );
}

/** When the previous key was last used: "" where the service does not say, `undefined` where there is no such key. */
async function lastUse(session: Session, { previous }: Keys, doing: string): Promise<string | undefined> {
  if (previous === undefined) return undefined;
  const record = await readKeyOrFail(session, pathOf(previous.state, previous.id), doing);
  return record && (record.lastUsedAt ?? "");
}

/** Neither rotates nor deletes. What is gone leaves state; without the current key, the next update creates one. */
async function read(
  session: Session,
  id: string,
  state: RotatingState,
): Promise<RotatingOutcome | undefined> {
  const owned = await readKeys(session, ownerOf(state), ownedKeys(keysOf(state)));
  if (owned.byAlias.size === 0 && owned.toDelete.length === 0) return undefined;
  const keys = keysIn(owned);
  const { rotatedAt = session.now, overlapFrom } = timesOf(state);
  const times: Times = keys.current === undefined ? {} : { rotatedAt, overlapFrom };
  return { id, state: stateOf(state, keys, times, state.__lastUsed) };
}

async function remove(session: Session, id: string, state: RotatingState): Promise<void> {
  await removeKeys(session, id, ownerOf(state), ownedKeys(keysOf(state)));
}
