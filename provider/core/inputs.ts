import { isDeepStrictEqual } from "node:util";
import type { AnyDefinition } from "./definition";
import { canonicalInputs } from "./fields";
import { secretsOf, withSecrets } from "./secrecy";
import type { Properties } from "./state";

/** The inputs in canonical form, with the list of secret ones. */
export function canonical({ fields }: AnyDefinition, inputs: Properties): Properties {
  return withSecrets(canonicalInputs(fields, inputs), secretsOf(inputs));
}

/** The inputs that a state stands for. */
export function inputsOf(definition: AnyDefinition, state: Properties): Properties {
  return canonicalInputs(definition.fields, definition.inputsOf(state));
}

/** The inputs with the resource's name, if that is the default of one of them. */
export function withName(
  { fields }: AnyDefinition,
  inputs: Properties,
  name: string | undefined,
): Properties {
  const field = fields.find(({ defaultsToResourceName }) => defaultsToResourceName);
  if (field === undefined || name === undefined) return inputs;
  return { ...inputs, [field.name]: inputs[field.name] ?? name };
}

/** The inputs that differ from their defaults: what a program has to declare. */
export function withoutDefaults(
  { fields }: AnyDefinition,
  inputs: Properties,
  name: string | undefined,
): Properties {
  const declared = fields.filter((field) => {
    const assumed = field.defaultsToResourceName ? name : field.default;
    return !isDeepStrictEqual(inputs[field.name], assumed);
  });
  return Object.fromEntries(declared.map((field) => [field.name, inputs[field.name]]));
}
