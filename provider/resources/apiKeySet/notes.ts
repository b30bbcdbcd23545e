import { capitalised, listed } from "../../core/text";
import { isUnknown } from "../../core/unknown";
import { adoptedBy, type Step } from "../keys/steps";
import type { Plan } from "./plan";
import { label, quoted } from "./state";

/** Says in previews what the engine's own lines don't show. */
export function previewNote({ owned, inputs, steps }: Plan): string | undefined {
  if (isUnknown(inputs.keys)) return undefined;
  const adopted = new Set(steps.map(adoptedBy));
  const isReplaced = (step: Step) => step.op === "replace" && !adoptedBy(step);
  const isConditional = (step: Step) => "isConditional" in step && step.isConditional === true;
  const aliasesOf = (is: (step: Step) => boolean) => steps.filter(is).map(({ alias }) => alias);
  const isRenamed = (step: Step) =>
    "stateAlias" in step && step.stateAlias !== step.alias && step.op !== "replace";
  const waiting = owned.toDelete.filter(({ id }) => !adopted.has(id));
  const parts = [
    counted(aliasesOf(isRenamed), "to keep under a new alias"),
    counted(
      aliasesOf((step) => adoptedBy(step) !== undefined),
      "existing key to adopt, without its secret",
      "existing keys to adopt, without their secrets",
    ),
    counted(
      aliasesOf((step) => isReplaced(step) && !isConditional(step)),
      "to replace, with a new secret",
    ),
    counted(
      aliasesOf((step) => isReplaced(step) && isConditional(step)),
      "to replace if its unknown values change",
      "to replace if their unknown values change",
    ),
    counted(
      aliasesOf((step) => step.op === "delete" || (step.op === "replace" && !isReplaced(step))),
      "to delete",
    ),
    counted(
      waiting.map(({ name }) => name),
      "already replaced, still to delete",
    ),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `${capitalised(label(inputs))}: ${parts.join("; ")}.`;
}

function counted(names: readonly string[], one: string, several = one): string | undefined {
  return names.length === 0
    ? undefined
    : `${names.length.toLocaleString("en")} ${names.length === 1 ? one : several}: ${listed(quoted(names))}`;
}
