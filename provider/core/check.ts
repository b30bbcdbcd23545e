import type { KindContext } from "./context";
import { type Checked, unchecked } from "./declarations";
import type { AnyDefinition } from "./definition";
import { canonicalInputs } from "./fields";
import { inputErrors } from "./inputErrors";
import { canonical, withName } from "./inputs";
import { note } from "./notices";
import { protectAdopted } from "./objects";
import { defined, type Properties } from "./state";
import { nameIn } from "./urn";

export interface CheckResult {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/** Returns the inputs in canonical form, or what is wrong with them. Sends no request (R12). */
export function check(
  context: KindContext,
  inputs: Properties,
  before: Properties | undefined,
  name?: string,
  urn = "",
): CheckResult {
  const { definition, host, inState } = context;
  const named = withName(definition, inputs, name);
  const declared = canonical(definition, named);
  const last = before && canonicalInputs(definition.fields, before);
  const elsewhere = declaredElsewhere(context, { declared, last, name, urn });
  protectAdopted(context, declared, last);
  const configuration = host.configuration();
  const failures = [
    ...("problems" in configuration ? configuration.problems : []),
    ...inputErrors(definition, named, before ?? inState.get(urn), elsewhere),
  ];
  // A resource that is in state already gets its notes from diff.
  if (before === undefined && failures.length === 0)
    note(context, definition.createNote?.(declared), declared);
  return { inputs: defined(declared), failures };
}

/** A resource as the program declares it. */
interface Declaring {
  readonly declared: Properties;
  /** Its former inputs. */
  readonly last: Properties | undefined;
  readonly name: string | undefined;
  readonly urn: string;
}

/** What the other resources of the program and of the state declare. */
function declaredElsewhere(
  { declarations, definition, inState }: KindContext,
  { declared, last, name, urn }: Declaring,
): Checked {
  const identitiesOf = (all: Properties) => [...(definition.identities?.(all) ?? [])];
  const identities = identitiesOf(declared);
  const compared = declarations.add(definition.kind, name, identities, last && identitiesOf(last));
  // The engine gives no former inputs if it was told to replace the resource, or if the resource had another name.
  if (last !== undefined) return compared;
  const isSame = (state: Properties) => identitiesOf(state).some((one) => identities.includes(one));
  const holder = [...inState].find(([, state]) => isSame(state))?.[0];
  const replacesItself = compared.replacesItself || holder === urn;
  return { ...compared, replacesItself, heldBy: holder && nameIn(holder) };
}

/** Whether a program could declare just these properties, as it could those of every managed resource. */
export function isDeclared(definition: AnyDefinition, properties: Properties): boolean {
  const named = withName(definition, properties, definition.kind);
  return inputErrors(definition, named, undefined, unchecked).length === 0;
}
