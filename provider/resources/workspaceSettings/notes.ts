import type { Comparison } from "../../core/definition";
import { same } from "../../core/state";
import { declaredIn, type Shape } from "./properties";
import { lastWritten } from "./state";
import { sayingOf } from "./writing";

/** What becomes of settings that are no longer declared: the engine shows them as removed, which the service can't do. */
export function updateNote({ state, inputs }: Comparison<Shape>): string | undefined {
  const { __before: before = {}, workspaceId } = state;
  const managed = declaredIn(inputs);
  const say = sayingOf([state]);
  const dropped = declaredIn(state).filter((field) => !managed.includes(field));
  if (dropped.length === 0) return undefined;
  const isRestored = (field: (typeof dropped)[number]) =>
    inputs.onDestroy === "restore" &&
    field.name in before &&
    !same(field, before[field.name], lastWritten(state, field.name));
  const left = dropped.filter((field) => !isRestored(field)).map(({ name }) => name);
  const back = dropped.filter(isRestored).map(({ name }) => `${name} (before: ${say(name, before[name])})`);
  const parts = [
    ...(left.length === 0 ? [] : [`left as they are: ${left.join(", ")}`]),
    ...(back.length === 0 ? [] : [`restored if unchanged since the last update: ${back.join(", ")}`]),
  ];
  return `Settings of workspace ${workspaceId} that are no longer declared: ${parts.join("; ")}.`;
}
