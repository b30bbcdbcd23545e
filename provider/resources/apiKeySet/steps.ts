import type { Comparison } from "../../core/definition";
import { difference } from "../../core/diff";
import { containsUnknown } from "../../core/unknown";
import { fields, type KeyInputs, unchanged } from "../apiKey/properties";
import { adoptedId, pending } from "../apiKey/state";
import type { Entry, Holding } from "./entries";
import { entriesIn, formerAlias, merged, type SetDraft, type SetInputs, type Shape } from "./properties";

/**
 * What is to be done with one key. `from` is the alias that state has it under, which the update may change; `entry` is as
 * state is to have it; `isOpen` if only values ask for it that are not known yet.
 */
export type Step = { readonly alias: string } & (
  | { readonly does: "keep"; readonly from: string; readonly entry: Entry }
  | { readonly does: "add"; readonly declared: KeyInputs }
  | {
      readonly does: "edit" | "replace";
      readonly from: string;
      readonly entry: Entry;
      readonly declared: KeyInputs;
      readonly isOpen?: boolean;
    }
  | { readonly does: "remove"; readonly entry: Entry }
);

/** What an update does with the keys of a set, decided from its state and its inputs alone. */
export interface Plan {
  readonly holding: Holding;
  readonly inputs: SetDraft;
  readonly steps: readonly Step[];
}

export type SetUpdate = Comparison<Shape, Plan, SetInputs>;

/** What makes the keys as declared: for each the same decision as for an ApiKey. */
export function plan(holding: Holding, inputs: SetDraft): Plan {
  const { entries, toDelete, isHalfDone } = holding;
  // After a write that failed halfway, it may not be known whether a key matches the program that replaces another.
  const unconfirmed = new Set(isHalfDone ? toDelete.map(({ alias }) => alias) : []);
  const taken = new Set<string>();
  const aliasInState = openAliases(entries, inputs);
  const declared = entriesIn(inputs).map(([alias, spelled]): Step => {
    const wanted = merged(inputs, alias, spelled);
    const from = aliasInState(alias, spelled, wanted, taken);
    const entry = entries.get(from);
    if (entry === undefined) return { alias, does: "add", declared: wanted };
    taken.add(from);
    return { alias, from, ...stepFor(entry, wanted, unconfirmed.has(from)) };
  });
  const gone = [...entries].filter(([alias]) => !taken.has(alias));
  const removed = gone.map(([alias, entry]): Step => ({ alias, does: "remove", entry }));
  return { holding, inputs, steps: [...declared, ...removed] };
}

/** Finds the alias that state has the key of an entry under: its own, a former one, or that of the key that it names. */
function openAliases(entries: Holding["entries"], inputs: SetDraft) {
  const declared = entriesIn(inputs);
  const aliases = new Set(declared.map(([alias]) => alias));
  const named = new Set(declared.map(([, entry]) => formerAlias(entry)));
  // check knows only the inputs of the last update, but whose key a value is can be seen in state (K5).
  const holders = new Map([...entries].map(([alias, { state }]) => [state.key, alias]));
  const ids = new Map<string | undefined, string>([...entries].map(([alias, { id }]) => [id, alias]));
  return (
    alias: string,
    spelled: unknown,
    { existingKey, existingId }: KeyInputs,
    taken: ReadonlySet<string>,
  ): string => {
    const own = entries.get(alias);
    const isOwn = existingKey === undefined || existingKey === own?.state.key;
    const holder = isOwn ? ids.get(existingId) : holders.get(existingKey);
    const former = own === undefined ? formerAlias(spelled) : undefined;
    const others = [former, named.has(holder) ? undefined : holder].filter((one) => one !== undefined);
    return others.find((one) => entries.has(one) && !aliases.has(one) && !taken.has(one)) ?? alias;
  };
}

/** Compares a key with its entry. */
function stepFor(entry: Entry, wanted: KeyInputs, isUnconfirmed: boolean) {
  const { id, state } = entry;
  const compared = { id, state, inputs: wanted, now: 0, plan: undefined };
  const { changes, replaces } = difference({ fields, unchanged, pending }, compared);
  // What names the key of an entry may go once the entry has it.
  const kept = { id, state: { ...state, existingId: wanted.existingId } };
  if (changes === false && !isUnconfirmed) return { does: "keep", entry: kept } as const;
  if (replaces.length === 0) return { does: "edit", entry, declared: wanted } as const;
  const isOpen = replaces.every((name) => containsUnknown(wanted[name as keyof KeyInputs]));
  return { does: "replace", entry, declared: wanted, isOpen } as const;
}

/** The id of the key that a step adopts, if it adopts one. */
export function adoptedBy(step: Step): string | undefined {
  return step.does === "add" || step.does === "replace" ? adoptedId(step.declared) : undefined;
}

/** Whether there is nothing to do, however differently the inputs are spelled. */
export function changesNothing({ steps }: Plan): boolean {
  return steps.every((step) => step.does === "keep" && step.from === step.alias);
}
