import type { WorkspaceRecord } from "../../client/service";
import { type Settled, stateAfter } from "../../core/converge";
import { hiddenIn, nonEmpty, observedKey, type Properties, pick, same } from "../../core/state";
import {
  declaredIn,
  observe,
  only,
  outputs,
  type Setting,
  type Settings,
  type SettingsInputs,
  type SettingsState,
  settings,
} from "./properties";

/** State after a write, and what destroy restores. */

/** A write of settings. */
export interface Change {
  readonly declared: SettingsInputs;
  /** The former values, to restore on destroy. */
  readonly remembered: Settings;
  /** The state before; of a create, only the outputs, as they were read. */
  readonly before: SettingsState;
  /** Settings that don't change: they may stay as the service rewrote them. */
  readonly unchanged: readonly Setting[];
  /** Settings to restore, because they are no longer declared. */
  readonly toRestore: Settings;
}

/** State after a write (R1). `target`: the declared values, and the former ones to restore. */
export function written(
  { declared, remembered, before }: Change,
  target: Settings,
  settled: Settled<WorkspaceRecord>,
): SettingsState {
  const { record, unseen } = settled;
  // A setting that did not go back to what it was stays in state, so that the next update tries again.
  const notApplied = settled.notApplied.filter(({ field }) => field in target);
  const open = settings.filter(({ name }) => notApplied.some(({ field }) => field === name));
  const state = stateAfter(settings, declared, { ...settled, notApplied }, observe);
  const managed = declaredIn(state);
  const last = managedIn(before)
    .filter((field) => open.includes(field))
    .map(({ name }) => [name, lastWritten(before, name) ?? ""]);
  const observed = state[observedKey];
  return {
    ...outputs(record),
    // Previews show them as unchanged: only a refresh reads them again (R18).
    ...pick(before, ["name", "teamId"]),
    ...state,
    [observedKey]: observed && nonEmpty(only(managed, observed)),
    __before: nonEmpty(only(managed, remembered)),
    ...(unseen && { __sent: nonEmpty(only(open, target)), __last: nonEmpty(Object.fromEntries(last)) }),
  };
}

/** The settings that this stack manages, also one that the last read did not show, or whose write had an unknown result. */
export function managedIn(state: SettingsState): readonly Setting[] {
  const hidden = { ...state.__last, ...state.__sent };
  return settings.filter(({ name }) => state[name] !== undefined || name in hidden);
}

/** The value of a setting after the last write. */
export function lastWritten(state: SettingsState, name: Setting["name"]): unknown {
  const { __last: last = {} } = state;
  if (name in last) return last[name];
  const observed = hiddenIn(state as Properties, observedKey);
  return name in observed ? observed[name] : state[name];
}

/** The settings that this stack has changed, or may have: they had another value before. */
export function replaced(state: SettingsState): readonly Setting[] {
  const { __before: before = {}, __sent: sent = {} } = state;
  return managedIn(state).filter((field) => {
    const { name } = field;
    const ours = name in sent ? sent[name] : lastWritten(state, name);
    return name in before && !same(field, before[name], ours);
  });
}

/** The values to restore: of settings that had one before, and that were not changed since (W5). */
export function restorable(
  state: SettingsState,
  fields: readonly Setting[],
  record: WorkspaceRecord,
): Settings {
  const observed = observe(record);
  return only(
    fields.filter((field) => isOurs(state, field, observed[field.name])),
    state.__before ?? {},
  );
}

function isOurs(state: SettingsState, field: Setting, value: unknown): boolean {
  const { __sent: sent = {} } = state;
  if (field.name in sent && same(field, sent[field.name], value)) return true;
  return same(field, lastWritten(state, field.name), value);
}

/** The settings whose last write had another value, or an unknown result: a read that shows the target value may be older. */
export function doubtful(state: SettingsState, target: Settings): readonly Setting[] {
  const { __sent: sent = {} } = state;
  return managedIn(state).filter(
    (field) => field.name in sent || !same(field, lastWritten(state, field.name), target[field.name]),
  );
}
