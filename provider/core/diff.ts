import { isDeepStrictEqual } from "node:util";
import type { AnyDefinition } from "./definition";
import type { Kept } from "./errors";
import { isRecord, type ManagedField, type Properties, same } from "./state";
import { containsUnknown } from "./unknown";

export interface Difference {
  /** `undefined` leaves it to the engine, which compares the inputs itself and shows exactly what changed. */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
}

interface ComparedField extends ManagedField {
  readonly onChange: "update" | "replace" | "refuse";
}

/** The inputs that differ from what the state was declared as. */
export function differing<F extends ManagedField>(
  definition: Pick<AnyDefinition, "unchanged">,
  fields: readonly F[],
  state: Properties,
  inputs: Properties,
  id: string,
): readonly F[] {
  return fields.filter((field) => {
    const value = inputs[field.name];
    if (containsUnknown(value)) return true;
    if (same(field, state[field.name], value)) return false;
    return !definition.unchanged?.(field.name, state, field.canonical(value), inputs, id);
  });
}

/** What a change of the program does, decided without any request. */
export function difference(
  definition: Pick<AnyDefinition, "unchanged" | "pending">,
  fields: readonly ComparedField[],
  { id, state }: Kept,
  inputs: Properties,
  now: number,
): Difference {
  const changed = differing(definition, fields, state, inputs, id);
  const replaces = changed.filter((field) => field.onChange === "replace").map(({ name }) => name);
  const pending = definition.pending?.(state, inputs, now);
  if (pending !== undefined) return { changes: true, replaces: [...pending, ...replaces] };
  return { changes: changed.length === 0 ? false : undefined, replaces };
}

/** A difference between two values, by the path that leads to it. */
export interface Change {
  readonly path: readonly PropertyKey[];
  readonly kind: "add" | "update" | "delete";
}

/** Where two values differ, as deep as both have the same structure. */
export function changesAt(path: readonly PropertyKey[], before: unknown, now: unknown): readonly Change[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (before === undefined) return [{ path, kind: "add" }];
  if (now === undefined) return [{ path, kind: "delete" }];
  const steps =
    Array.isArray(before) && Array.isArray(now)
      ? [...(before.length > now.length ? before : now).keys()]
      : isRecord(before) && isRecord(now)
        ? Object.keys({ ...before, ...now })
        : [];
  if (steps.length === 0) return [{ path, kind: "update" }];
  const at = (value: unknown, step: PropertyKey) => (value as Readonly<Record<PropertyKey, unknown>>)[step];
  return steps.flatMap((step) => changesAt([...path, step], at(before, step), at(now, step)));
}
