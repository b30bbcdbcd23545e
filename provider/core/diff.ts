import type { AnyDefinition } from "./definition";
import type { ManagedField, Properties } from "./state";
import { same } from "./state";
import { containsUnknown } from "./unknown";

export interface Difference {
  /** `undefined` leaves it to the engine, which compares the inputs itself and shows exactly what changed. */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
}

interface ComparedField extends ManagedField {
  readonly onChange: "update" | "replace" | "refuse";
}

/** What a change of the program does, decided without any request. */
export function difference(
  definition: Pick<AnyDefinition, "unchanged" | "pending">,
  fields: readonly ComparedField[],
  state: Properties,
  inputs: Properties,
): Difference {
  const changed = fields.filter((field) => {
    const value = inputs[field.name];
    if (containsUnknown(value)) return true;
    if (same(field, state[field.name], value)) return false;
    return !definition.unchanged?.(field.name, state, field.canonical(value), inputs);
  });
  const replaces = changed.filter((field) => field.onChange === "replace").map(({ name }) => name);
  const pending = definition.pending?.(state);
  if (pending !== undefined) return { changes: true, replaces: [...pending, ...replaces] };
  return { changes: changed.length === 0 ? false : undefined, replaces };
}
