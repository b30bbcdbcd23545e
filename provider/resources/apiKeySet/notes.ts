import { failedKey, isRecord } from "../../core/state";
import { capitalised, listed } from "../../core/text";
import { isUnknown } from "../../core/unknown";
import { adoptedBy, type Step } from "../keys/steps";
import type { Plan } from "./plan";
import { entriesIn } from "./properties";
import { label, quoted } from "./state";

/** Says in previews what the engine's own lines don't show. */
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
  return `${capitalised(label(inputs))}: ${parts.join("; ")}.`;
}

function counted(names: readonly string[], one: string, several = one): string | undefined {
  return names.length === 0
    ? undefined
    : `${names.length.toLocaleString("en")} ${names.length === 1 ? one : several}: ${listed(quoted(names))}`;
}
