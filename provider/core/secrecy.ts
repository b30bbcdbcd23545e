/** Which values of a resource the program made secret (R16): inputs and state list their paths in `__secrets`. */
import { mask } from "../client/words";
import { isRecord, type Properties, secretsKey, specialKey } from "./state";

/** The names that lead to a value; "*" stands for any. */
export type SecretPath = readonly [string, ...string[]];

/** The paths of the inputs that the program made secret. */
export function secretsOf(properties: Properties): readonly SecretPath[] {
  const listed = properties[secretsKey];
  return Array.isArray(listed) ? listed.filter(isPath) : [];
}

function isPath(value: unknown): value is SecretPath {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string");
}

/** The properties with this list of paths. An empty list is left out. */
export function withSecrets(properties: Properties, paths: readonly SecretPath[]): Properties {
  return { ...properties, [secretsKey]: paths.length > 0 ? paths : undefined };
}

/** Whether a field's value, or a part of it, is secret. Messages then leave it out. */
export function isSecret(properties: Properties, field: string): boolean {
  return secretsOf(properties).some(([name]) => name === field);
}

/** A field's value in the words of a message. */
export function shown(properties: Properties, field: string, words: string): string {
  return isSecret(properties, field) ? mask : words;
}

/** The values at a path in properties that may be of any shape. */
export function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null) return [];
  const next = name === "*" ? Object.values(value) : [(value as Properties)[name]];
  return next.flatMap((one) => valuesAt(one, rest));
}

/**
 * The values that any of these properties, all of one resource, list as secret, and all others of the same names: hidden
 * properties have what the service made of them.
 */
export function secretValues(all: readonly Properties[]): readonly unknown[] {
  const paths = all.flatMap(secretsOf);
  if (paths.length === 0) return [];
  const names = new Set(paths.map((path) => path.at(-1)));
  const named = (value: unknown): readonly unknown[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => (names.has(name) ? [inner] : named(inner)))
      : [];
  return all.flatMap((properties) => [
    ...paths.flatMap((path) => valuesAt(properties, path)),
    ...named(properties),
  ]);
}

/** All strings and numbers in a value, as strings. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** How a secret is marked on Pulumi's wire. Source: Pulumi's provider protocol. */
const mark = { [specialKey]: "1b47061264138c4ac30d75fd1eb44270" };

export function isMarked(value: unknown): value is { readonly value: unknown } {
  return isRecord(value) && value[specialKey] === mark[specialKey];
}

/** The properties with the values at these paths marked as secret. Nothing within a marked value is marked again. */
export function markedAt(properties: Properties, paths: readonly SecretPath[]): Properties {
  const tree = (value: unknown, below: readonly (readonly string[])[]): unknown => {
    if (below.some(({ length }) => length === 0)) return value === null ? value : { ...mark, value };
    // Most entries of a set have nothing to mark, so they are not copied.
    if (!isRecord(value) || !below.some(([first = ""]) => first === "*" || Object.hasOwn(value, first)))
      return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const leading = below.filter(([first]) => first === "*" || first === name);
        const deeper = leading.map(([, ...rest]) => rest);
        return [name, tree(inner, deeper)];
      }),
    );
  };
  return tree(properties, paths) as Properties;
}
