/** The operations on one API key. A set uses them for each of its keys. */

import type { Written } from "../../client/send";
import {
  type ApiKeyPath,
  type ApiKeyRecord,
  deleteApiKey,
  editApiKey,
  maskedEnd,
} from "../../client/service";
import { converge, report, type Settled, settledAs, type Writing } from "../../core/converge";
import type { Outcome, OwnerOf, Session } from "../../core/definition";
import { explain, Failure, InconclusiveError, ifDeleted, orFail } from "../../core/errors";
import { deleteObject, readsOf } from "../../core/existence";
import { shown } from "../../core/secrecy";
import { caseFolded, pick } from "../../core/state";
import { capitalised } from "../../core/text";
import { createOrMigrate, secretProblem } from "./create";
import {
  isAsDeclared,
  isWhole,
  type KeyInputs,
  type KeyState,
  label,
  type OwnedKey,
  observe,
  outputs,
  secretAfter,
  stableOutputs,
  stateAfterWrite,
  updatable,
} from "./model";
import { listedForUpdate, pathOf, readKeyOrFail, targetOf } from "./read";
import { excess, toWire, undeclared } from "./scopes";

type KeyOutcome = Outcome<KeyState>;

export async function create(session: Session, declared: KeyInputs): Promise<KeyOutcome> {
  const { existingId, existingKey, workspaceId } = declared;
  if (existingId !== undefined) return adopt(session, declared, existingId);
  const created = await createOrMigrate(session, declared);
  const { record } = created;
  const { id } = record;
  const key = existingKey ?? record.key;
  if (existingKey !== undefined) session.registry.takeOver(workspaceId, id);
  const initial: KeyState = {
    ...outputs(record),
    ...(key === undefined ? { __keyLost: true } : { key }),
  };
  const doing = `Creating ${label(declared)} (${id})`;
  const write = { path: pathOf(declared, id), declared, state: {}, doing, gone: deletedOutside };
  const settled = await matchProgram(session, write, record, created);
  const problem = secretProblem(declared, record);
  return outcomeOf(session, { id, state: initial }, declared, settled, doing, problem);
}

/** The state after a write of a key, and the failure if it does not match. `problem`: what is wrong with its secret. */
function outcomeOf(
  session: Session,
  { id, state }: OwnedKey,
  declared: KeyInputs,
  settled: Settled<ApiKeyRecord>,
  doing: string,
  problem?: string,
): KeyOutcome {
  const next = { id, state: stateAfterWrite(declared, settled, state) };
  const failure = report(session, settled, { doing, secretIn: [declared] });
  if (problem === undefined) return { ...next, failure };
  return { ...next, failure: new Failure("noSecret", problem, { subject: `${doing}:` }) };
}

/** The words about keys that are not saved to state. */
export const unsaved = (what: string) => ({ what, advice: unsavedAdvice });
const unsavedAdvice =
  "Delete a new key that is not in state, because nobody has its secret; the next update names it. Don't delete the key of an existingKey, whose value may be in use: declare its id as existingId too.";

export async function update(
  session: Session,
  { id, state }: OwnedKey,
  declared: KeyInputs,
): Promise<KeyOutcome> {
  const doing = `Updating ${label(declared)} (${id})`;
  const path = pathOf(state, id);
  const write = { path, declared, state, doing, gone: deletedOutside };
  const key = secretAfter({ id, state }, declared) as KeyState["key"];
  const held = { ...state, key };
  const isGiven = key !== state.key;
  const listed = isGiven ? undefined : await listedForUpdate(session, path, state, declared);
  const current = listed ?? (await readToWrite(session, write));
  const isDone = isGiven && isAsDeclared(current, declared);
  const settled = isDone ? settledAs(current) : await send(session, write, current);
  const outcome = outcomeOf(session, { id, state: held }, declared, settled, doing);
  return { ...outcome, state: { ...outcome.state, ...pick(held, stableOutputs) } };
}

async function adopt(session: Session, declared: KeyInputs, id: string): Promise<KeyOutcome> {
  const doing = `Adopting ${label(declared)} (${id})`;
  const path = pathOf(declared, id);
  const write = { path, declared, state: {}, doing, gone: nothingToAdopt };
  const current = await readToWrite(session, write);
  const { customerId } = current;
  if (customerId !== undefined && caseFolded(customerId) !== caseFolded(declared.customerId)) {
    const customer = shown(declared, "customerId", JSON.stringify(customerId));
    const another = `the key belongs to another customer, ${customer}`;
    const advice = "Check existingId, or declare that customer";
    throw explain(new InconclusiveError("wrongInput", another, advice), session, { doing });
  }
  const settled = isAsDeclared(current, declared) ? settledAs(current) : await send(session, write, current);
  session.registry.takeOver(path.workspaceId, id);
  const state = { ...outputs(current), key: declared.existingKey };
  return outcomeOf(session, { id, state }, declared, settled, doing);
}

const nothingToAdopt = new InconclusiveError(
  "notFound",
  "the workspace has no such key, or the key was deleted",
  "Check existingId, which is an id without a workspace, and workspaceId; to create a new key instead, leave existingId out.",
);

/** A write to a key that exists. */
interface KeyWrite {
  readonly path: ApiKeyPath;
  readonly declared: KeyInputs;
  /** The key's state before. */
  readonly state: KeyState;
  readonly doing: string;
  /** The error if the key is gone. */
  readonly gone: InconclusiveError;
}

async function readToWrite(session: Session, write: KeyWrite): Promise<ApiKeyRecord> {
  const { path, declared, state, doing, gone } = write;
  const record = await readKeyOrFail(session, path, doing);
  if (record === undefined) throw explain(gone, session, { doing });
  const [secret, end] = [secretAfter({ id: path.keyId, state }, declared), maskedEnd(record.maskedKey)];
  const isWrong = !declared.existingKey?.endsWith(end) || state.key?.endsWith(end);
  if (secret !== state.key && isWrong) throw explain(anotherSecret, session, { doing });
  return record;
}

const anotherSecret = new InconclusiveError(
  "wrongInput",
  "existingKey is not the secret of this key: the service shows another end of it, or state has the secret",
  "Correct existingKey or existingId, or leave existingKey out.",
);

/** `current`: what the service has. */
function send(session: Session, write: KeyWrite, current: ApiKeyRecord): Promise<Settled<ApiKeyRecord>> {
  const { path, doing } = write;
  const writing = matchProgram(session, write, current);
  const advice = `Check that the access token is allowed to edit the keys of ${path.workspaceId}, and that the service accepts the values.`;
  return orFail(writing, session, { doing, advice });
}

/** Deletes the key, unless another resource of this run has it. */
export async function remove(session: Session, { id, state }: OwnedKey, ownerOf: OwnerOf): Promise<void> {
  const owner = ownerOf(state.workspaceId, id);
  if (owner === undefined) return deleteKey(session, { id, state });
  const name = `${label(state)} (${id})`;
  // Until it is adopted, only this state has its secret.
  if (!owner.hasIt && state.key !== undefined) {
    const reason = `${owner.who} declares its id as existingId and has not adopted it. Run \`pulumi up\` again when the adoption succeeds, or remove that existingId.`;
    throw new Failure("notDeleted", reason, { subject: `Deleting ${name}:`, state: "It stays in state" });
  }
  // It may be the same resource: for `--replace` and `pulumi state taint`, the engine shows no state before the create.
  session.warn(
    `${capitalised(name)} stays in the service, because ${owner.who} has or adopts the same key. If it was adopted without existingKey, state does not have its secret: take the secret from an earlier version of the state, or leave existingId out and change keepers, which creates a new key.`,
  );
}

export async function deleteKey(session: Session, { id, state }: OwnedKey): Promise<void> {
  const path = pathOf(state, id);
  const deleting = deleteObject(session, targetOf(session, path), () => deleteApiKey(session.call, path));
  await orFail(deleting, session, {
    doing: `Deleting ${label(state)} (${id})`,
    state: "It stays in state",
    advice: `Check that the access token is allowed to delete keys of ${path.workspaceId}, and that nothing else needs the key. ${ifDeleted}`,
    isDelete: true,
  });
}

/**
 * Writes a key until it is seen to match the program (R4, K1, K4). `created`: the answer that shows a new key, for which
 * nothing is thrown, because its secret must not be lost.
 */
async function matchProgram(
  session: Session,
  { path, declared, state, gone }: KeyWrite,
  before: ApiKeyRecord,
  created?: Written<ApiKeyRecord>,
): Promise<Settled<ApiKeyRecord>> {
  const writing: Writing<ApiKeyRecord> = {
    ...{ before, observe, declared, state, fields: updatable },
    write: (body, seen, isAgain) =>
      editApiKey(session.call, path, { ...body, scopes: scopesToSend(body as KeyInputs, seen, isAgain) }),
    isShown: (answer, body, seen) => isWhole(answer) && !losesRights(seen, body as KeyInputs),
    ...readsOf(session, targetOf(session, path), gone),
  };
  return converge(session, writing, created);
}

/** Whether an edit takes rights away: its answer may repeat the request although they stay, so a read must confirm it (K4). */
function losesRights(before: ApiKeyRecord, { enabled, scopes }: KeyInputs): boolean {
  return (before.enabled === true && !enabled) || excess(before.scopes ?? [], scopes).length > 0;
}

/** With their ids. The second PATCH also revokes those that are not declared (K4). */
function scopesToSend({ scopes }: KeyInputs, { scopes: current = [] }: ApiKeyRecord, isAgain: boolean) {
  const revoked = isAgain ? undeclared(scopes, current) : [];
  return toWire([...scopes, ...revoked], current);
}

const deletedOutside = new InconclusiveError(
  "gone",
  "the key no longer exists: it was deleted outside Pulumi",
  "Run `pulumi up --refresh`: it removes the key from state, and creates a new one if the program needs one.",
);
