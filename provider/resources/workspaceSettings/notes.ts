import type { Comparison } from "../../core/definition";
import { isUnknown } from "../../core/unknown";
import { declaredIn, type Setting, type SettingsState, type Shape } from "./properties";
import { managedIn, replaced } from "./state";
import { sayingOf } from "./writing";

/** What becomes of settings that are no longer declared: the engine shows them as removed, which the service can't do. */
export function updateNote({ state, inputs }: Comparison<Shape>): string | undefined {
  const managed = declaredIn(inputs);
  const dropped = managedIn(state).filter((field) => !managed.includes(field));
  if (dropped.length === 0) return undefined;
  const outcomes = outcomesOf(state, dropped, inputs.onDestroy, "if unchanged since the last update");
  return `Settings of workspace ${state.workspaceId} that are no longer declared: ${outcomes}.`;
}

/** The same for all settings of a workspace that the resource leaves for another one. */
export function replaceNote({ state, inputs }: Comparison<Shape>): string {
  const left = isUnknown(inputs.workspaceId)
    ? "no longer managed if workspaceId changes"
    : "no longer managed";
  const condition = "if unchanged since the last update, unless another resource declares the workspace";
  const outcomes = outcomesOf(state, managedIn(state), state.onDestroy, condition);
  return `Settings of workspace ${state.workspaceId} that are ${left}: ${outcomes}.`;
}

function outcomesOf(
  state: SettingsState,
  fields: readonly Setting[],
  onDestroy: unknown,
  condition: string,
): string {
  const { __before: before = {} } = state;
  const say = sayingOf([state]);
  const restored = onDestroy === "restore" ? replaced(state) : [];
  const left = fields.filter((field) => !restored.includes(field)).map(({ name }) => name);
  const back = fields
    .filter((field) => restored.includes(field))
    .map(({ name }) => `${name} (before: ${say(name, before[name])})`);
  return [
    ...(left.length === 0 ? [] : [`left as they are: ${left.join(", ")}`]),
    ...(back.length === 0 ? [] : [`restored ${condition}: ${back.join(", ")}`]),
  ].join("; ");
}
