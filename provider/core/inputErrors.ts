import { closest, distance } from "fastest-levenshtein";
import type * as z from "zod/mini";
import type { Checked } from "./declarations";
import type { AnyDefinition } from "./definition";
import type { Field } from "./fields";
import { type Properties, providerKey, secretsKey } from "./state";
import { inBounds, oneLine, sentences } from "./text";
import { isUnknown } from "./unknown";

/**
 * All errors in the inputs, a line each: the field's path, what is wrong, what to write instead. Values are not quoted,
 * because any may be secret. Unknown values pass.
 */
export function inputErrors(
  { schema, fields, rules }: Pick<AnyDefinition, "schema" | "fields" | "rules">,
  inputs: Properties,
  before: Properties | undefined,
  checked: Checked,
): readonly string[] {
  const declared = present(inputs);
  const parsed = schema.safeParse(declared, { reportInput: false });
  const issues = parsed.success ? [] : parsed.error.issues;
  const texts = outputsAsText(declared, []);
  // What else is wrong with such a string says nothing to the user.
  const isText = ({ path }: z.core.$ZodIssue) => texts.some((line) => line.startsWith(`${spelled(path)}: `));
  const found = [
    ...issues
      .filter((issue) => !isUnknownAt(declared, issue.path) && !isText(issue))
      .flatMap((issue) => lines(issue, fields)),
    ...rules(declared, before, checked),
    ...texts,
  ];
  return firstOf(found).map((line) => inBounds(oneLine(line)));
}

/** A missing column in a file could otherwise give a line for each of a thousand keys. */
const mostShown = 20;

/** The first lines and a count. One of each kind comes before a second of any kind. */
function firstOf(found: readonly string[]): readonly string[] {
  if (found.length <= mostShown) return found;
  const kinds = Map.groupBy(found, (line) => line.replace(member, ""));
  const ordered = [...kinds.values()].flatMap(([first]) => first ?? []);
  const shown = [...new Set([...ordered, ...found])].slice(0, mostShown);
  return [...shown, `${(found.length - shown.length).toLocaleString("en")} more inputs have errors.`];
}

/** The start of a path: a name and what follows it, such as an alias or a list index. */
const member = /^\w+(?:\.[^.:[\s]+|\[(?:\d+|"(?:[^"\\]|\\.)*")\])/;

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

/** What Pulumi's SDKs make of an Output in a string: it would otherwise become a key's name or value. */
const outputAsText = /Calling \S+ on an \[?Output\b/;

function outputsAsText(value: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (typeof value === "string") {
    if (!outputAsText.test(value)) return [];
    return [`${spelled(path)}: has an Output in a string: use apply, or pulumi.interpolate in Node.js.`];
  }
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.some(([name]) => outputAsText.test(name)))
    return [`${spelled(path)}: has an Output as the name of an entry: use apply on the whole object.`];
  return entries.flatMap(([name, inner]) => outputsAsText(inner, [...path, isList ? Number(name) : name]));
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
