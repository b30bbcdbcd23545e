import { distance } from "fastest-levenshtein";
import { capitalised, listed } from "../../core/errors";
import { isRecord } from "../../core/state";
import { isUnknown } from "../../core/unknown";
import { label, mismatchedAliases, quoted } from "./entries";
import { entriesIn, formerAlias, type SetState } from "./properties";
import { adoptedBy, type Plan, type Step } from "./steps";

/** Messages about a set: in previews, and if an update is refused. */

/** What is done with the keys that the engine's own preview does not show, and what an update will refuse. */
export function previewNote(state: SetState, plan: Plan): string | undefined {
  const { holding, inputs, steps } = plan;
  // A map that is not known yet has no entries to be seen, and none is known to go.
  if (isUnknown(inputs.keys)) return undefined;
  const aliasesOf = (does: Step["does"]) =>
    steps.filter((step) => step.does === does && !adoptedBy(step)).map(({ alias }) => alias);
  const open = new Set(steps.flatMap((step) => ("isOpen" in step && step.isOpen ? [step.alias] : [])));
  const replaced = aliasesOf("replace");
  const adopting = steps.filter(adoptedBy);
  const without = new Set(mismatchedAliases(state).keys);
  const isRenameOpen = entriesIn(inputs).some(
    ([, entry]) => isRecord(entry) && isUnknown(entry["renamedFrom"]),
  );
  const moved = steps.filter((step) => "from" in step && step.from !== step.alias && step.does !== "replace");
  const parts = [
    counted(
      moved.map(({ alias }) => alias),
      "to keep under a new alias",
    ),
    counted(
      adopting.map(({ alias }) => alias),
      "existing key to adopt, without its secret",
      "existing keys to adopt, without their secrets",
    ),
    counted(
      adopting.flatMap(({ alias, does }) => (does === "replace" ? [alias] : [])),
      "to delete, with another key adopted in its place",
    ),
    counted(
      replaced.filter((alias) => !open.has(alias)),
      "to replace, with a new secret",
    ),
    counted(
      replaced.filter((alias) => open.has(alias)),
      "to replace if its unknown values change",
      "to replace if their unknown values change",
    ),
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
  const refusal = refusedRename(plan);
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
export function refusedRename({ holding: { isHalfDone }, inputs, steps }: Plan): string | undefined {
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
