import type { AnyDefinition } from "./definition";
import { everywhere, type SecretPath, secretsOf, withSecrets } from "./secrecy";
import { type Properties, providerKey, secretsKey, serviceKey } from "./state";

/** Which properties of a resource the engine is to keep as secret. */

/** The paths of inputs and outputs that are secret whatever the program says. */
export function secretPaths({ fields, outputs }: AnyDefinition): readonly SecretPath[] {
  const ofInputs = fields.flatMap(({ name, secret }): SecretPath[] =>
    secret === undefined ? [] : [[name, ...(secret === true ? [] : secret)]],
  );
  const ofOutputs = Object.entries(outputs).flatMap(([name, { secret }]): SecretPath[] =>
    secret ? [[name]] : [],
  );
  return [...ofInputs, ...ofOutputs];
}

/** The inputs with the paths of those values that the engine has as secret, beside those that the program names itself. */
export function withSecretPaths(
  { secretPath = (path) => path }: AnyDefinition,
  always: readonly SecretPath[],
  inputs: Properties,
  paths: readonly SecretPath[],
): Properties {
  const spelled = (all: readonly SecretPath[]) => new Set(all.map((path) => JSON.stringify(path)));
  const known = spelled(always);
  const news = [...spelled([...secretsOf(inputs), ...paths.map((path) => secretPath(path))])];
  const sorted = news.filter((path) => !known.has(path)).sort();
  return withSecrets(
    inputs,
    sorted.map((path) => JSON.parse(path)),
  );
}

/** The paths of what is secret in these inputs: some are whatever the program says. */
export function secretInputs(
  { fields, follows }: AnyDefinition,
  always: readonly SecretPath[],
  inputs: Properties,
): readonly SecretPath[] {
  const ofInputs = always.filter(([name]) => fields.some((field) => field.name === name));
  return [...ofInputs, ...everywhere(secretsOf(inputs), follows)];
}

/** What is hidden but can hold no value of an input. */
const plain: ReadonlySet<string> = new Set([providerKey, secretsKey, serviceKey]);

/** Those outputs, hidden ones too, that may hold a value which the program made secret (R16). */
export function secretOutputs({ follows }: AnyDefinition, state: Properties): readonly SecretPath[] {
  const paths = everywhere(secretsOf(state), follows);
  if (paths.length === 0) return [];
  const hidden = Object.keys(state).filter((name) => name.startsWith("__") && !plain.has(name));
  return [...new Set([...paths.map(([name]) => name), ...hidden])].map((name) => [name]);
}
