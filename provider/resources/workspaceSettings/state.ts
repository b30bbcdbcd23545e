import type { WorkspaceRecord } from "../../client/responses";
import type { SecretPath } from "../../core/secrecy";
import {
  hiddenIn,
  type ManagedField,
  nonEmpty,
  observedKey,
  type Properties,
  rewritten,
  same,
} from "../../core/state";
import { declaredIn, observe, type SettledSettings, settings } from "./convergence";

/** Projections of a workspace's settings: declared and seen → state, and what of it goes back on destroy. */

/** What the managed settings were before this stack managed them; what had no value then is not in it. */
const beforeKey = "__before";
/** What settings were sent of which nothing was seen since: they may hold it. */
const sentKey = "__sent";
/** What settings held after our last write, of those that were changed since, or may have been. */
export const lastKey = "__last";

export function follows(path: SecretPath): readonly SecretPath[] {
  return [observedKey, beforeKey, sentKey, lastKey].map((hidden) => [hidden, ...path]);
}

export function before(state: Properties): Properties {
  return hiddenIn(state, beforeKey);
}

export function only(names: readonly { readonly name: string }[], properties: Properties): Properties {
  return Object.fromEntries(
    names.flatMap(({ name }) => (name in properties ? [[name, properties[name]]] : [])),
  );
}

/** State after a write: what was declared or, where the service did not make it so, what it has. */
export function written(
  declared: Properties,
  target: Properties,
  { record, unmet, unseen }: SettledSettings,
  remembered: Properties,
  held: Properties = {},
): Properties {
  const observed = observe(record);
  // A setting that did not go back to what it was stays in state, so that the next up tries again.
  const open = unmet.map(({ field }) => ({ name: field })).filter(({ name }) => name in target);
  const truth = Object.fromEntries(open.map(({ name }) => [name, observed[name] ?? ""]));
  const last = open.filter(({ name }) => name in held).map(({ name }) => [name, ours(held, name) ?? ""]);
  const state = { ...declared, ...truth };
  return {
    name: record.name,
    teamId: record.teamId,
    ...state,
    [beforeKey]: nonEmpty(only(declaredIn(state), remembered)),
    ...(unseen && { [sentKey]: nonEmpty(only(open, target)), [lastKey]: nonEmpty(Object.fromEntries(last)) }),
    [observedKey]: rewritten(declaredIn(state), state, observed),
  };
}

/** What a setting held after our last write. */
export function ours(state: Properties, name: string): unknown {
  const last = hiddenIn(state, lastKey);
  if (name in last) return last[name];
  const observed = hiddenIn(state, observedKey);
  return name in observed ? observed[name] : state[name];
}

/** The values to put back: of settings that had one before, and that nobody changed since (W5). */
export function restorable(
  state: Properties,
  fields: readonly { readonly name: string }[],
  record: WorkspaceRecord,
): Properties {
  const observed = observe(record);
  const untouched = settings.filter(
    (field) => fields.some(({ name }) => name === field.name) && isOurs(state, field, observed[field.name]),
  );
  return only(untouched, before(state));
}

function isOurs(state: Properties, field: ManagedField, value: unknown): boolean {
  const sent = hiddenIn(state, sentKey);
  if (field.name in sent && same(field, sent[field.name], value)) return true;
  return same(field, ours(state, field.name), value);
}
