import { Failure } from "../../core/errors";
import type { Properties } from "../../core/state";
import { sentences } from "../../core/text";

/** The arguments of a function or a query, as in the schema. The engine does not check them. */
export interface Arguments {
  readonly properties: Readonly<Record<string, { readonly type: string }>>;
  readonly required?: readonly string[];
}

/** The arguments that are given and not null. Throws a Failure that names everything that is wrong with them. */
export function argumentsOf(
  name: string,
  { properties, required = [] }: Arguments,
  given: Properties,
): Properties {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const known = Object.keys(properties);
  const others = known.length === 0 ? "it takes none" : `the arguments are ${known.join(", ")}`;
  const problems = [
    ...Object.keys(present)
      .filter((one) => !Object.hasOwn(properties, one))
      .map((one) => `no such argument ${one}; ${others}`),
    ...required.filter((one) => !(one in present)).map((one) => `${one} is missing`),
    ...Object.entries(properties)
      .filter(([one, { type }]) => one in present && typeof present[one] !== type)
      .map(([one, { type }]) => `${one} must be a ${type}`),
  ];
  if (problems.length > 0) throw new Failure(`${name}: ${sentences(...problems)}`);
  return present;
}
