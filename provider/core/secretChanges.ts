import { isDeepStrictEqual } from "node:util";
import { difference } from "./comparison";
import type { AnyComparison, AnyDefinition } from "./definition";
import { secretsOf, withSecrets } from "./secrecy";
import { defined, failedKey, type Properties, providerKey } from "./state";

/** An update that changes no value, but only which values are secret, or the host. */

export function hasSameSecrets({ state, inputs }: AnyComparison): boolean {
  return isDeepStrictEqual(secretsOf(state), secretsOf(inputs));
}

/** The new state if only the list of secrets has changed, or the host: then no request is needed. */
export function stateIfOnlySecretsChange(
  definition: AnyDefinition,
  given: Properties,
  news: Properties,
  compared: AnyComparison,
): Properties | undefined {
  const isMoved = given[providerKey] === undefined && news[providerKey] !== undefined;
  if ((hasSameSecrets(compared) && !isMoved) || given[failedKey] !== undefined) return undefined;
  const isSame = difference(definition, compared).changes === false;
  return isSame ? defined(withSecrets(given, secretsOf(news))) : undefined;
}
