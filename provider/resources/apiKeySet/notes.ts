import { distance } from "fastest-levenshtein";
import { isUnknown } from "../../core/fields";
import { failedKey, isRecord } from "../../core/state";
import { capitalised, listed } from "../../core/text";
import { adoptedBy, type Step } from "../keys/steps";
import type { Plan } from "./plan";
import { entriesIn, formerAlias } from "./properties";
import { label, quoted } from "./state";

/** Says in previews what the engine's own lines don't show, and why an update will fail. */
export function previewNote(plan: Plan): string | undefined {
  const { owned, inputs, steps } = plan;
  if (isUnknown(inputs.keys)) return undefined;
  const adoptedIds = new Set(steps.map(adoptedBy));
  const isRenameUnknown = entriesIn(inputs).some(
    ([, entry]) => isRecord(entry) && isUnknown(entry["renamedFrom"]),
  );
  const counts = (is: (step: Step) => unknown, one: string, several?: string) =>
    counted(
      steps.filter(is).map(({ alias }) => alias),
      one,
      several,
    );
  const isReplaced = (step: Step) => step.op === "replace" && !adoptedBy(step);
  const isConditional = (step: Step) => "isConditional" in step && step.isConditional;
  const parts = [
    counts(
      (step) => "stateAlias" in step && step.stateAlias !== step.alias && step.op !== "replace",
      "to keep under a new alias",
    ),
    counts(
      (step) => step.op === "update" && step.key.state[failedKey],
      "to write again, because the last update could not confirm it",
      "to write again, because the last update could not confirm them",
    ),
    counts(
      adoptedBy,
      "existing key to adopt, without its secret",
      "existing keys to adopt, without their secrets",
    ),
    counts(
      (step) => step.op === "replace" && adoptedBy(step),
      "to delete, with another key adopted in its place",
    ),
    counts((step) => isReplaced(step) && !isConditional(step), "to replace, with a new secret"),
    counts(
      (step) => isReplaced(step) && isConditional(step),
      "to replace if its unknown values change",
      "to replace if their unknown values change",
    ),
    // An unknown renamedFrom may keep any of them.
    counts(({ op }) => op === "delete" && !isRenameUnknown, "to delete"),
    counted(
      owned.toDelete.filter(({ id }) => !adoptedIds.has(id)).map(({ name }) => name),
      "already replaced, still to delete",
    ),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const line = `${capitalised(label(inputs))}: ${parts.join("; ")}.`;
  const refusal = renameProblem(plan);
  return refusal === undefined ? line : `${line} The update will fail: ${refusal}`;
}

function counted(names: readonly string[], one: string, several = one): string | undefined {
  return names.length === 0
    ? undefined
    : `${names.length.toLocaleString("en")} ${names.length === 1 ? one : several}: ${listed(quoted(names))}`;
}

/** Says which `renamedFrom` would keep no key although a key would be deleted. check can't know, because it has no state. */
export function renameProblem({ owned: { hasFailed }, inputs, steps }: Plan): string | undefined {
  const deleted = new Set(steps.flatMap(({ op, alias }) => (op === "delete" ? [alias] : [])));
  if (deleted.size === 0) return undefined;
  const entries = new Map(entriesIn(inputs));
  const problems = steps.flatMap((step) => {
    const former = step.op === "delete" ? undefined : formerAlias(entries.get(step.alias));
    if (former === undefined) return [];
    const subject = `renamedFrom of ${JSON.stringify(step.alias)} names ${JSON.stringify(former)}`;
    if (step.op !== "create") {
      return deleted.has(former)
        ? [
            `${subject}, whose key would be deleted, because this entry already has a key. Leave renamedFrom out, or give that key an unused alias.`,
          ]
        : [];
    }
    const meant = [...deleted].find((one) => isTypo(former, one));
    // After a failed update, it may be an alias that the update was to give.
    if (meant === undefined && !hasFailed) return [];
    const guess = meant === undefined ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
    return [
      `${subject}, but no key of this set has that alias, and ${listed(quoted([...deleted]), 5)} would be deleted${guess}. Correct it, or leave renamedFrom out to create a new key.`,
    ];
  });
  return problems.length === 0 ? undefined : listed(problems, 5, " ");
}

/** Names that differ in their digits are not typos: "key-1" and "key-2" are different keys. */
function isTypo(written: string, meant: string): boolean {
  const [one, other] = [written.toLowerCase(), meant.toLowerCase()];
  const digits = (text: string) => text.replace(/\D/g, "");
  if (digits(one) !== digits(other)) return false;
  return distance(one, other) <= Math.min(2, Math.floor(Math.max(one.length, other.length) / 2));
}
