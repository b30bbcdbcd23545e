import type { Expiries } from "../../core/expiry";
import { withSecrets } from "../../core/secrecy";
import { defined, isRecord, type Properties } from "../../core/state";
import { isUnknown, unknown } from "../../core/unknown";
import { expiring } from "../apiKey/state";
import { type Entry, label } from "./entries";
import { entriesIn, keySecrets, type SetState } from "./properties";
import { adoptedBy, type Plan } from "./steps";

/** When the keys expire that the set keeps; of a map that is not known yet, all. */
export function expiries(state: SetState, { holding, inputs, steps }: Plan): Expiries {
  const kept = isUnknown(inputs.keys)
    ? [...holding.entries]
    : steps.flatMap((step) =>
        step.does === "keep" || step.does === "edit" ? [[step.alias, step.entry] as const] : [],
      );
  const secretsIn = withSecrets({}, keySecrets(inputs));
  const keys = kept.map(([alias, { id, state: key }]) => expiring(id, JSON.stringify(alias), key, secretsIn));
  return { of: label(state), keys };
}

/** The outputs by alias: of a key that is kept, as they are. A value to migrate will be among the secrets alone. */
export function foresee({ inputs, steps }: Plan): Properties {
  if (!isRecord(inputs.keys)) return {};
  /** `adopted`: of a key that is adopted, by its id. What is certain to be absent is left out. */
  const kept = (pick: (entry: Entry) => unknown, adopted: (id: string) => unknown = () => unknown) => {
    const all = steps.flatMap((step) => {
      if (step.does === "remove") return [];
      if (step.does === "keep" || step.does === "edit") return [[step.alias, pick(step.entry)]];
      const id = adoptedBy(step);
      return [[step.alias, id === undefined ? unknown : adopted(id)]];
    });
    return defined(Object.fromEntries(all));
  };
  const entries = entriesIn(inputs).map(([alias, entry]) => {
    const { existingKey: _, ...rest } = isRecord(entry) ? entry : ({} as Properties);
    return [alias, isRecord(entry) ? rest : entry];
  });
  const itself = (id: string) => id;
  return {
    keys: Object.fromEntries(entries),
    ids: kept(({ id }) => id, itself),
    maskedKeys: kept(({ state: { maskedKey } }) => maskedKey ?? unknown),
    secrets: kept(
      ({ state: { key } }) => key,
      () => undefined,
    ),
  };
}
