/** Checks the inputs of the program. */
import type * as z from "zod/mini";
import type { AnyDefinition } from "../core/definition";
import { Failure } from "../core/errors";
import { isUnknown } from "../core/fields";
import type { Checked } from "../core/registry";
import { defined, type Properties, providerKey, secretsKey } from "../core/state";
import { numeral, spelled } from "../core/text";
import { type KindContext, note } from "./context";
import { canonical, withName } from "./planning";

export interface CheckResult {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/**
 * Returns the inputs in canonical form, or what is wrong with them. Sends no request (R12). `proposed`: the name that stack
 * config makes for what the program leaves unnamed, or "" if the program must name it. It may be another one at each check.
 */
export function check(
  context: KindContext,
  inputs: Properties,
  before: Properties | undefined,
  name?: string,
  urn = "",
  proposed?: string,
): CheckResult {
  const { definition, host, inState } = context;
  const named = withName(definition, inputs, { name, proposed, before });
  const declared = canonical(definition, named);
  const elsewhere = declaredElsewhere(context, declared, before === undefined, name);
  const failures = [
    ...host.configuration().problems.map((problem) => new Failure("configuration", problem)),
    ...inputErrors(definition, named, before ?? inState.get(urn), elsewhere),
  ].map(({ message }) => message);
  // A resource that is in state already gets its notes from diff.
  if (before === undefined && failures.length === 0)
    note(context, definition.plan({ inputs: declared, time: host.now() }).note, declared);
  return { inputs: defined(declared), failures };
}

/** The declarations of the other resources of the program and of the state. */
function declaredElsewhere(
  { declarations, definition, inState }: KindContext,
  declared: Properties,
  isNew: boolean,
  name: string | undefined,
): Checked {
  const identitiesOf = (all: Properties) => definition.identities(all).map(({ identity }) => identity);
  const identities = identitiesOf(declared);
  const checked = declarations.add(definition.kind, name, identities, isNew);
  // The engine gives no former inputs if it was told to replace the resource, or if the resource had another name.
  if (!isNew) return checked;
  const isSame = (state: Properties) => identitiesOf(state).some((one) => identities.includes(one));
  return { ...checked, heldBy: [...inState].find(([, state]) => isSame(state))?.[0] };
}

// ---- What is wrong with inputs -------------------------------------------------------------------------------------

/**
 * All errors in the inputs: the field's path, what is wrong, what to write instead. Values are not quoted,
 * because any may be secret. Unknown values pass.
 */
function inputErrors(
  { schema, rules, identities }: AnyDefinition,
  inputs: Properties,
  before: Properties | undefined,
  checked: Checked,
): readonly Failure[] {
  const declared = present(inputs);
  const issues = schema.safeParse(declared, { error: textOf }).error?.issues ?? [];
  const found = [
    ...issues.filter(({ path }) => !isUnknownAt(declared, path)).flatMap(lines),
    ...rules(declared, before, checked),
    ...identities(declared).flatMap(({ identity, twice }) => {
      const other = checked.twinOf(identity);
      return other === undefined ? [] : [new Failure("twoOwners", twice(other))];
    }),
  ];
  const others = numeral(found.length - mostShown);
  const rest = found.length > mostShown ? [`${others} more inputs have errors.`] : [];
  return [...found.slice(0, mostShown), ...rest].map((one) =>
    one instanceof Failure ? one : new Failure("wrongInput", one),
  );
}

/** A missing column in a file could otherwise give a line for each of a thousand keys. */
const mostShown = 20;

/** The error of a value whose schema has no message of its own. */
function textOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "unrecognized_keys": {
      const { shape = {} } = (issue.inst as Partial<z.ZodMiniObject> | undefined)?._zod?.def ?? {};
      return `no such property. The properties are ${Object.keys(shape).join(", ")}`;
    }
    case "invalid_type":
      return issue.input === undefined
        ? "is missing"
        : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      return "must not be empty";
    default:
      return "must be plain JSON: NaN and Infinity can't be sent";
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "a map",
};

const addedByClasses: ReadonlySet<string> = new Set([providerKey, secretsKey]);

/** The inputs that the program declares: null means absent. */
function present(inputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(inputs).filter(
      ([name, value]) => !addedByClasses.has(name) && value !== null && value !== undefined,
    ),
  );
}

/** Whether the value at the path is unknown. */
function isUnknownAt(inputs: Properties, path: readonly PropertyKey[]): boolean {
  const inner = (value: unknown, step: PropertyKey) => (value as Record<PropertyKey, unknown> | null)?.[step];
  return isUnknown(path.reduce(inner, inputs));
}

function lines(issue: z.core.$ZodIssue): readonly string[] {
  const paths =
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => `${spelled(path)}: ${issue.message}.`);
}
