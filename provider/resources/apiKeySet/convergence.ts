import { spelled } from "../../core/check";
import type { Session } from "../../core/definition";
import { Failure, oneLine } from "../../core/errors";
import * as key from "../apiKey/operations";
import { contradictions, fixedByExisting } from "../apiKey/rules";
import { adoptedId, conceal, isLost } from "../apiKey/state";
import { type Batch, expectOpen, type Named, openBatch } from "./batch";
import { departures, type Going } from "./departures";
import { type Entry, type Holding, type KeyToDelete, label } from "./entries";
import { refusedRename } from "./notes";
import type { SetInputs } from "./properties";
import { adoptedBy, type Plan, type Step } from "./steps";

/** Applies the plan of a set: first it creates and edits keys, then it deletes. */

export interface Convergence {
  /** The claim of the resource. */
  readonly claim: string;
  readonly declared: SetInputs;
  readonly plan: Plan;
  /** The word for finished keys in the progress messages. */
  readonly verb: "created" | "written";
  /** What messages call the keys. Default: keys of the workspace. */
  readonly subject?: string;
}

/** Longer than the engine takes from one resource of a program to the next. */
const othersMs = 500;

export interface Converged {
  readonly holding: Holding;
  readonly batch: Batch;
  /** How many keys there was something to do with. */
  readonly of: number;
}

type Work = Named<Exclude<Step, { does: "keep" | "remove" }>>;

/** What has come of it so far. Aliases are those that state has: the new ones hold once all is done. */
interface Progress extends Pick<Convergence, "claim"> {
  readonly entries: Map<string, Entry>;
  /** Keys that were replaced, to be deleted at the end. */
  readonly replaced: Going[];
  /** Keys that the next update is to delete. */
  readonly toDelete: KeyToDelete[];
}

export async function convergeKeys(
  session: Session,
  { claim, declared, plan, verb, subject = label(declared) }: Convergence,
): Promise<Converged> {
  const { holding, steps } = plan;
  const refusal = refusedRename(plan);
  if (refusal !== undefined) {
    throw new Failure(`Updating the ${label(declared)}: nothing was changed. ${refusal}`);
  }
  const batch = openBatch(session, subject);
  const progress: Progress = { claim, entries: new Map(holding.entries), replaced: [], toDelete: [] };
  for (const step of steps) if (step.does === "keep") progress.entries.set(step.from, step.entry);
  const work = steps.flatMap((step): Work[] =>
    step.does === "keep" || step.does === "remove"
      ? []
      : [{ name: step.alias, id: step.does === "add" ? undefined : step.entry.id, ...step }],
  );
  const holders = holdersIn(holding);
  await batch.each(work.some(adoptedBy) ? "written" : verb, work, (part, step) =>
    apply(part, step, progress, holders),
  );
  const failed = new Set(batch.failures.map(({ name }) => name));
  const { going, waiting, replacedToAdopt, given, inUse } = departures(plan, progress, failed);
  progress.toDelete.push(...waiting, ...replacedToAdopt.map((one) => released(session, one, progress)));
  for (const alias of given) progress.entries.delete(alias);
  if (going.some(({ isReplaced }) => !isReplaced)) await othersMet(session);
  // What is not deleted any more fails the update, so that nothing of it is taken for done.
  if (going.length > 0) await session.closing();
  await batch.each("deleted", going, (part, one) => deleteOne(part, one, progress));
  batch.close();
  return {
    holding: {
      entries: batch.failures.length > 0 ? progress.entries : renamed(steps, progress.entries),
      toDelete: progress.toDelete.filter(({ id }) => !inUse.has(id)),
    },
    batch,
    of: new Set([...work, ...going].map(({ name }) => name)).size,
  };
}

/**
 * Waits while the engine still comes to other resources: one that has, or adopts, a key that leaves the set may be met
 * only after this update has begun, because the engine takes the resources of a program in any order.
 */
async function othersMet({ registry, pause }: Session): Promise<void> {
  for (let before: number | undefined; before !== registry.claimed(); ) {
    before = registry.claimed();
    await pause(othersMs);
  }
}

/** Under the aliases that are declared. An update that fails leaves the former ones, so that it can be repeated as it is. */
function renamed(steps: readonly Step[], entries: Progress["entries"]): Holding["entries"] {
  return new Map(
    steps.flatMap((step) => {
      const entry = entries.get("from" in step ? step.from : step.alias);
      return entry === undefined ? [] : [[step.alias, entry] as const];
    }),
  );
}

/** Whose secret, or id, a value is. */
type Holders = ReadonlyMap<unknown, { readonly alias: string; readonly entry: Entry }>;

function holdersIn({ entries }: Holding): Holders {
  return new Map(
    [...entries].flatMap(([alias, entry]) =>
      [entry.state.key, entry.id].map((value) => [value, { alias, entry }] as const),
    ),
  );
}

/** Makes one key as declared. */
async function apply(session: Session, step: Work, progress: Progress, holders: Holders): Promise<void> {
  const { alias, does, declared } = step;
  conceal(session, declared, ...(does === "add" ? [] : [step.entry.state]));
  expectOpen(session);
  const wrong = does === "edit" ? [] : problemsOf(step, holders);
  if (wrong.length > 0) throw new Failure(`Nothing was changed: ${wrong.join(" ")}`);
  const { id, state, failure, reason } =
    does === "edit"
      ? await key.update(session, { ...step.entry, inputs: declared })
      : await key.create(session, declared, progress.claim);
  progress.entries.set(does === "add" ? alias : step.from, { id, state });
  if (does === "replace") {
    const { entry, from } = step;
    // While nobody can tell whether the new one works, the old one does, unless nobody has its secret.
    if (failure === undefined || isLost(entry.state))
      progress.replaced.push({ name: alias, isReplaced: true, ...entry });
    else progress.toDelete.push({ ...released(session, entry, progress), alias: from });
  }
  if (failure !== undefined) throw new Failure(failure, { reason: () => reason ?? failure });
}

/** What check can't see, which has the inputs of before: not the secrets of keys, nor what a failed update has done (K5). */
function problemsOf(step: Work, holders: Holders): readonly string[] {
  const { does, declared } = step;
  const held = does === "replace" ? step.entry : undefined;
  const id = adoptedId(declared);
  const value = declared.existingKey ?? id;
  const holder = value === undefined ? undefined : holders.get(value);
  if (holder === undefined || holder.entry === held) {
    const before = held && { ...held.state, existingKey: held.state.key, existingId: held.id };
    const problems = [...contradictions(declared), ...fixedByExisting(declared, before)];
    return problems.map(({ path, message }) => `${spelled(path)}: ${message}`);
  }
  const name = JSON.stringify(oneLine(holder.alias));
  const what =
    id === undefined
      ? `existingKey: is the secret of the key ${name} of this set`
      : `existingId: is the id of the key ${name} of this set`;
  return [
    `${what}, and one key can't have two entries; leave it out, or replace the entry ${name} by renamedFrom: ${name} here.`,
  ];
}

/** Deletes one key. One that can't be deleted stays under its alias, with its secret, or is left for the next update. */
async function deleteOne(session: Session, one: Going, progress: Progress): Promise<void> {
  conceal(session, one.state);
  try {
    expectOpen(session);
    await key.remove(session, one.id, one.state, progress.claim);
    if (!one.isReplaced) progress.entries.delete(one.name);
  } catch (error) {
    if (one.isReplaced) progress.toDelete.push(released(session, one, progress));
    throw error;
  }
}

/** From now on another resource that has the key may keep it. */
function released(session: Session, { id, state }: Entry, { claim }: Pick<Progress, "claim">): KeyToDelete {
  session.registry.release(state.workspaceId, id, claim);
  return { id, name: String(state.name) };
}
