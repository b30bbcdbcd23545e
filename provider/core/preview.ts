import { compare } from "./comparison";
import type { KindContext } from "./context";
import { canonical } from "./inputs";
import { stateIfOnlySecretsChange } from "./secretChanges";
import { defined, type Kept, type Properties, serviceKey } from "./state";
import { unknown } from "./unknown";

/** What state will hold after a create, or an update of this state, as far as that is known: the rest is unknown. */
export function preview(context: KindContext, news: Properties, before?: Kept): Properties {
  const { definition } = context;
  if (before === undefined) {
    const inputs = canonical(definition, news);
    return previewed(context, inputs, {}, definition.previewCreate?.(inputs));
  }
  const compared = compare(context, before, news);
  const { inputs, state } = compared;
  return (
    stateIfOnlySecretsChange(definition, before.state, news, compared) ??
    previewed(context, inputs, state, definition.previewUpdate?.(compared))
  );
}

function previewed(
  { definition: { outputs }, services }: KindContext,
  inputs: Properties,
  state: Properties,
  known: Properties | undefined,
): Properties {
  const all = Object.entries(outputs).map(([name, { stable }]) => [
    name,
    inputs[name] ?? (stable ? state[name] : undefined) ?? unknown,
  ]);
  return defined({ ...inputs, ...Object.fromEntries(all), ...known, [serviceKey]: services()[0] });
}
