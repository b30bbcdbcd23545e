import { difference } from "../../core/comparison";
import type { Comparison } from "../../core/definition";
import { failedKey } from "../../core/state";
import { containsUnknown } from "../../core/unknown";
import { fields, type KeyInputs, keepsExisting as keepsKey, unchanged } from "../apiKey/properties";
import { pending } from "../apiKey/state";
import type { OwnedKey, OwnedKeys } from "../keys/owned";
import type { Step } from "../keys/steps";
import {
  entriesIn,
  formerAlias,
  inputsOfEntry,
  type SetDraft,
  type SetInputs,
  type Shape,
} from "./properties";

/** What an update of a set does with its keys. It depends on nothing but state and inputs. */
export interface Plan {
  readonly owned: OwnedKeys;
  readonly inputs: SetDraft;
  readonly steps: readonly Step[];
}

export type SetUpdate = Comparison<Shape, Plan, SetInputs>;

export function plan(owned: OwnedKeys, inputs: SetDraft): Plan {
  const { byAlias } = owned;
  const taken = new Set<string>();
  const findStateAlias = stateAliases(byAlias, inputs);
  const declared = entriesIn(inputs).map(([alias, entry]): Step => {
    const wanted = inputsOfEntry(inputs, alias, entry);
    const stateAlias = findStateAlias(alias, entry, wanted, taken);
    const key = byAlias.get(stateAlias);
    if (key === undefined) return { alias, op: "create", declared: wanted, formerAlias: formerAlias(entry) };
    taken.add(stateAlias);
    return { alias, stateAlias, ...stepFor(key, wanted) };
  });
  const removed = [...byAlias].filter(([alias]) => !taken.has(alias));
  const deletes = removed.map(([alias, key]): Step => ({ alias, op: "delete", key }));
  return { owned, inputs, steps: [...declared, ...deletes] };
}

/** Finds the alias in state of an entry's key: the entry's own, its former one, or that of the existing key that it names. */
function stateAliases(byAlias: OwnedKeys["byAlias"], inputs: SetDraft) {
  const declared = new Set(entriesIn(inputs).map(([alias]) => alias));
  // Only state shows which key has a value (K5).
  const named = new Map(
    [...byAlias].flatMap(([alias, { id, state }]) => [
      [state.key, alias],
      [id, alias],
    ]),
  );
  return (alias: string, entry: unknown, wanted: KeyInputs, taken: ReadonlySet<string>): string => {
    const own = byAlias.get(alias);
    const value = wanted.existingKey ?? wanted.existingId;
    if (own !== undefined && [own.state.key, own.id, undefined].includes(value)) return alias;
    const others = [own === undefined ? formerAlias(entry) : undefined, value && named.get(value)];
    const isFree = (one: string | undefined) =>
      one !== undefined && byAlias.has(one) && !declared.has(one) && !taken.has(one);
    return others.find(isFree) ?? alias;
  };
}

/** Decides as for an ApiKey. */
function stepFor(key: OwnedKey, wanted: KeyInputs) {
  const { id, state } = key;
  const compared = { id, state, inputs: wanted, now: 0, plan: undefined };
  const { changes, replaces } = difference({ fields, unchanged, pending, keepsExisting: keepsKey }, compared);
  // Leaving existingId out, or adding the key's own, goes into state without a request.
  const same = { id, state: { ...state, existingId: wanted.existingId } };
  if (changes === false && state[failedKey] === undefined) return { op: "same", key: same } as const;
  if (replaces.length === 0) return { op: "update", key, declared: wanted } as const;
  const isConditional = replaces.every((name) => containsUnknown(wanted[name as keyof KeyInputs]));
  return { op: "replace", key, declared: wanted, isConditional } as const;
}

/** Whether an entry names the existing key that it has: then no other workspace can have the set. */
export function keepsExisting({ steps }: Plan): boolean {
  return steps.some(
    (step) =>
      (step.op === "update" || step.op === "replace") &&
      keepsKey({ ...step.key, inputs: step.declared, now: 0 }),
  );
}

/** Whether no key and no alias changes, although the inputs may be spelled differently. */
export function changesNothing({ steps }: Plan): boolean {
  return steps.every((step) => step.op === "same" && step.stateAlias === step.alias);
}
