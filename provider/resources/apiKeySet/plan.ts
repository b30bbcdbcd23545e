import { distance } from "fastest-levenshtein";
import { difference } from "../../core/diff";
import { capitalised, listed } from "../../core/errors";
import type { Expiries } from "../../core/expiry";
import { withSecrets } from "../../core/secrecy";
import { adoptedKey, defined, isRecord, type Properties } from "../../core/state";
import { isUnknown, unknown } from "../../core/unknown";
import { type KeyInputs, fields as keyFields, unchanged } from "../apiKey/properties";
import { adoptedId, expiring, pending } from "../apiKey/state";
import { type Entry, type Holding, holdingOf, label, mismatchedAliases, quoted } from "./entries";
import { entriesIn, formerAlias, keySecrets, merged, type SetDraft, type SetState } from "./properties";

/**
 * What is to be done with one key. `from` is the alias that state has it under, which the update may change; `entry` is as
 * state is to have it.
 */
export type Step = { readonly alias: string } & (
  | { readonly does: "keep"; readonly from: string; readonly entry: Entry }
  | { readonly does: "add"; readonly declared: KeyInputs }
  | {
      readonly does: "edit" | "replace";
      readonly from: string;
      readonly entry: Entry;
      readonly declared: KeyInputs;
    }
  | { readonly does: "remove"; readonly entry: Entry }
);

const keyDefinition = { unchanged, pending } as const;

/** What makes the keys as declared: for each the same decision as for an ApiKey. */
export function plan({ entries }: Pick<Holding, "entries">, inputs: SetDraft): readonly Step[] {
  const declared = entriesIn(inputs);
  const aliases = new Set(declared.map(([alias]) => alias));
  const named = new Set(declared.map(([, entry]) => formerAlias(entry)));
  // check knows only the inputs of the last update, but whose key a value is can be seen in state (K5).
  const holders = new Map([...entries].map(([alias, { state }]) => [state.key, alias]));
  const ids = new Map([
    ...Array.from(entries, ([alias, { state }]) => [state.existingId, alias] as const),
    ...Array.from(entries, ([alias, { id }]) => [id, alias] as const),
  ]);
  const taken = new Set<string>();
  const isFree = (alias: string) => entries.has(alias) && !aliases.has(alias) && !taken.has(alias);
  /** The alias that state has the key of an entry under. */
  const aliasInState = (alias: string, entry: unknown, { existingKey, existingId }: KeyInputs): string => {
    const own = entries.get(alias);
    const isOwn = existingKey === undefined || existingKey === own?.state.key;
    const isKept = existingId === undefined || existingId === own?.state.existingId;
    const holder = isOwn ? (isKept ? undefined : ids.get(existingId)) : holders.get(existingKey);
    const former = own === undefined ? formerAlias(entry) : undefined;
    const others = [former, named.has(holder) ? undefined : holder].filter((one) => one !== undefined);
    return others.find(isFree) ?? alias;
  };
  const steps = declared.map(([alias, spelled]): Step => {
    const wanted = merged(inputs, alias, spelled);
    const from = aliasInState(alias, spelled, wanted);
    const entry = entries.get(from);
    if (entry === undefined) return { alias, does: "add", declared: wanted };
    taken.add(from);
    const { changes, replaces } = difference(keyDefinition, keyFields, entry, wanted, 0);
    if (changes === false) return { alias, does: "keep", from, entry: declaredAs(entry, wanted) };
    if (replaces.length === 0) return { alias, does: "edit", from, entry, declared: wanted };
    // What was adopted is replaced by a new key.
    const isAnew = [entry.id, entry.state.existingId].includes(wanted.existingId);
    const declared =
      wanted.existingId !== undefined && isAnew ? { ...wanted, [adoptedKey]: true as const } : wanted;
    return { alias, does: "replace", from, entry, declared };
  });
  const gone = [...entries].filter(([alias]) => !taken.has(alias));
  return [...steps, ...gone.map(([alias, entry]): Step => ({ alias, does: "remove", entry }))];
}

/** What names the key of an entry may go once the entry has it. */
function declaredAs({ id, state }: Entry, { existingId }: KeyInputs): Entry {
  return { id, state: { ...state, existingId } };
}

/** The id of the key that a step adopts, if it adopts one. */
export function adoptedBy(step: Step): string | undefined {
  return step.does === "add" || step.does === "replace" ? adoptedId(step.declared) : undefined;
}

/** Whether there is nothing to do, however differently the inputs are spelled. */
export function isQuiet(holding: Holding, inputs: SetDraft): boolean {
  return plan(holding, inputs).every((step) => step.does === "keep" && step.from === step.alias);
}

/** When the keys expire that the set keeps; of a map that is not known yet, all. */
export function expiries(state: SetState, inputs: SetDraft): Expiries {
  const holding = holdingOf(state);
  const kept = isUnknown(inputs.keys)
    ? [...holding.entries]
    : plan(holding, inputs).flatMap((step) =>
        step.does === "keep" || step.does === "edit" ? [[step.alias, step.entry] as const] : [],
      );
  const secretsIn = withSecrets({}, keySecrets(inputs));
  const keys = kept.map(([alias, { id, state: key }]) => expiring(id, JSON.stringify(alias), key, secretsIn));
  return { of: label(state), keys };
}

/** The outputs by alias: of a key that is kept, as they are. A value to migrate will be among the secrets alone. */
export function foresee(inputs: SetDraft, state: SetState | undefined): Properties {
  if (!isRecord(inputs.keys)) return {};
  const steps = plan(state === undefined ? { entries: new Map() } : holdingOf(state), inputs);
  /** `adopted`: of a key that is adopted, by its id. What is certain to be absent is left out. */
  const kept = (pick: (entry: Entry) => unknown, adopted: (id: string) => unknown = () => unknown) =>
    defined(
      Object.fromEntries(
        steps.flatMap((step) => {
          if (step.does === "remove") return [];
          if (step.does === "keep" || step.does === "edit") return [[step.alias, pick(step.entry)]];
          const id = adoptedBy(step);
          return [[step.alias, id === undefined ? unknown : adopted(id)]];
        }),
      ),
    );
  const entries = entriesIn(inputs).map(([alias, entry]) => {
    const { existingKey: _, ...rest } = isRecord(entry) ? entry : ({} as Properties);
    return [alias, isRecord(entry) ? rest : entry];
  });
  return {
    keys: Object.fromEntries(entries),
    ids: kept(
      ({ id }) => id,
      (id) => id,
    ),
    maskedKeys: kept(({ state: { maskedKey } }) => maskedKey ?? unknown),
    secrets: kept(
      ({ state: { key } }) => key,
      () => undefined,
    ),
  };
}

/** What is done with the keys that the engine's own preview does not show, and what an update will refuse. */
export function previewNote(state: SetState = {}, inputs: SetDraft): string | undefined {
  // A map that is not known yet has no entries to be seen, and none is known to go.
  if (isUnknown(inputs.keys)) return undefined;
  const holding = holdingOf(state);
  const steps = plan(holding, inputs);
  const aliasesOf = (does: Step["does"]) =>
    steps.filter((step) => step.does === does && !adoptedBy(step)).map(({ alias }) => alias);
  const adopting = steps.filter(adoptedBy);
  const without = new Set(mismatchedAliases(state).keys);
  const isRenameOpen = entriesIn(inputs).some(
    ([, entry]) => isRecord(entry) && isUnknown(entry["renamedFrom"]),
  );
  const parts = [
    counted(
      adopting.map(({ alias }) => alias),
      "existing key to adopt, not create",
      "existing keys to adopt, not create",
    ),
    counted(
      adopting.flatMap(({ alias, does }) => (does === "replace" ? [alias] : [])),
      "to delete, with another key adopted in its place",
    ),
    counted(aliasesOf("replace"), "to replace, with a new secret"),
    // A former alias that is not known yet may be one of them.
    isRenameOpen ? undefined : counted(aliasesOf("remove"), "to delete"),
    counted(
      holding.toDelete.map(({ name }) => name),
      "already replaced, still to delete",
    ),
    counted(
      aliasesOf("add").filter((alias) => without.has(alias)),
      "without an id in state, to create",
    ),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const line = `${capitalised(label(inputs))}: ${parts.join("; ")}.`;
  const refusal = refusedRename(steps, inputs, holding);
  return refusal === undefined ? line : `${line} The update will fail: ${refusal}`;
}

/** `what`: in the words for one, and for several. */
function counted(names: readonly string[], what: string, several = what): string | undefined {
  return names.length === 0
    ? undefined
    : `${names.length.toLocaleString("en")} ${names.length === 1 ? what : several}: ${listed(quoted(names))}`;
}

/**
 * What is wrong where a `renamedFrom` would not keep the key that it means, and a key would be deleted. check can't tell,
 * since it has no state.
 */
export function refusedRename(
  steps: readonly Step[],
  inputs: SetDraft,
  { isHalfDone = false }: Pick<Holding, "isHalfDone">,
): string | undefined {
  const going = new Set(steps.flatMap(({ does, alias }) => (does === "remove" ? [alias] : [])));
  if (going.size === 0) return undefined;
  const entries = new Map(entriesIn(inputs));
  const problems = steps.flatMap((step) => {
    const former = step.does === "remove" ? undefined : formerAlias(entries.get(step.alias));
    if (former === undefined) return [];
    const subject = `renamedFrom of ${JSON.stringify(step.alias)} names ${JSON.stringify(former)}`;
    if (step.does !== "add") {
      return going.has(former)
        ? [
            `${subject}, whose key would be deleted, because this entry already has a key. Leave renamedFrom out, or give that key an unused alias.`,
          ]
        : [];
    }
    const meant = [...going].find((one) => isSlip(former, one));
    // An alias that an update which failed halfway did not give to any key may be meant.
    if (meant === undefined && !isHalfDone) return [];
    const guess = meant === undefined ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
    return [
      `${subject}, but no key of this set has that alias, and ${listed(quoted([...going]), 5)} would be deleted${guess}. Correct it, or leave renamedFrom out to create a new key.`,
    ];
  });
  return problems.length === 0 ? undefined : listed(problems, 5, " ");
}

/** Whether somebody may have written the one for the other. Numbers tell keys apart that are named alike. */
function isSlip(written: string, meant: string): boolean {
  const [one, other] = [written.toLowerCase(), meant.toLowerCase()];
  const digits = (text: string) => text.replace(/\D/g, "");
  if (digits(one) !== digits(other)) return false;
  return distance(one, other) <= Math.min(2, Math.floor(Math.max(one.length, other.length) / 2));
}
