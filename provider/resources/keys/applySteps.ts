import type { Session } from "../../core/definition";
import { Failure } from "../../core/errors";
import { spelled } from "../../core/inputErrors";
import { failedKey } from "../../core/state";
import * as apiKey from "../apiKey/operations";
import { fixedByExisting } from "../apiKey/rules";
import { isLost, maskKey } from "../apiKey/state";
import { type Batch, failIfCancelled, type Item, openBatch } from "./batch";
import { type Deletion, decideDeletions } from "./deletions";
import type { KeyToDelete, OwnedKey, OwnedKeys } from "./owned";
import { adoptedBy, type Step, type Steps } from "./steps";

/** Carries out an update of several keys: it creates and updates keys first, and deletes last. */

interface Options {
  /** The claim of the resource. */
  readonly claim: string;
  /** What messages call the keys. */
  readonly subject: string;
}

export interface Applied {
  readonly owned: OwnedKeys;
  readonly batch: Batch;
}

type Write = Item<Extract<Step, { readonly declared: unknown }>>;
type Replacement = Extract<Step, { readonly key: unknown; readonly declared: unknown }>;

interface Progress extends Pick<Options, "claim"> {
  /** By the aliases in state, which the new ones replace only after everything has succeeded. */
  readonly byAlias: Map<string, OwnedKey>;
  readonly replaced: Deletion[];
  readonly toDelete: KeyToDelete[];
}

export async function applySteps(
  session: Session,
  all: Steps,
  { claim, subject }: Options,
): Promise<Applied> {
  const { owned, steps } = all;
  const batch = openBatch(session, subject);
  const progress: Progress = { claim, byAlias: new Map(owned.byAlias), replaced: [], toDelete: [] };
  for (const step of steps) if (step.op === "same") progress.byAlias.set(step.stateAlias, step.key);
  const writes = steps.flatMap((step): Write[] =>
    "declared" in step ? [{ name: step.alias, ...step }] : [],
  );
  const isCreate = writes.every((step) => step.op === "create" && !adoptedBy(step));
  await batch.each(isCreate ? "created" : "written", writes, (part, step) => write(part, step, progress));
  const failed = batch.failed;
  const { now, later, reassigned } = decideDeletions(all, progress, failed);
  for (const one of later) if (one.isReplaced) deleteLater(session, one, progress, one.successor);
  for (const alias of reassigned) progress.byAlias.delete(alias);
  if (now.some(({ isReplaced }) => !isReplaced)) await awaitOtherResources(session);
  // Finds out whether the run has ended. Then nothing is deleted and the update fails, so that the next one does it.
  if (now.length > 0) await session.whyClosed();
  await batch.each("deleted", now, (part, one) => deleteOne(part, one, progress));
  const { byAlias, toDelete } = progress;
  return {
    owned: { byAlias: batch.failed.size > 0 ? byAlias : renamed(steps, byAlias), toDelete },
    batch,
  };
}

/** Longer than the engine takes from one resource of a program to the next. */
const quietMs = 500;

/**
 * Waits until the engine has come to no other resource for a while: one that has or adopts a removed entry's key may come
 * after the set, because the engine takes the resources of a program in any order.
 */
async function awaitOtherResources({ registry, pause }: Session): Promise<void> {
  for (let before: number | undefined; before !== registry.claimed(); ) {
    before = registry.claimed();
    await pause(quietMs);
  }
}

function renamed(steps: readonly Step[], byAlias: OwnedKeys["byAlias"]): OwnedKeys["byAlias"] {
  return new Map(
    steps.flatMap((step) => {
      const key = byAlias.get("stateAlias" in step ? step.stateAlias : step.alias);
      return key === undefined ? [] : [[step.alias, key] as const];
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
      ? await apiKey.update(session, { ...step.key, inputs: declared })
      : await apiKey.create(session, declared, progress.claim);
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
  return fixedByExisting(declared, before).map(({ path, message }) => `${spelled(path)}: ${message}`);
}

/** If a removed entry's key can't be deleted, it stays under its alias, with its secret. */
async function deleteOne(session: Session, one: Deletion, progress: Progress): Promise<void> {
  maskKey(session, one.state);
  try {
    failIfCancelled(session);
    await apiKey.remove(session, one.id, one.state, progress.claim);
    if (!one.isReplaced) progress.byAlias.delete(one.name);
  } catch (error) {
    if (one.isReplaced) deleteLater(session, one, progress);
    throw error;
  }
}

/** Leaves a key to the next update. Without the claim, another resource that manages the key can keep it. */
function deleteLater(session: Session, { id, state }: OwnedKey, progress: Progress, alias?: string): void {
  session.registry.release(state.workspaceId, id, progress.claim);
  progress.toDelete.push({ id, name: String(state.name), ...(alias !== undefined && { alias }) });
}
