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
import {
  type Applied,
  applySteps,
  createdKeys,
  failureOf,
  noKeys,
  type OwnedKey,
  type OwnedKeys,
  type Owner,
  readKeys,
  removeKeys,
  type Step,
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
  label,
  newKey,
  ownedKeys,
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
    const { byAlias, toDelete } = ownedKeys(state);
    return [
      ...Array.from(byAlias.values(), (key) => ({ workspaceId, id: key.id, claim: id })),
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
  created: (state) => stateOf(state, createdKeys(ownedKeys(state)), timesOf(state)),
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

async function create(session: Session, declared: RotatingInputs): Promise<RotatingOutcome> {
  const id = `rotating-${randomUUID()}`;
  const { owned, failure } = await makeKey(session, id, noKeys, newKey(declared, true));
  const times = { rotatedAt: owned.byAlias.size === 0 ? undefined : session.currentTime() };
  return { id, state: stateOf(declared, owned, times), ...(failure !== undefined && { failure }) };
}

/** Creates a key. Without its secret it doesn't become the current one: the next update deletes it (K6). */
async function makeKey(
  session: Session,
  claim: string,
  { byAlias, toDelete }: OwnedKeys,
  declared: KeyInputs,
): Promise<{ readonly owned: OwnedKeys; readonly failure: string | undefined }> {
  const { failure, reason: _, ...made } = await createKey(session, declared, claim);
  const previous = byAlias.get("current") ?? byAlias.get("previous");
  if (!made.state.__keyLost) {
    const rotated = new Map([["current", made], ...(previous ? [["previous", previous] as const] : [])]);
    return { owned: { byAlias: rotated, toDelete }, failure };
  }
  session.registry.release(declared.workspaceId, made.id, claim);
  const withoutSecret = { id: made.id, name: String(made.state.name) };
  return { owned: { byAlias, toDelete: [...toDelete, withoutSecret] }, failure };
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
    lastUsed = await lastUse(session, plan.previous, doing);
    const warning = lastUsed === undefined ? undefined : stillUsed(compared, lastUsed);
    if (warning !== undefined) {
      session.warn(warning);
      isRetiring = false;
      overlapFrom = session.currentTime();
    }
  }
  let { owned, batch } = await settle(session, compared, isRetiring);
  let failed = failureOf(doing, batch);
  if (failed === undefined && isRetiring) {
    for (const line of waiting(compared)) {
      session.warn(`${capitalised(label(declared))}: ${line}. Run \`pulumi up\` again.`);
    }
  } else if (failed === undefined && (does === "create" || does === "rotate")) {
    try {
      const made = await makeKey(session, id, owned, newKey(declared, false));
      owned = made.owned;
      if (made.failure !== undefined) failed = { failure: made.failure };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { headline: failure, lines, unresolved } = error;
      failed = { failure, lines, unresolved: unresolved ? [failure] : [] };
    }
    if (owned.byAlias.get("current")?.id !== plan.current?.id) {
      [rotatedAt, overlapFrom, lastUsed] = [session.currentTime(), undefined, undefined];
    }
  }
  // The overlap begins once the current key was seen to match the program.
  const previous = owned.byAlias.get("previous");
  if (failed === undefined && previous !== undefined && overlapFrom === undefined) {
    // If the clock is behind, the overlap would otherwise be over as soon as the clock is set right.
    overlapFrom = Math.max(session.currentTime(), plan.rotatedAt ?? 0);
    // What can't be read now is recorded at the end of the overlap.
    if (declared.retire === "whenUnused")
      lastUsed = await lastUse(session, previous, "").catch(() => undefined);
  }
  return { id, state: stateOf(declared, owned, { rotatedAt, overlapFrom }, lastUsed), ...failed };
}

/** Makes the existing keys match the program, then deletes those that are to be deleted. */
async function settle(
  session: Session,
  { id, inputs: declared, plan }: RotatingUpdate,
  isRetiring: boolean,
): Promise<Applied> {
  const steps = Array.from(plan.owned.byAlias, ([alias, key]): Step => {
    if (isRetiring && alias === "previous") return { alias, op: "delete", key, successor: "current" };
    const isEdited = mayDiffer(key, declared) || (alias === "current" && plan.isUnconfirmed);
    if (!isEdited) return { alias, stateAlias: alias, op: "same", key };
    return { alias, stateAlias: alias, op: "update", key, declared: edited(key, declared) };
  });
  const { workspaceId } = declared;
  const options = { claim: id, subject: label(declared) };
  return applySteps(session, { workspaceId, owned: plan.owned, steps }, options);
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
async function lastUse(
  session: Session,
  previous: OwnedKey | undefined,
  doing: string,
): Promise<string | undefined> {
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
  const owned = await readKeys(session, ownerOf(state), ownedKeys(state));
  if (owned.byAlias.size === 0 && owned.toDelete.length === 0) return undefined;
  const times = owned.byAlias.has("current") ? timesOf(state) : {};
  return { id, state: stateOf(state, owned, times, state.__lastUsed) };
}

async function remove(session: Session, id: string, state: RotatingState): Promise<void> {
  await removeKeys(session, id, ownerOf(state), ownedKeys(state));
}
