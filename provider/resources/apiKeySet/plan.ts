import { difference } from "../../core/comparison";
import type { Comparison } from "../../core/definition";
import { containsUnknown } from "../../core/fields";
import { failedKey } from "../../core/state";
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
import type { SetKeys } from "./state";

/** What an update of a set does with its keys. It depends on nothing but state and inputs. */
export interface Plan {
  readonly owned: SetKeys;
  readonly inputs: SetDraft;
  readonly steps: readonly Step[];
}

export type SetUpdate = Comparison<Shape, Plan, SetInputs>;

export function plan(owned: SetKeys, inputs: SetDraft): Plan {
  const { byAlias } = owned;
  const taken = new Set<string>();
  const findStateAlias = stateAliases(byAlias, inputs);
  const declared = entriesIn(inputs).map(([alias, entry]): Step => {
    const wanted = inputsOfEntry(inputs, alias, entry);
    const stateAlias = findStateAlias(alias, entry, wanted, taken);
    const key = byAlias.get(stateAlias);
    if (key === undefined) return { alias, op: "create", declared: wanted };
    taken.add(stateAlias);
    return { alias, stateAlias, ...stepFor(key, wanted) };
  });
  const removed = [...byAlias].filter(([alias]) => !taken.has(alias));
  const deletes = removed.map(([alias, key]): Step => ({ alias, op: "delete", key }));
  return { owned, inputs, steps: [...declared, ...deletes] };
}

/** Finds the alias in state of an entry's key: the entry's own, its former one, or that of the existing key that it names. */
function stateAliases(byAlias: OwnedKeys["byAlias"], inputs: SetDraft) {
  const entries = entriesIn(inputs);
  const declared = new Set(entries.map(([alias]) => alias));
  const renamed = new Set(entries.map(([, entry]) => formerAlias(entry)));
  // check compares with earlier inputs; only state shows which key has a value (K5).
  const bySecret = new Map([...byAlias].map(([alias, { state }]) => [state.key, alias]));
  const byId = new Map<string | undefined, string>([...byAlias].map(([alias, { id }]) => [id, alias]));
  return (
    alias: string,
    entry: unknown,
    { existingKey, existingId }: KeyInputs,
    taken: ReadonlySet<string>,
  ): string => {
    const own = byAlias.get(alias);
    const isOwn = existingKey === undefined || existingKey === own?.state.key;
    const named = isOwn ? byId.get(existingId) : bySecret.get(existingKey);
    const former = own === undefined ? formerAlias(entry) : undefined;
    const others = [former, renamed.has(named) ? undefined : named].filter((one) => one !== undefined);
    return others.find((one) => byAlias.has(one) && !declared.has(one) && !taken.has(one)) ?? alias;
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
