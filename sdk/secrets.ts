import * as pulumi from "@pulumi/pulumi";

/** The property names that lead to a value; "*" matches any name. */
type Path = readonly string[];

/** What is secret apart from values in the inputs. */
interface Others {
  /** The outputs that the resource option additionalSecretOutputs names. */
  readonly outputs: readonly string[];
  /** Dotted paths that are always secret; the provider knows them already. */
  readonly always: readonly string[];
}

/**
 * The paths of the values that a program made secret in a resource's inputs, always in the same order; `undefined` if
 * there are none. The provider gets plain values, so it learns only from these paths what is secret. A list is secret
 * as a whole, and so is the value of an Output. A field of one of a set's keys is secret in all keys, so that the list
 * of paths stays short.
 */
export function secretPaths(inputs: object, { outputs, always }: Others): pulumi.Input<Path[] | undefined> {
  const known = new Set(always);
  const isNew = (path: Path) => !known.has(inEachKey(path).join("."));
  const named = outputs.map((output): Path => [output]).filter(isNew);
  const findings = pathsIn(inputs, [], isNew);
  if (findings.length === 0 && named.length === 0) return undefined;
  return Promise.all(findings).then((found) => {
    const paths = [...found.flat(), ...named].map((path) => JSON.stringify(inEachKey(path)));
    const sorted = [...new Set(paths)].sort();
    return sorted.length === 0 ? undefined : sorted.map((path): Path => JSON.parse(path));
  });
}

function inEachKey(path: Path): Path {
  const [name, alias, ...rest] = path;
  return name === "keys" && alias !== undefined ? [name, "*", ...rest] : path;
}

type Finding = Promise<readonly Path[]>;

/** The places in a value that may be secret. Each resolves to its paths, or to none if it is not secret. */
function pathsIn(value: unknown, path: Path, isNew: (path: Path) => boolean): readonly Finding[] {
  if (typeof value !== "object" || value === null || pulumi.Resource.isInstance(value)) return [];
  if (!isNew(path)) return [];
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return [isSecret(value).then((secret) => (secret ? [path] : []))];
  }
  if (!Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name], isNew));
  }
  const inner = value.flatMap((entry) => pathsIn(entry, path, isNew));
  return inner.length === 0
    ? []
    : [Promise.all(inner).then((found) => (found.flat().length > 0 ? [path] : []))];
}

/** An input that fails reports its own error elsewhere. */
async function isSecret(value: pulumi.Output<unknown> | Promise<unknown>): Promise<boolean> {
  try {
    return await pulumi.isSecret(pulumi.Output.isInstance(value) ? value : pulumi.output(value));
  } catch {
    return false;
  }
}
