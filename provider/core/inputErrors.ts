import type * as z from "zod/mini";
import type { Checked } from "./declarations";
import type { AnyDefinition } from "./definition";
import { type Properties, providerKey, secretsKey } from "./state";
import { inBounds, oneLine } from "./text";
import { isUnknown } from "./unknown";

/**
 * All errors in the inputs, a line each: the field's path, what is wrong, what to write instead. Values are not quoted,
 * because any may be secret. Unknown values pass.
 */
export function inputErrors(
  { schema, rules }: Pick<AnyDefinition, "schema" | "rules">,
  inputs: Properties,
  before: Properties | undefined,
  checked: Checked,
): readonly string[] {
  const declared = present(inputs);
  const issues = schema.safeParse(declared, { error: textOf }).error?.issues ?? [];
  const found = [
    ...issues.filter(({ path }) => !isUnknownAt(declared, path)).flatMap(lines),
    ...rules(declared, before, checked),
  ];
  const shown = found.slice(0, mostShown).map((line) => inBounds(oneLine(line)));
  const others = (found.length - shown.length).toLocaleString("en");
  return found.length > mostShown ? [...shown, `${others} more inputs have errors.`] : shown;
}

/** A missing column in a file could otherwise give a line for each of a thousand keys. */
const mostShown = 20;

/** What is wrong with a value whose schema has no message of its own. */
function textOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "unrecognized_keys": {
      const { shape = {} } = (issue.inst as Partial<z.ZodMiniObject> | undefined)?._zod?.def ?? {};
      return `no such property; the properties are ${Object.keys(shape).join(", ")}`;
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

/** What the program declares: null means absent. */
function present(inputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(inputs).filter(
      ([name, value]) => !addedByClasses.has(name) && value !== null && value !== undefined,
    ),
  );
}

/** Whether the value at the path is unknown, or a part of one. */
function isUnknownAt(inputs: unknown, path: readonly PropertyKey[]): boolean {
  let value = inputs;
  for (const step of path) {
    if (isUnknown(value) || typeof value !== "object" || value === null) break;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return isUnknown(value);
}

function lines(issue: z.core.$ZodIssue): readonly string[] {
  const paths =
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => `${spelled(path)}: ${issue.message}.`);
}

/** A path as in a program: `scopes[0].read`, `keys["a b"]`. */
export function spelled(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const name = oneLine(String(step));
    if (text === "") return name;
    return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)
      ? `${text}.${name}`
      : `${text}[${JSON.stringify(name)}]`;
  }, "");
}
