import {
  argumentNamespace,
  configNamespace,
  configuration,
  engineConfig,
} from "../../../provider/lifecycle/config";

type Texts = Readonly<Record<string, string>>;

/** Settings by their source. */
export interface Given {
  readonly argument?: Texts;
  readonly env?: Texts;
  readonly stack?: Texts;
}

/** The configuration that results from stack config, a Provider's arguments and the environment. */
export function resolved(given: Given) {
  const under = (namespace: string, values: Texts = {}) =>
    Object.entries(values).map(([name, value]) => [`${namespace}:${name}`, value]);
  const config: Record<string, unknown> = Object.fromEntries([
    ...under(argumentNamespace, given.argument),
    ...under(configNamespace, given.stack),
  ]);
  const found = configuration(
    engineConfig((key) => config[key]),
    given.env ?? {},
  );
  if (found.problems.length > 0) return found.problems;
  const { credentials, tokenAdvice, baseUrlSource } = found;
  return { ...credentials, advice: tokenAdvice, source: baseUrlSource };
}

/** What is wrong with the configuration; nothing if it is complete. */
export function problemsOf(given: Given): readonly string[] {
  const found = resolved(given);
  return Array.isArray(found) ? found : [];
}
