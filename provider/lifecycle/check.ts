/** Checks the inputs of the program. */
import type * as z from "zod/mini";
import type { AnyDefinition } from "../core/definition";
import { Failure } from "../core/errors";
import { isUnknown } from "../core/fields";
import { defined, type Properties, providerKey, secretsKey } from "../core/state";
import { numeral, spelled } from "../core/text";
import { type KindContext, note } from "./context";
import { canonical, withName } from "./planning";

export interface CheckResult {
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/** What a host knows besides the inputs. */
export interface Known {
  readonly urn?: string;
  /** The name that stack config makes, or "" if the program must declare one. */
  readonly proposed?: string | undefined;
  /** The resource's state, if the host sees it in check. */
  readonly state?: Properties | undefined;
  /** Whether this is a preview, if the host never sees state in check. */
  readonly isPreview?: boolean | undefined;
}

/** Returns the inputs in canonical form, or what is wrong with them. Sends no request (R12). */
export function check(
  context: KindContext,
  inputs: Properties,
  before: Properties | undefined,
  name?: string,
  { urn = "", proposed, state, isPreview }: Known = {},
): CheckResult {
  const { definition, host, inState } = context;
  const named = withName(definition, inputs, before, name, proposed);
  const time = host.now();
  const held = state && definition.parse(state);
  const declared = definition.announce(canonical(definition, named), {
    before: held ? definition.inputsOf(held) : before && canonical(definition, before),
    state: held,
    time,
    isPreview,
  });
  const found = [
    ...inputErrors(definition, named, before ?? inState.get(urn)).map(wrongInput),
    ...conflicts(context, declared, before === undefined, name),
  ];
  const others = found.length - mostShown;
  const failures = [
    ...host.configuration().problems.map((problem) => new Failure("configuration", problem)),
    ...found.slice(0, mostShown),
    ...(others > 0 ? [wrongInput(`${numeral(others)} more inputs have errors.`)] : []),
  ].map(({ message }) => message);
  // A resource that is in state already gets its notes from diff.
  if (before === undefined && failures.length === 0)
    note(context, name, definition.plan({ inputs: declared, time }).note, declared);
  return { inputs: defined(declared), failures };
}

/** A missing column in a file could otherwise give a line for each of a thousand keys. */
const mostShown = 20;

const wrongInput = (line: string) => new Failure("wrongInput", line);

/** Fails what another resource of the program declares too, or what state has already. */
function conflicts(
  { declarations, definition, inState }: KindContext,
  declared: Properties,
  isNew: boolean,
  name: string | undefined,
): readonly Failure[] {
  const own = definition.identities(declared);
  const identities = own.map(({ identity }) => identity);
  const twinOf = declarations.add(definition.kind, name, identities, isNew);
  // The engine gives no former inputs if it was told to replace the resource, or if the resource had another name.
  const all = isNew ? [...inState] : [];
  return own.flatMap(({ identity, twice, held }) => {
    const twin = twinOf(identity);
    const isSame = (state: Properties) =>
      definition.identities(state).some((one) => one.identity === identity);
    const holder = all.find(([, state]) => isSame(state))?.[0];
    return [
      ...(twin === undefined ? [] : [new Failure("twoOwners", twice(twin))]),
      ...(holder === undefined || held === undefined ? [] : [held(holder)]),
    ];
  });
}

// ---- What is wrong with inputs -------------------------------------------------------------------------------------

/**
 * All errors in the inputs: the field's path, what is wrong, what to write instead. Values are not quoted,
 * because any may be secret. Unknown values pass.
 */
function inputErrors(
  { schema, rules }: AnyDefinition,
  inputs: Properties,
  before: Properties | undefined,
): readonly string[] {
  const declared = present(inputs);
  const issues = schema.safeParse(declared, { error: textOf }).error?.issues ?? [];
  return [
    ...issues.filter(({ path }) => !isUnknownAt(declared, path)).flatMap(lines),
    ...rules(declared, before),
  ];
}

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

/** The inputs that the program declares, without what the classes add: null means absent. */
function present(inputs: Properties): Properties {
  const { [providerKey]: _provider, [secretsKey]: _secrets, ...declared } = inputs;
  return Object.fromEntries(Object.entries(declared).filter(([, value]) => value != null));
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
