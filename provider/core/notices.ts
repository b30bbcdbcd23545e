import { maskSecrets } from "../client/secrets";
import type { KindContext } from "./context";
import type { AnyComparison } from "./definition";
import { due, type Expiring, expiryWarning } from "./expiry";
import { secretValues, textsIn, valuesAt } from "./secrecy";
import type { Properties } from "./state";
import { inBounds, oneLine } from "./text";

/** Notes and warnings that `check` and `diff` show. */

/** Shows a line about what an update would do, if there is one. */
export function note(context: KindContext, text: string | undefined, ...all: readonly Properties[]): void {
  const { note: show = context.host.tell } = context.host;
  if (text !== undefined) show?.(lineOf(context, text, ...all));
}

/** Warns of keys that have expired or soon will, once for each key. */
export function warnOfExpiry(context: KindContext, compared: AnyComparison): void {
  const { definition, host, warned } = context;
  const { state, inputs, now } = compared;
  const found = host.configuration();
  if ("problems" in found || found.expiry === undefined || definition.expiries === undefined) return;
  const { of, keys } = definition.expiries(compared);
  const nameOf = ({ id }: Expiring) => JSON.stringify([state["workspaceId"], id]);
  const unsaid = due(keys, found.expiry, now).filter((key) => !warned.has(nameOf(key)));
  if (unsaid.length === 0) return;
  for (const key of unsaid) warned.add(nameOf(key));
  host.warn(lineOf(context, expiryWarning(of, unsaid, now), state, inputs));
}

/** A line with the text, without the secrets of these properties. */
function lineOf({ definition, paths }: KindContext, text: string, ...all: readonly Properties[]): string {
  const always = all.flatMap((one) => paths.secrets.flatMap((path) => valuesAt(one, path)));
  const hidden = textsIn([...always, ...secretValues(all, definition.follows)]);
  return inBounds(maskSecrets(oneLine(text), hidden));
}
