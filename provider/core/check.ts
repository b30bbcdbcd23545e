import { closest, distance } from "fastest-levenshtein";
import type * as z from "zod";
import type { Checked } from "./declarations";
import type { AnyDefinition } from "./definition";
import { inBounds, oneLine, sentences } from "./errors";
import type { Field } from "./fields";
import { type Properties, providerKey, secretsKey } from "./state";
import { isUnknown } from "./unknown";

/**
 * All errors in the inputs, a line each: the field's path, what is wrong, what to write instead.
 * Values are not quoted, because any of them may be a secret. Unknown values pass.
 */
export function failures(
  { schema, fields, rules }: Pick<AnyDefinition, "schema" | "fields" | "rules">,
  inputs: Properties,
  before: Properties | undefined,
  checked: Checked,
): readonly string[] {
  const declared = present(inputs);
  const parsed = schema.safeParse(declared, { reportInput: false });
  const issues = parsed.success ? [] : parsed.error.issues;
  const found = [
    ...issues.filter((issue) => !passes(declared, issue.path)).flatMap((issue) => lines(issue, fields)),
    ...rules(declared, before, checked),
  ];
  return firstOf(found).map((line) => inBounds(oneLine(line)));
}

/** How many lines are shown at most: a missing column in a file would be one line for each of a thousand keys. */
const mostTold = 20;

/** The first of many lines and a count, with one of each kind before any kind's second. */
function firstOf(found: readonly string[]): readonly string[] {
  if (found.length <= mostTold) return found;
  const kinds = Map.groupBy(found, (line) => line.replace(member, ""));
  const ordered = [...kinds.values()].flatMap(([first]) => first ?? []);
  const told = [...new Set([...ordered, ...found])].slice(0, mostTold);
  return [...told, `${(found.length - told.length).toLocaleString("en")} more inputs have errors.`];
}

/** The second step of a path, such as an alias, or a place in a list. */
const member = /^\w+(?:\.[^.:[\s]+|\[(?:\d+|"(?:[^"\\]|\\.)*")\])/;

const ours: ReadonlySet<string> = new Set([providerKey, secretsKey]);

/** An input that is null is absent; what the engine or our own classes add is no input of the program. */
function present(inputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(inputs).filter(
      ([name, value]) => !ours.has(name) && value !== null && value !== undefined,
    ),
  );
}

/** Whether the value at the path, or above it, is unknown. */
function passes(inputs: unknown, path: readonly PropertyKey[]): boolean {
  let value = inputs;
  for (const step of path) {
    if (isUnknown(value) || typeof value !== "object" || value === null) break;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return isUnknown(value);
}

function lines(issue: z.core.$ZodIssue, fields: readonly Field[]): readonly string[] {
  const at = spelled(issue.path);
  if (issue.code !== "unrecognized_keys") return [`${at}: ${issue.message}.`];
  const field = fields.find(({ name }) => name === issue.path[0]);
  const known =
    issue.path.length === 0 ? fields.map(({ name }) => name) : (field?.names?.(issue.path.slice(1)) ?? []);
  return issue.keys.map((key) =>
    sentences(`${spelled([...issue.path, key])}: no such property${nearest(key, known)}`),
  );
}

function nearest(key: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const name = closest(key.toLowerCase(), known as string[]);
  const [written, meant] = [key.toLowerCase(), name.toLowerCase()];
  const near = written.startsWith(meant) || distance(written, meant) <= Math.max(2, name.length / 2);
  return near ? `; did you mean ${name}?` : `; the properties are ${known.join(", ")}`;
}

/** A path as a program spells it: `scopes[0].read`, `keys["a b"]`. */
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
