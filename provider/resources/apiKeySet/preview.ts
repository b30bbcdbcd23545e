import { unknown } from "../../core/fields";
import { defined, isRecord, type Properties } from "../../core/state";
import { adoptedBy, type Step } from "../keys/steps";
import type { Plan } from "./plan";
import { entriesIn } from "./properties";

/** The properties after an update, as far as they are known. `existingKey` is left out: state has it only in `secrets`. */
export function preview({ inputs, steps }: Plan): Properties {
  if (!isRecord(inputs.keys)) return {};
  const keys = steps.flatMap((step) =>
    step.op === "delete" ? [] : [{ alias: step.alias, ...outputsOf(step) }],
  );
  const outputOf = (name: "id" | "maskedKey" | "key") =>
    defined(Object.fromEntries(keys.map((key) => [key.alias, key[name]])));
  const entries = entriesIn(inputs).map(([alias, entry]) => {
    const { existingKey: _, ...rest } = isRecord(entry) ? entry : ({} as Properties);
    return [alias, isRecord(entry) ? rest : entry];
  });
  return {
    keys: Object.fromEntries(entries),
    ids: outputOf("id"),
    maskedKeys: outputOf("maskedKey"),
    secrets: outputOf("key"),
  };
}

function outputsOf(step: Exclude<Step, { readonly op: "delete" }>) {
  if (step.op === "same" || step.op === "update") {
    const { id, state } = step.key;
    return { id, maskedKey: state.maskedKey ?? unknown, key: state.key };
  }
  const id = adoptedBy(step);
  return { id: id ?? unknown, maskedKey: unknown, key: id === undefined ? unknown : undefined };
}
