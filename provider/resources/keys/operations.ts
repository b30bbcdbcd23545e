/** The keys of a resource that has several: of a set, or of a rotating key. */

import type { Outcome, OwnerOf, Session } from "../../core/definition";
import type { Failure } from "../../core/errors";
import type { OwnedObject } from "../../core/registry";
import { defined, failedKey, nonEmpty } from "../../core/state";
import { adoptedId, type KeyInputs, type KeyState, type OwnedKey } from "../apiKey/model";
import { read as readKey } from "../apiKey/read";
import * as apiKey from "../apiKey/write";
import { eachKey } from "./batch";

export interface OwnedKeys {
  /** By alias, with the state that an ApiKey would have; those of a rotating key are "current" and "previous". */
  readonly byAlias: ReadonlyMap<string, OwnedKey>;
  /** Keys without an alias that are still to be deleted. Their state has only the workspace. */
  readonly toDelete: readonly OwnedKey[];
}

export const noKeys: OwnedKeys = { byAlias: new Map(), toDelete: [] };

/** The keys that there are. */
export function keysByAlias(
  pairs: readonly (readonly [string, OwnedKey | undefined])[],
): OwnedKeys["byAlias"] {
  return new Map(pairs.flatMap(([alias, key]) => (key === undefined ? [] : [[alias, key]])));
}

export function objectsOf({ byAlias, toDelete }: OwnedKeys): readonly OwnedObject[] {
  return [...byAlias.values(), ...toDelete].map(({ id, state: { workspaceId } }) => ({ workspaceId, id }));
}

/** The keys that are still to be deleted, as state lists their ids. */
export function toDeleteIn({ workspaceId, toDelete = [] }: KeyState & Listed): readonly OwnedKey[] {
  return toDelete.map((id) => ({ id: String(id), state: defined({ workspaceId }) }));
}

interface Listed {
  readonly toDelete?: readonly unknown[] | undefined;
}

export function toDeleteOf({ toDelete }: OwnedKeys): readonly string[] | undefined {
  return nonEmpty(toDelete.map(({ id }) => id));
}

/**
 * The part of an update for one key. `stateAlias`: the key's alias in state, which the update may change; a new key's own. A
 * released key leaves state, and stays in the service.
 */
export type Step = { readonly alias: string; readonly stateAlias: string } & (
  | { readonly op: "same" | "release" | "delete"; readonly key: OwnedKey }
  | { readonly op: "create"; readonly declared: KeyInputs }
  | { readonly op: "update" | "replace"; readonly key: OwnedKey; readonly declared: KeyInputs }
);

/** The part of an update for all keys of a resource. */
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
  /** Why some failed. */
  readonly failure: Failure | undefined;
}

type Write = Extract<Step, { readonly declared: unknown }>;
type KeyItem = { readonly alias: string; readonly key: OwnedKey };

/** Creates and updates keys first. Deletes last, and nothing if one of these has failed: it may be the key to use instead. */
export async function applySteps(session: Session, doing: string, { owned, steps }: Steps): Promise<Applied> {
  const words = { doing, outcome: "State records what succeeded" };
  // By the aliases in state, which the new ones replace only after everything has succeeded.
  const byAlias = new Map(owned.byAlias);
  const replaced: KeyItem[] = [];
  for (const step of steps) {
    if (step.op === "same") byAlias.set(step.stateAlias, step.key);
    if (step.op === "release" || step.op === "delete") byAlias.delete(step.stateAlias);
  }
  const writes = steps.filter((step) => "declared" in step);
  let failure = await eachKey(session, words, writes, async (part, step) => {
    const { failure, ...written } = await writeKey(part, step);
    byAlias.set(step.stateAlias, written);
    if (step.op === "replace") replaced.push(step);
    if (failure !== undefined) throw failure;
  });
  const removed = steps.flatMap((step): KeyItem[] => (step.op === "delete" ? [step] : []));
  // An entry may have adopted the key of another.
  const kept = new Set(Array.from(byAlias.values(), ({ id }) => id));
  const due = itemsOf({ ...noKeys, toDelete: owned.toDelete });
  const left = new Set([...replaced, ...due, ...removed].filter(({ key }) => !kept.has(key.id)));
  failure ??= await eachKey(session, words, [...left], async (part, one) => {
    await apiKey.deleteKey(part, one.key);
    left.delete(one);
  });
  // A key that was not deleted stays under its alias, with its secret.
  for (const one of removed) if (left.delete(one)) byAlias.set(one.alias, one.key);
  const renamed = keysByAlias(steps.map(({ alias, stateAlias }) => [alias, byAlias.get(stateAlias)]));
  const toDelete = Array.from(left, ({ key }) => key);
  return { owned: { byAlias: failure === undefined ? renamed : byAlias, toDelete }, failure };
}

async function writeKey(session: Session, step: Write): Promise<Outcome<KeyState>> {
  const { op, declared } = step;
  const outcome =
    op === "update"
      ? await apiKey.update(session, step.key, declared)
      : await apiKey.create(session, declared);
  if (outcome.failure === undefined) return outcome;
  return { ...outcome, state: { ...outcome.state, [failedKey]: true } };
}

function itemsOf({ byAlias, toDelete }: OwnedKeys): readonly KeyItem[] {
  const unnamed = toDelete.map((key) => ({ alias: key.id, key }));
  return [...Array.from(byAlias, ([alias, key]) => ({ alias, key })), ...unnamed];
}

/** The keys as they are now, without those that no longer exist: the same object if nothing has changed. Throws if it can't. */
export async function readKeys(session: Session, label: string, owned: OwnedKeys): Promise<OwnedKeys> {
  const found = new Map<OwnedKey, OwnedKey>();
  const words = { doing: `Reading the ${label}`, outcome: "State is unchanged" };
  const failure = await eachKey(session, words, itemsOf(owned), async (part, { key }) => {
    const now = await readKey(part, key);
    if (now === undefined) return;
    // After a read, state has what the service has.
    const { [failedKey]: isOpen, ...state } = now.state;
    found.set(key, isOpen ? { ...now, state } : now);
  });
  if (failure !== undefined) throw failure;
  if (itemsOf(owned).every(({ key }) => found.get(key)?.state === key.state)) return owned;
  return {
    byAlias: keysByAlias(Array.from(owned.byAlias, ([alias, key]) => [alias, found.get(key)])),
    toDelete: owned.toDelete.filter((key) => found.has(key)),
  };
}

export async function removeKeys(
  session: Session,
  label: string,
  owned: OwnedKeys,
  ownerOf: OwnerOf,
): Promise<void> {
  const words = { doing: `Deleting the ${label}`, outcome: "The resource stays in state" };
  const failure = await eachKey(session, words, itemsOf(owned), (part, { key }) =>
    apiKey.remove(part, key, ownerOf),
  );
  if (failure !== undefined) throw failure;
}
