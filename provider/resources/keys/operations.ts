/** The keys of a resource that has several: of a set, or of a rotating key. */

import { CallError } from "../../client/send";
import type { Elsewhere, Outcome, Session } from "../../core/definition";
import { Failure, InconclusiveError } from "../../core/errors";
import { lookUp } from "../../core/existence";
import type { Managed } from "../../core/registry";
import { eachBounded } from "../../core/run";
import { defined, failedKey, isRecord } from "../../core/state";
import { adoptedId, type HeldKey, type KeyInputs, type KeyState, maskKey } from "../apiKey/model";
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
  return listed.filter(isRecord).map(({ id, name }) => ({
    id: String(id),
    name: String(isUnnamed ? id : name),
  }));
}

/** What an update does with one key. `stateAlias`: the key's alias in state, which the update may change. */
export type Step = { readonly alias: string } & (
  | { readonly op: "same"; readonly stateAlias: string; readonly key: OwnedKey }
  | { readonly op: "create"; readonly declared: KeyInputs }
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
  | { readonly op: "delete"; readonly key: OwnedKey }
);

/** What an update does with the keys of a resource. */
export interface Steps {
  readonly owned: OwnedKeys;
  readonly steps: readonly Step[];
}

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

/** A key to delete. */
interface Deletion extends Item<OwnedKey> {
  /** Whether an entry was removed. Otherwise another key has replaced this one, so that its alias is no longer its own. */
  readonly isRemoved: boolean;
}

interface Progress {
  /** By the aliases in state, which the new ones replace only after everything has succeeded. */
  readonly byAlias: Map<string, OwnedKey>;
  readonly replaced: Deletion[];
}

/** Creates and updates keys first. Deletes last, and nothing if one of these has failed: it may be the key to use instead. */
export async function applySteps(session: Session, owner: Owner, { owned, steps }: Steps): Promise<Applied> {
  const batch = openBatch(session, owner.label);
  const progress: Progress = { byAlias: new Map(owned.byAlias), replaced: [] };
  const { byAlias, replaced } = progress;
  for (const step of steps) {
    if (step.op === "same") byAlias.set(step.stateAlias, step.key);
    if (step.op === "release") byAlias.delete(step.stateAlias);
  }
  const writes = steps.flatMap((step): Write[] =>
    "declared" in step ? [{ name: step.alias, ...step }] : [],
  );
  const isCreate = writes.every((step) => step.op === "create" && !adoptedBy(step));
  await batch.each(isCreate ? "created" : "written", writes, (part, step) => write(part, step, progress));
  const waiting = owned.toDelete.map((one): Deletion => {
    return { ...itemToDelete(owner.workspaceId, one), isRemoved: false };
  });
  const removed = steps.flatMap((step): Deletion[] =>
    step.op === "delete" ? [{ name: step.alias, isRemoved: true, ...step.key }] : [],
  );
  const removedAliases = new Set(removed.map(({ name }) => name));
  // An entry may have adopted the key of another.
  const kept = new Set([...byAlias].flatMap(([alias, { id }]) => (removedAliases.has(alias) ? [] : [id])));
  const left = new Set([...replaced, ...waiting, ...removed].filter(({ id }) => !kept.has(id)));
  if (batch.failed.size === 0) {
    await batch.each("deleted", [...left], async (part, one) => {
      maskKey(part, one.state);
      failIfCancelled(part);
      await apiKey.deleteKey(part, one);
      left.delete(one);
      // If it can't be deleted, it stays under its alias, with its secret.
      if (one.isRemoved) byAlias.delete(one.name);
    });
  }
  const toDelete = [...left].filter(({ isRemoved }) => !isRemoved);
  return {
    owned: {
      byAlias: batch.failed.size > 0 ? byAlias : renamed(steps, byAlias),
      toDelete: toDelete.map(({ id, state }) => ({ id, name: String(state.name) })),
    },
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
    progress.replaced.push({ name: alias, isRemoved: false, ...step.key });
  }
  if (failure !== undefined) throw new Failure(failure, { reason: () => reason ?? failure });
}

/** What check can't see, because it compares with earlier inputs: a replacement by the key itself (K5, K11). */
function problemsOf({ key, declared }: Replacement): readonly string[] {
  const before = { ...key.state, existingKey: key.state.key, existingId: key.id };
  return fixedByExisting(declared, before).map(lineOf);
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
