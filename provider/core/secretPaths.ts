import type { AnyDefinition } from "./definition";
import { everywhere, type SecretPath, secretsOf, withSecrets } from "./secrecy";
import { type Properties, providerKey, secretsKey, serviceKey } from "./state";

/** Hidden properties that can't contain the value of an input. */
const plain: ReadonlySet<string> = new Set([providerKey, secretsKey, serviceKey]);

export type SecretPaths = ReturnType<typeof secretPathsOf>;

/** Which properties of a resource the engine is to keep as secret. */
export function secretPathsOf(definition: AnyDefinition) {
  const { fields, follows, outputs, secretPath = (path) => path } = definition;
  const ofInputs = fields.flatMap(({ name, secret }): SecretPath[] =>
    secret === undefined ? [] : [[name, ...(secret === true ? [] : secret)]],
  );
  const ofOutputs = Object.keys(outputs).flatMap((name): SecretPath[] =>
    outputs[name]?.secret ? [[name]] : [],
  );
  const secrets = [...ofInputs, ...ofOutputs];
  const spelled = (all: readonly SecretPath[]) => new Set(all.map((path) => JSON.stringify(path)));
  const always = spelled(secrets);
  return {
    /** The inputs and outputs that are always secret. */
    secrets,
    /** The inputs with a list of what else is secret: by their own list, and by these paths, which the engine marked. */
    alsoSecret: (inputs: Properties, paths: readonly SecretPath[]): Properties => {
      const all = [...spelled([...secretsOf(inputs), ...paths.map((path) => secretPath(path))])];
      const others = all.filter((path) => !always.has(path)).sort();
      const parsed = others.map((path): SecretPath => JSON.parse(path));
      return withSecrets(inputs, parsed);
    },
    /** What is secret in these inputs. */
    secretInputs: (inputs: Properties): readonly SecretPath[] => [
      ...ofInputs,
      ...everywhere(secretsOf(inputs), follows),
    ],
    /** What is secret in state: also outputs and hidden properties that may contain what the program made secret (R16). */
    secretOutputs: (state: Properties): readonly SecretPath[] => {
      const paths = everywhere(secretsOf(state), follows);
      if (paths.length === 0) return secrets;
      const hidden = Object.keys(state).filter((name) => name.startsWith("__") && !plain.has(name));
      const declared = [...new Set([...paths.map(([name]) => name), ...hidden])];
      return [...secrets, ...declared.map((name) => [name] as const)];
    },
  };
}
