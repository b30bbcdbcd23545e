import { difference } from "../../core/diff";
import type { Properties } from "../../core/state";
import { unchanged } from "../apiKey/inputs";
import { pending } from "../apiKey/state";
import type { Entry, Holding } from "./entries";
import { entriesIn, formerAlias, keyFields, merged } from "./inputs";

/** What is to be done with one key. A key that only comes to stand under another alias is kept. */
export type Step = { readonly alias: string } & (
  | { readonly does: "keep"; readonly entry: Entry; readonly renamed: boolean }
  | { readonly does: "add"; readonly declared: Properties }
  | { readonly does: "edit" | "replace"; readonly entry: Entry; readonly declared: Properties }
  | { readonly does: "remove"; readonly entry: Entry }
);

const keys = { unchanged, pending };

/** What makes the keys as declared: for each the same decision as for an ApiKey. */
export function plan({ entries }: Pick<Holding, "entries">, inputs: Properties): readonly Step[] {
  const declared = entriesIn(inputs);
  const aliases = new Set(declared.map(([alias]) => alias));
  const named = new Set(declared.map(([, entry]) => formerAlias(entry)));
  const standing = asNamed(entries, (alias) => aliases.has(alias) || named.has(alias));
  // check knows only what an update that failed halfway began with, but whose key a value is stands in state (K5).
  const holders = new Map([...standing].map(([alias, { state }]) => [state["key"], alias]));
  const taken = new Set<Entry>();
  const isFree = (alias: string) => {
    const entry = standing.get(alias);
    return entry !== undefined && !aliases.has(alias) && !taken.has(entry);
  };
  const heldBy = (alias: string, entry: unknown, value: unknown): Entry | undefined => {
    const own = standing.get(alias);
    const holder = value === undefined || value === own?.state["key"] ? undefined : holders.get(value);
    const former = own === undefined ? formerAlias(entry) : undefined;
    const others = [former, named.has(holder) ? undefined : holder].filter((one) => one !== undefined);
    const held = standing.get(others.find(isFree) ?? alias);
    if (held !== undefined) taken.add(held);
    return held;
  };
  const steps = declared.map(([alias, entry]): Step => {
    const wanted = merged(inputs, alias, entry);
    const held = heldBy(alias, entry, wanted["existingKey"]);
    if (held === undefined) return { alias, does: "add", declared: wanted };
    const { changes, replaces } = difference(keys, keyFields, held.state, wanted);
    if (changes === false) return { alias, does: "keep", entry: held, renamed: held !== entries.get(alias) };
    return { alias, does: replaces.length > 0 ? "replace" : "edit", entry: held, declared: wanted };
  });
  const gone = [...standing].filter(([, entry]) => !taken.has(entry));
  return [...steps, ...gone.map(([alias, entry]): Step => ({ alias, does: "remove", entry }))];
}

/**
 * After an update that failed halfway the engine has the inputs of before it, and users see in the preview what differs
 * from those: the aliases there are those that the program means.
 */
function asNamed(entries: Holding["entries"], isMeant: (alias: string) => boolean): Holding["entries"] {
  return new Map(
    [...entries].map(([alias, entry]) => {
      const { was } = entry;
      return [was && isMeant(was) && !entries.has(was) ? was : alias, entry];
    }),
  );
}

/** Whether there is nothing to do, however differently the inputs are spelled. */
export function isQuiet(holding: Holding, inputs: Properties): boolean {
  return plan(holding, inputs).every((step) => step.does === "keep" && !step.renamed);
}
