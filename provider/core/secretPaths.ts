import type { AnyDefinition } from "./definition";
import { everywhere, type SecretPath, secretsOf, withSecrets } from "./secrecy";
import { type Properties, providerKey, secretsKey, serviceKey } from "./state";

/** What is hidden but can hold no value of an input. */
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
    /** The paths of inputs and outputs that are secret whatever the program says. */
    secrets,
    /** The inputs with the paths of those values that the engine has as secret, beside those that the program names itself. */
    alsoSecret: (inputs: Properties, paths: readonly SecretPath[]): Properties => {
      const all = [...spelled([...secretsOf(inputs), ...paths.map((path) => secretPath(path))])];
      const news = all.filter((path) => !always.has(path)).sort();
      const parsed = news.map((path): SecretPath => JSON.parse(path));
      return withSecrets(inputs, parsed);
    },
    /** The paths of what is secret in these inputs: some are whatever the program says. */
    secretInputs: (inputs: Properties): readonly SecretPath[] => {
      const byNature = secrets.filter(([name]) => fields.some((field) => field.name === name));
      return [...byNature, ...everywhere(secretsOf(inputs), follows)];
    },
    /** What of state is secret: what always is, and outputs, hidden ones too, that may hold what the program made secret (R16). */
    secretOutputs: (state: Properties): readonly SecretPath[] => {
      const paths = everywhere(secretsOf(state), follows);
      if (paths.length === 0) return secrets;
      const hidden = Object.keys(state).filter((name) => name.startsWith("__") && !plain.has(name));
      const declared = [...new Set([...paths.map(([name]) => name), ...hidden])];
      return [...secrets, ...declared.map((name) => [name] as const)];
    },
  };
}
