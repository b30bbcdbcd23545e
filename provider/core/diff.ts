import type { Definition, Field } from "./definition";
import { type Properties, same } from "./state";
import { containsUnknown } from "./unknown";

export interface Difference {
  /** `undefined` leaves it to the engine, which compares the inputs itself and shows exactly what changed. */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
}

/** What a change of the program does, decided without any request. */
export function difference(
  definition: Pick<Definition, "unchanged" | "pending">,
  fields: readonly Field[],
  state: Properties,
  inputs: Properties,
): Difference {
  const changed = fields.filter((field) => {
    const value = inputs[field.name];
    if (containsUnknown(value)) return true;
    if (same(field, state[field.name], value)) return false;
    return !definition.unchanged?.(field.name, state, field.canonical(value), inputs);
  });
  const replaces = changed.filter((field) => field.facts.onChange === "replace").map(({ name }) => name);
  const pending = definition.pending?.(state);
  if (pending !== undefined) return { changes: true, replaces: [...pending, ...replaces] };
  return { changes: changed.length === 0 ? false : undefined, replaces };
}
