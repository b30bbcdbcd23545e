/** The plan of a create or an update: data that previews show and that the operation carries out. It is pure. */
import { isDeepStrictEqual } from "node:util";
import type { Failure } from "./errors";
import { containsUnknown, type Field } from "./fields";
import type { OwnedObject } from "./registry";
import type { Properties } from "./state";

export interface Plan {
  /** The inputs that differ from what the state was declared as. None for a create. */
  readonly changed: readonly string[];
  /** The properties that only a replacement can change: inputs, or outputs that state lacks. */
  readonly replaces: readonly string[];
  /** Whether state needs an update although no input has changed. */
  readonly isPending?: boolean | undefined;
  /** A line for what the engine's own preview does not show. */
  readonly note?: string | undefined;
  /** Why the update fails: known before any request. */
  readonly refusal?: Failure | undefined;
  /** The properties that a preview can't derive by itself: inputs become as declared, outputs stay or are unknown. */
  readonly preview?: () => Properties;
  /** The objects that no other resource of the program may have or adopt. Default: those of its state. None if they stay. */
  readonly objects?: readonly OwnedObject[] | undefined;
}

export interface Comparing {
  /** Whether a changed input means the same as the state. Default: it doesn't. */
  readonly isSame?: (name: string, value: unknown) => boolean;
  /**
   * Whether a changed input replaces nothing, because the program names the existing object that the resource has. A value
   * that is not known yet can't either: the check decides once it is known.
   */
  readonly isKept?: (name: string, value: unknown) => boolean;
}

/** The plan of a resource whose inputs are each compared by themselves. Both sides are in canonical form. */
export function compareFields(
  fields: readonly Pick<Field, "name" | "default" | "onChange">[],
  { state, inputs }: { readonly state?: Properties | undefined; readonly inputs: Properties },
  { isSame = () => false, isKept = () => false }: Comparing = {},
): Plan {
  if (state === undefined) return { changed: [], replaces: [] };
  const changed = fields.filter((field) => {
    const value = inputs[field.name];
    if (containsUnknown(value)) return true;
    return !isDeepStrictEqual(state[field.name] ?? field.default, value) && !isSame(field.name, value);
  });
  const replaces = changed.filter(
    ({ name, onChange }) => onChange === "replace" && !isKept(name, inputs[name]),
  );
  return { changed: changed.map(({ name }) => name), replaces: replaces.map(({ name }) => name) };
}

/** Whether an update would do anything. */
export function changesAnything({ changed, replaces, isPending }: Plan): boolean {
  return isPending === true || changed.length > 0 || replaces.length > 0;
}
