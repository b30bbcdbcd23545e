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
  const { id, state, inputs: declared, plan } = compared;
  const { does } = plan;
  const doing = `Updating the ${label(declared)}`;
  if (does === "fail") {
    throw new Failure(`${doing}: nothing was changed. ${capitalised(refusal(compared))}`);
  }
  let { rotatedAt, overlapFrom } = plan;
  let lastUsed = state.__lastUsed;
  let isRetiring = does === "retire";
  if (isRetiring) await expectCurrent(session, compared, doing);
  if (isRetiring && declared.retire === "whenUnused") {
    lastUsed = await lastUse(session, plan, doing);
    const warning = lastUsed === undefined ? undefined : stillUsed(compared, lastUsed);
    if (warning !== undefined) {
      session.warn(warning);
      isRetiring = false;
      overlapFrom = session.currentTime();
    }
  }
  let { keys, batch } = await settle(session, compared, isRetiring);
  let failed: Pick<RotatingOutcome, "failure" | "lines" | "unresolved"> | undefined;
  if (batch.failed.size > 0) {
    const { summary, lines, unresolved } = batch;
    failed = { failure: `${doing}: ${summary}. ${tryAgain}`, lines, unresolved };
  } else if (isRetiring) {
    for (const line of waiting(compared)) {
      session.warn(`${capitalised(label(declared))}: ${line}. Run \`pulumi up\` again.`);
    }
  } else if (does === "create" || does === "rotate") {
    const before = keys.current?.id;
    try {
      const made = await makeKey(session, id, keys, newKey(declared, false));
      keys = made.keys;
      if (made.failure !== undefined) failed = { failure: made.failure };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { headline: failure, lines, unresolved } = error;
      failed = { failure, lines, unresolved: unresolved ? [failure] : [] };
    }
    if (keys.current?.id !== before) {
      [rotatedAt, overlapFrom, lastUsed] = [session.currentTime(), undefined, undefined];
    }
  }
  // The overlap begins once the current key was seen to match the program.
  if (failed === undefined && keys.previous !== undefined && overlapFrom === undefined) {
    // If the clock is behind, the overlap would otherwise be over as soon as the clock is set right.
    overlapFrom = Math.max(session.currentTime(), plan.rotatedAt ?? 0);
    // What can't be read now is recorded at the end of the overlap.
    if (declared.retire === "whenUnused") lastUsed = await lastUse(session, keys, "").catch(() => undefined);
  }
  return { id, state: stateOf(declared, keys, { rotatedAt, overlapFrom }, lastUsed), ...failed };
}

/** Makes the existing keys match the program, then deletes those that are to be deleted. */
async function settle(
  session: Session,
  { id, inputs: declared, plan }: RotatingUpdate,
  isRetiring: boolean,
): Promise<{ readonly keys: Keys; readonly batch: Batch }> {
  const before = ownedKeys(plan);
  const steps = Array.from(before.byAlias, ([alias, key]): Step => {
    if (isRetiring && alias === "previous") return { alias, op: "delete", key, successor: "current" };
    const isEdited = mayDiffer(key, declared) || (alias === "current" && plan.isUnconfirmed);
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

/** Throws unless the current key exists and matches state: otherwise the previous one may be the only one that works. */
async function expectCurrent(
  session: Session,
  { plan: { current, previous } }: RotatingUpdate,
  doing: string,
): Promise<void> {
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
  const times = keys.current === undefined ? {} : timesOf(state);
  return { id, state: stateOf(state, keys, times, state.__lastUsed) };
}

async function remove(session: Session, id: string, state: RotatingState): Promise<void> {
  await removeKeys(session, id, ownerOf(state), ownedKeys(keysOf(state)));
}
