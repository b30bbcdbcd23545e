/** The keys of a resource that has several: of a set, or of a rotating key. */

import { CallError } from "../../client/send";
import type { Elsewhere, Outcome, Session } from "../../core/definition";
import { Failure, InconclusiveError } from "../../core/errors";
import { lookUp } from "../../core/existence";
import type { Plan } from "../../core/plan";
import type { Managed } from "../../core/registry";
import { eachBounded } from "../../core/run";
import { defined, failedKey, isRecord } from "../../core/state";
import { adoptedId, type HeldKey, isLost, type KeyInputs, type KeyState, maskKey } from "../apiKey/model";
import { pathOf, read as readKey, targetOf } from "../apiKey/read";
import { fixedByExisting, lineOf } from "../apiKey/rules";
import * as apiKey from "../apiKey/write";
import { type Batch, failIfCancelled, type Item, openBatch } from "./batch";

/** A key, with the state that an ApiKey would have. */
export type OwnedKey = HeldKey;

/** A key that is still to be deleted. */
export interface KeyToDelete {
  readonly id: string;
  /** What messages call it: its name, or its id if the name is secret. */
  readonly name: string;
  /** The alias of the key that replaces it: until that matches the program, this one may be in use. */
  readonly alias?: string;
}

export interface OwnedKeys {
  /** By alias; those of a rotating key are "current" and "previous". */
  readonly byAlias: ReadonlyMap<string, OwnedKey>;
  /** Keys without an alias, which the service still has. */
  readonly toDelete: readonly KeyToDelete[];
}

export function objectsOf(workspaceId: unknown, { byAlias, toDelete }: OwnedKeys): readonly Managed[] {
  return [...byAlias.values(), ...toDelete].map(({ id }) => ({ workspaceId, id }));
}

export const noKeys: OwnedKeys = { byAlias: new Map(), toDelete: [] };

function itemToDelete(workspaceId: unknown, { id, name }: KeyToDelete): Item<OwnedKey> {
  return { name, id, state: { workspaceId, name } as KeyState };
}

/** Reads them from state. `isUnnamed`: their names are secret. */
export function toDeleteIn(listed: readonly unknown[] = [], isUnnamed = false): readonly KeyToDelete[] {
  return listed.filter(isRecord).map(({ id, name, alias }) => ({
    id: String(id),
    name: String(isUnnamed ? id : name),
    ...(typeof alias === "string" ? { alias } : {}),
  }));
}

/** What an update does with one key. `stateAlias`: the key's alias in state, which the update may change. */
export type Step = { readonly alias: string } & (
  | { readonly op: "same"; readonly stateAlias: string; readonly key: OwnedKey }
  | {
      readonly op: "create";
      readonly declared: KeyInputs;
      /** The alias in state that the program says the key had before. */
      readonly formerAlias?: string | undefined;
    }
  | {
      readonly op: "update" | "replace";
      readonly stateAlias: string;
      readonly key: OwnedKey;
      readonly declared: KeyInputs;
      /** Whether the key stays if the values that are not known yet turn out to be the same. */
      readonly isConditional?: boolean;
    }
  /** The key leaves state, and stays in the service. */
  | { readonly op: "release"; readonly stateAlias: string; readonly key: OwnedKey }
  | {
      readonly op: "delete";
      readonly key: OwnedKey;
      /** The alias in state of the key to use instead: this one stays until that matches the program. */
      readonly successor?: string;
    }
);

/** What an update does with the keys of a resource. */
export interface Steps {
  readonly owned: OwnedKeys;
  readonly steps: readonly Step[];
}

/** The plan of a set. */
export type StepsPlan = Plan & Steps;

/** The id of the key that a step adopts, if it adopts one. */
export function adoptedBy(step: Step): string | undefined {
  return step.op === "create" || step.op === "replace" ? adoptedId(step.declared) : undefined;
}

export interface Applied {
  readonly owned: OwnedKeys;
  readonly batch: Batch;
}

type Write = Item<Extract<Step, { readonly declared: unknown }>>;
type Replacement = Extract<Step, { readonly key: unknown; readonly declared: unknown }>;

interface Progress {
  /** By the aliases in state, which the new ones replace only after everything has succeeded. */
  readonly byAlias: Map<string, OwnedKey>;
  readonly replaced: Deletion[];
  readonly toDelete: KeyToDelete[];
}

/** Creates and updates keys first, and deletes last. */
export async function applySteps(session: Session, owner: Owner, all: Steps): Promise<Applied> {
  const { owned, steps } = all;
  const batch = openBatch(session, owner.label);
  const progress: Progress = { byAlias: new Map(owned.byAlias), replaced: [], toDelete: [] };
  for (const step of steps) {
    if (step.op === "same") progress.byAlias.set(step.stateAlias, step.key);
    if (step.op === "release") progress.byAlias.delete(step.stateAlias);
  }
  const writes = steps.flatMap((step): Write[] =>
    "declared" in step ? [{ name: step.alias, ...step }] : [],
  );
  const isCreate = writes.every((step) => step.op === "create" && !adoptedBy(step));
  await batch.each(isCreate ? "created" : "written", writes, (part, step) => write(part, step, progress));
  const failed = batch.failed;
  const { now, later } = decideDeletions(owner, all, progress, failed);
  for (const one of later) if (one.isReplaced) deleteLater(one, progress, one.successor);
  await batch.each("deleted", now, (part, one) => deleteOne(part, one, progress));
  const { byAlias, toDelete } = progress;
  return {
    owned: { byAlias: batch.failed.size > 0 ? byAlias : renamed(steps, byAlias), toDelete },
    batch,
  };
}

function renamed(steps: readonly Step[], byAlias: OwnedKeys["byAlias"]): OwnedKeys["byAlias"] {
  return new Map(
    steps.flatMap((step) => {
      const key = byAlias.get("stateAlias" in step ? step.stateAlias : step.alias);
      // The key of a removed entry is deleted, or another entry has it.
      const isLeft = step.op === "delete" || step.op === "release";
      return key === undefined || isLeft ? [] : [[step.alias, key] as const];
    }),
  );
}

/** Makes one key match the program. */
async function write(session: Session, step: Write, progress: Progress): Promise<void> {
  const { alias, op, declared } = step;
  maskKey(session, declared, ...(op === "create" ? [] : [step.key.state]));
  failIfCancelled(session);
  const problems = op === "replace" ? problemsOf(step) : [];
  if (problems.length > 0) throw new Failure(`Nothing was changed: ${problems.join(" ")}`);
  const { id, state, failure, reason } =
    op === "update"
      ? await apiKey.update(session, step.key, declared)
      : await apiKey.create(session, declared);
  const written = failure === undefined ? state : { ...state, [failedKey]: true as const };
  progress.byAlias.set(op === "create" ? alias : step.stateAlias, { id, state: written });
  if (op === "replace") {
    const { key, stateAlias } = step;
    const successor = isLost(key.state) ? undefined : stateAlias;
    progress.replaced.push({ name: alias, isReplaced: true, successor, ...key });
  }
  if (failure !== undefined) throw new Failure(failure, { reason: () => reason ?? failure });
}

/** What check can't see, because it compares with earlier inputs: a replacement by the key itself (K5, K11). */
function problemsOf({ key, declared }: Replacement): readonly string[] {
  const before = { ...key.state, existingKey: key.state.key, existingId: key.id };
  return fixedByExisting(declared, before).map(lineOf);
}

/** If a removed entry's key can't be deleted, it stays under its alias, with its secret. */
async function deleteOne(session: Session, one: Deletion, progress: Progress): Promise<void> {
  maskKey(session, one.state);
  try {
    failIfCancelled(session);
    await apiKey.deleteKey(session, one);
    if (!one.isReplaced) progress.byAlias.delete(one.name);
  } catch (error) {
    if (one.isReplaced) deleteLater(one, progress);
    throw error;
  }
}

/** Leaves a key to the next update. */
function deleteLater({ id, state }: OwnedKey, progress: Progress, alias?: string): void {
  progress.toDelete.push({ id, name: String(state.name), ...(alias !== undefined && { alias }) });
}

/** A key to delete. */
interface Deletion extends Item<OwnedKey> {
  /** Whether another key replaces it, so that its alias is no longer its own. */
  readonly isReplaced: boolean;
  /** The alias in state of the key to use instead: until that matches the program, this one may be in use. */
  readonly successor?: string | undefined;
}

/**
 * Decides which keys to delete once the others are written. `failed`: the aliases in the program whose keys don't match it.
 */
function decideDeletions(
  { workspaceId }: Owner,
  { owned, steps }: Steps,
  { byAlias, replaced }: Pick<OwnedKeys, "byAlias"> & { readonly replaced: readonly Deletion[] },
  failed: ReadonlySet<string>,
) {
  const removed = steps.flatMap((step): Deletion[] =>
    step.op === "delete"
      ? [{ name: step.alias, isReplaced: false, successor: step.successor, ...step.key }]
      : [],
  );
  const removedAliases = new Set(removed.map(({ name }) => name));
  const kept = new Set([...byAlias].flatMap(([alias, { id }]) => (removedAliases.has(alias) ? [] : [id])));
  const isKept = ({ id }: Deletion) => kept.has(id);
  const failures = steps.filter(({ alias }) => failed.has(alias));
  // A key that could not be adopted or migrated yet is not deleted either.
  const wanted = new Map(
    failures.flatMap((step) =>
      "declared" in step ? [[step.declared.existingKey ?? step.declared.existingId, step.alias]] : [],
    ),
  );
  wanted.delete(undefined);
  const wantedBy = ({ id, state }: Deletion) => wanted.get(id) ?? wanted.get(state.key);
  // A failed create may be of the entry that renamedFrom gives another's alias in state.
  const failedInState = new Set(
    failures.flatMap((step) => [
      "stateAlias" in step ? step.stateAlias : step.alias,
      "formerAlias" in step ? step.formerAlias : undefined,
    ]),
  );
  const isWaiting = (one: Deletion) =>
    wantedBy(one) !== undefined || (one.successor !== undefined && failedInState.has(one.successor));
  const waitingSince = owned.toDelete.map(
    (one): Deletion => ({ ...itemToDelete(workspaceId, one), isReplaced: true, successor: one.alias }),
  );
  const all = [...replaced, ...waitingSince, ...removed].filter((one) => !isKept(one));
  return {
    now: all.filter((one) => !isWaiting(one)),
    later: all.filter(isWaiting).map((one) => ({ ...one, successor: wantedBy(one) ?? one.successor })),
  };
}

/** A resource that owns several keys. */
export interface Owner {
  readonly workspaceId?: string | undefined;
  /** What messages call its keys. */
  readonly label: string;
}

/** The failure of an update that some keys have failed. */
export function failureOf(
  doing: string,
  { failed, summary, lines, unresolved }: Batch,
): Pick<Outcome, "failure" | "lines" | "unresolved"> | undefined {
  if (failed.size === 0) return undefined;
  const advice = "State records what succeeded. Do what the lines below say, then run `pulumi up` again.";
  return { failure: `${doing}: ${summary}. ${advice}`, lines, unresolved };
}

function itemsOf({ byAlias }: OwnedKeys): readonly Item<OwnedKey>[] {
  return Array.from(byAlias, ([name, key]) => ({ name, ...key }));
}

/** Without existing keys, which may be in use (K5, K11). */
export function createdKeys({ byAlias, toDelete }: OwnedKeys): OwnedKeys {
  return { byAlias: new Map([...byAlias].filter(([, { state }]) => apiKey.isCreated(state))), toDelete };
}

/** The keys as they are now, without those that no longer exist. Throws if any can't be read. */
export async function readKeys(session: Session, owner: Owner, owned: OwnedKeys): Promise<OwnedKeys> {
  const batch = openBatch(session, owner.label);
  const found = new Map<string, OwnedKey>();
  const all = itemsOf(owned);
  await batch.each("read", all, async (part, { name, id, state }) => {
    failIfCancelled(part);
    maskKey(part, state);
    const now = await readKey(part, { id, state });
    if (now === undefined) return;
    // After a read, state has what the service has.
    const isOpen = failedKey in now.state;
    found.set(name, isOpen ? { ...now, state: defined({ ...now.state, [failedKey]: undefined }) } : now);
  });
  if (batch.failed.size > 0) {
    const failed = `Reading the ${owner.label}: ${batch.summary}`;
    throw new Failure(`${failed}. State is unchanged; run the command again.`, { lines: batch.lines });
  }
  const inOrder = all.flatMap(({ name }) => {
    const key = found.get(name);
    return key === undefined ? [] : [[name, key] as const];
  });
  return { byAlias: new Map(inOrder), toDelete: await stillToDelete(session, owner, owned.toDelete) };
}

/** Without the keys that no longer exist. If one can't be read, the next update tries to delete it. */
async function stillToDelete(
  session: Session,
  owner: Owner,
  toDelete: readonly KeyToDelete[],
): Promise<readonly KeyToDelete[]> {
  const gone = new Set<KeyToDelete>();
  await eachBounded(toDelete, async (one) => {
    if (session.closed.aborted) return;
    try {
      if ((await lookUp(session, targetOf(session, pathOf(owner, one.id)))) === undefined) gone.add(one);
    } catch (error) {
      if (!(error instanceof CallError || error instanceof InconclusiveError)) throw error;
    }
  });
  return toDelete.filter((one) => !gone.has(one));
}

export async function removeKeys(
  session: Session,
  owner: Owner,
  owned: OwnedKeys,
  elsewhere: Elsewhere,
): Promise<void> {
  const batch = openBatch(session, owner.label);
  const all = [...itemsOf(owned), ...owned.toDelete.map((one) => itemToDelete(owner.workspaceId, one))];
  await batch.each("deleted", all, async (part, one) => {
    failIfCancelled(part);
    maskKey(part, one.state);
    await apiKey.remove(part, one, elsewhere);
  });
  if (batch.failed.size === 0) return;
  const advice = "The resource stays in state: run the command again to delete the rest.";
  throw new Failure(`Deleting the ${owner.label}: ${batch.summary}. ${advice}`, { lines: batch.lines });
}
