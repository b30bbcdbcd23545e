import { maskSecrets } from "../client/words";
import type { KindContext } from "./context";
import { secretValues, textsIn, valuesAt } from "./secrecy";
import type { Properties } from "./state";
import { inBounds, oneLine } from "./text";

/** Notes that `check` and `diff` show. */

/** Shows a line about what an update would do, if there is one. */
export function note(context: KindContext, text: string | undefined, ...all: readonly Properties[]): void {
  const { note: show = context.host.tell } = context.host;
  if (text !== undefined) show?.(lineOf(context, text, ...all));
}

/** A line with the text, without the secrets of these properties. */
function lineOf({ definition, paths }: KindContext, text: string, ...all: readonly Properties[]): string {
  const always = all.flatMap((one) => paths.secrets.flatMap((path) => valuesAt(one, path)));
  const hidden = textsIn([...always, ...secretValues(all, definition.follows)]);
  return inBounds(maskSecrets(oneLine(text), hidden));
}
