import type { Comparison } from "../../core/definition";
import { declaredIn, type Shape } from "./properties";
import { replaced } from "./state";
import { sayingOf } from "./writing";

/** What becomes of settings that are no longer declared: the engine shows them as removed, which the service can't do. */
export function updateNote({ state, inputs }: Comparison<Shape>): string | undefined {
  const { __before: before = {}, workspaceId } = state;
  const managed = declaredIn(inputs);
  const say = sayingOf([state]);
  const dropped = declaredIn(state).filter((field) => !managed.includes(field));
  if (dropped.length === 0) return undefined;
  const restored = inputs.onDestroy === "restore" ? replaced(state) : [];
  const left = dropped.filter((field) => !restored.includes(field)).map(({ name }) => name);
  const back = dropped
    .filter((field) => restored.includes(field))
    .map(({ name }) => `${name} (before: ${say(name, before[name])})`);
  const parts = [
    ...(left.length === 0 ? [] : [`left as they are: ${left.join(", ")}`]),
    ...(back.length === 0 ? [] : [`restored if unchanged since the last update: ${back.join(", ")}`]),
  ];
  return `Settings of workspace ${workspaceId} that are no longer declared: ${parts.join("; ")}.`;
}
