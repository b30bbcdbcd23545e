/**
 * The defaults for keys of a workspace that exists already: prefix, allowed addresses, rate limit, expiration. Only
 * declared settings are managed; the others stay as they are, even if the service's PATCH replaces. Destroy leaves the
 * settings as they are or, with onDestroy "restore", restores the former values (interface, sections 2, 4.7 and 4.8).
 */
import { type EditWorkspace, editWorkspace, readWorkspace, type WorkspaceRecord } from "../../client/service";
import { mask } from "../../client/words";
import {
  type Aim,
  converge,
  failureOf,
  notAppliedWords,
  pollUntil,
  type Say,
  type Settled,
  saying,
  settledAs,
} from "../../core/converge";
import { type Comparison, define, type Outcome, type Session } from "../../core/definition";
import { type CallWords, Failure, orFail, toFailure } from "../../core/errors";
import { isUnknown } from "../../core/fields";
import type { Checked } from "../../core/registry";
import { isSecret } from "../../core/secrecy";
import { applyDrift, defined, nonEmpty, type Properties, same } from "../../core/state";
import { sentences } from "../../core/text";
import {
  type Change,
  declaredIn,
  doubtful,
  follows,
  lastWritten,
  managedIn,
  observe,
  only,
  outputs,
  replaced,
  restorable,
  type Setting,
  type Settings,
  type SettingsDraft,
  type SettingsInputs,
  type SettingsState,
  type Shape,
  sendable,
  settings,
  shape,
  written,
} from "./properties";

export const workspaceSettings = define({
  kind: "WorkspaceSettings",
  shape,
  label: () => "workspace settings",
  sends: (operation, state) => operation === "update" || state.onDestroy === "restore",
  rules,
  identities: ({ workspaceId }) =>
    workspaceId === undefined || isUnknown(workspaceId) ? [] : [JSON.stringify(workspaceId)],
  follows,
  updateNote,
  replaceNote,
  importing: { form: "workspaceId", read: find },
  create,
  ifUnsaved,
  read,
  update: (session, { id, state, inputs }) => update(session, id, state, inputs),
  delete: remove,
});

function rules(
  declared: SettingsDraft,
  _before: SettingsDraft | undefined,
  { twinOf }: Checked,
): readonly string[] {
  const found: string[] = [];
  // A setting that is wrong has a line of its own; an empty prefix is none.
  if (settings.every(({ name }) => (declared[name] ?? "") === "")) {
    found.push(`declare at least one of ${settings.map(({ name }) => name).join(", ")}.`);
  }
  const twin = twinOf(JSON.stringify(declared.workspaceId));
  if (twin !== undefined) {
    found.push(
      `workspaceId: the resource ${twin} declares the settings of the same workspace, and the two would undo each other's changes. Declare all settings of a workspace in one resource.`,
    );
  }
  return found;
}

type SettingsOutcome = Outcome<SettingsState>;

async function create(session: Session, declared: SettingsInputs): Promise<SettingsOutcome> {
  const { workspaceId } = declared;
  const doing = `Setting the defaults of workspace ${workspaceId}`;
  const record = await readOrFail(session, workspaceId, { doing, notDone: "Nothing was changed" });
  const remembered = sendable(declaredIn(declared), record);
  const change = { declared, remembered, before: outputs(record), unchanged: [], toRestore: {} };
  return apply(session, doing, change, record);
}

/** The next create would take the current values for the former ones. */
function ifUnsaved(_session: Session, declared: SettingsInputs, state?: SettingsState): string | undefined {
  const { workspaceId, onDestroy } = declared;
  const { __before: before = {} } = state ?? {};
  const changed = settings.filter(
    (field) => field.name in before && !same(field, before[field.name], declared[field.name]),
  );
  if (onDestroy !== "restore" || (state !== undefined && changed.length === 0)) return undefined;
  const values = changed.map(({ name }) => [name, isSecret(declared, name) ? mask : before[name]]);
  const former = state === undefined ? "" : `, ${JSON.stringify(Object.fromEntries(values))},`;
  return `Restore the former values of workspace ${workspaceId}${former} by hand before the next update, which would record the current ones as the originals.`;
}

async function update(
  session: Session,
  id: string,
  state: SettingsState,
  declared: SettingsInputs,
): Promise<SettingsOutcome> {
  const doing = `Updating the defaults of workspace ${id}`;
  const [managed, before] = [declaredIn(declared), managedIn(state)];
  const dropped = before.filter((field) => declared.onDestroy === "restore" && !managed.includes(field));
  const record = await readToRestore(session, id, state, dropped, { doing, notDone: "State is unchanged" });
  const toRestore = chooseToRestore(session, doing, state, dropped, record);
  const added = managed.filter((field) => !before.includes(field));
  const former = sendable(added, record);
  const remembered = { ...former, ...state.__before };
  const observed = observe(record);
  const unchanged = managed.filter(
    (field) =>
      same(field, state[field.name], declared[field.name]) &&
      same(field, lastWritten(state, field.name), observed[field.name]),
  );
  return apply(session, doing, { declared, remembered, before: state, unchanged, toRestore }, record);
}

async function apply(
  session: Session,
  doing: string,
  change: Change,
  record: WorkspaceRecord,
): Promise<SettingsOutcome> {
  const { declared, before, unchanged, toRestore } = change;
  const { workspaceId } = declared;
  const target = { ...toRestore, ...only(settings, declared) };
  const writing = {
    workspaceId,
    target,
    unchanged,
    restored: declaredIn(toRestore),
    doubted: doubtful(before, target),
    secrecies: [declared, before],
  };
  const advice = `Check that the access token is allowed to edit workspace ${workspaceId}, and that the service accepts the values: one of the two numbers must be above 0.`;
  const words = { doing, notDone: "State is unchanged", advice };
  const settled = await orFail(write(session, writing, record), session, words);
  for (const warning of settled.warnings) session.warn(`Workspace ${workspaceId}: ${warning}`);
  const isLeft = settled.notApplied.some(({ field }) => field in toRestore);
  const reason = failureOf(session, settled);
  const failure = sentences(reason && `${doing}: ${reason}`, isLeft ? leftOut : undefined);
  const outcome = { id: workspaceId, state: written(change, target, settled) };
  return failure === "" ? outcome : { ...outcome, failure };
}

const leftOut =
  'Settings that are no longer declared stay in state until their former values are restored: run `pulumi up` again, restore them by hand first, or set onDestroy to "retain"';

async function read(session: Session, id: string, state: SettingsState): Promise<SettingsOutcome> {
  const doing = `Reading the defaults of workspace ${id}`;
  const record = await readOrFail(session, id, { doing, notDone: "State is unchanged" });
  const observed = observe(record);
  const managed = managedIn(state);
  const moved = managed.filter((field) => !same(field, lastWritten(state, field.name), observed[field.name]));
  const last = Object.fromEntries(moved.map(({ name }) => [name, lastWritten(state, name) ?? ""]));
  const next = { ...applyDrift(managed, state, observed), ...defined(outputs(record)) };
  return { id, state: { ...next, __last: nonEmpty(last) } };
}

/** All settings that have a value, as if they were declared as they are. */
async function find(
  session: Session,
  [workspaceId = ""]: readonly string[],
  isGet: boolean,
): Promise<SettingsOutcome> {
  const doing = `Reading the defaults of workspace ${workspaceId}`;
  const record = await readOrFail(session, workspaceId, { doing, notDone: "Nothing was changed" });
  const values = sendable(settings, record);
  const found = { workspaceId, ...only(declaredIn(values), observe(record)), ...outputs(record) };
  if (isGet) return { id: workspaceId, state: { ...found, onDestroy: "retain" } };
  if (nonEmpty(values) !== undefined) return { id: workspaceId, state: { ...found, __before: values } };
  throw new Failure(`${doing}: it has no settings to import. Declare the settings that you want instead.`);
}

/**
 * Reads the workspace, and again for 8 seconds while it shows something else than this stack wrote to settings that
 * are to be restored: a cache or a replica may answer with what was there before, and the setting would be forgotten.
 */
function readToRestore(
  session: Session,
  id: string,
  state: SettingsState,
  fields: readonly Setting[],
  words: CallWords,
): Promise<WorkspaceRecord> {
  const ours = replaced(state).filter((field) => fields.includes(field));
  return pollUntil(session, {
    waitingFor: `workspace ${id} to show the last update`,
    look: () => readOrFail(session, id, words),
    isDone: (record) => {
      const [before, now] = [restorable(state, ours, record), observe(record)];
      return ours.every((field) => field.name in before && !same(field, before[field.name], now[field.name]));
    },
  });
}

function readOrFail(session: Session, workspaceId: string, words: CallWords): Promise<WorkspaceRecord> {
  const advice = `Check the id, and that the access token is allowed to read workspace ${workspaceId}.`;
  return orFail(readWorkspace(session.call, { workspaceId }), session, { advice, ...words });
}

const stays = "It stays in state";

async function remove(
  session: Session,
  id: string,
  state: SettingsState,
  declaredAnew: boolean,
): Promise<void> {
  if (state.onDestroy !== "restore") return;
  if (declaredAnew) return warnOfHandover(session, id, state);
  const doing = `Restoring the defaults of workspace ${id}`;
  // A token of another account gets the same answer as for a deleted workspace.
  const record = await readToRestore(session, id, state, settings, {
    doing,
    notDone: `${stays}; if the workspace itself was deleted, remove the resource from state with \`pulumi state delete\``,
    advice: `The access token is the likely cause: it may belong to another account. ${session.tokenAdvice}`,
  });
  const target = chooseToRestore(session, doing, state, managedIn(state), record);
  const [restored, doubted] = [declaredIn(target), doubtful(state, target)];
  const writing = { workspaceId: id, target, restored, doubted, secrecies: [state] };
  const advice = `Check that the access token is allowed to edit workspace ${id}, or ${byHand}`;
  const settled = await orFail(write(session, writing, record), session, { doing, notDone: stays, advice });
  const { notApplied, error } = settled;
  if (error !== undefined) throw toFailure(error, session, { doing, notDone: stays });
  if (notApplied.length === 0) return;
  throw new Failure(sentences(`${doing}: ${notAppliedWords(settled)}`, stays, again));
}

const byHand = "restore the settings by hand first; values that are already restored are not touched";
const again = `Run the command again, or ${byHand}`;

/** The values to restore. Warns of settings that can't be restored, or that were changed since. */
function chooseToRestore(
  session: Session,
  doing: string,
  state: SettingsState,
  fields: readonly Setting[],
  record: WorkspaceRecord,
): Settings {
  const { __before: before = {} } = state;
  const toRestore = restorable(state, fields, record);
  const observed = observe(record);
  const say = sayingOf([state]);
  const isDone = (field: Setting) => same(field, before[field.name], observed[field.name]);
  const left = fields
    .filter((field) => !(field.name in toRestore || isDone(field)))
    .map(({ name }) =>
      name in before
        ? `${name} (has changed since this resource wrote it; before: ${say(name, before[name])})`
        : `${name} (had no value before)`,
    );
  if (left.length > 0) session.warn(`${doing}: not restored, but left as they are: ${left.join(", ")}.`);
  return toRestore;
}

/** If the program still declares settings of the workspace, destroying this resource must not change them. */
function warnOfHandover(session: Session, id: string, state: SettingsState): void {
  const say = sayingOf([state]);
  const values = replaced(state).map(({ name }) => `${name} ${say(name, state.__before?.[name])}`);
  if (values.length === 0) return;
  session.warn(
    `The program still declares settings of workspace ${id}, so these former values are not restored and are no longer in state: ${values.join(", ")}. To rename a resource and keep them, use the option aliases.`,
  );
}

// ---- Writing -------------------------------------------------------------------------------------------------------

export interface Writing {
  readonly workspaceId: string;
  /** The target values of the workspace. Everything else stays as it was read. */
  readonly target: Settings;
  /** Settings that don't change: they may stay as the service rewrote them. */
  readonly unchanged?: readonly Setting[];
  /** Former values to restore: a GET must show exactly these (W5). */
  readonly restored?: readonly Setting[];
  /** Settings to write even if the workspace seems to have the value: the read may be older than the last write. */
  readonly doubted?: readonly Setting[];
  /** Properties that may mark a setting as secret: messages then don't show its value. */
  readonly secrecies: readonly Properties[];
}

/**
 * Writes the target values. The PATCH repeats settings that are not declared, so that it means the same whether the
 * service merges or replaces; a warning names one of these that changes nevertheless. Sends nothing if the workspace has the
 * values already (W1, W2).
 */
export async function write(
  session: Session,
  { workspaceId, target, unchanged = [], restored = [], doubted = [], secrecies }: Writing,
  before: WorkspaceRecord,
): Promise<Settled<WorkspaceRecord>> {
  const wanted = declaredIn(target);
  const old = observe(before);
  const isDone = (field: Setting) =>
    !doubted.includes(field) && same(field, target[field.name], old[field.name]);
  if (wanted.every(isDone)) return settledAs(before);
  const others = settings.filter((field) => !wanted.includes(field));
  const kept = sendable(others, before);
  // A service may refuse an empty list, even if that is what it has.
  const { defaultAllowedIPs: addresses = [], ...rest } = kept;
  const body: EditWorkspace = { ...(addresses.length > 0 ? kept : rest), ...target };
  const aims = [
    ...wanted
      .filter((field) => !unchanged.includes(field))
      .map((field): Aim => {
        const isRestored = restored.includes(field);
        return { field, value: target[field.name], exact: isRestored, ...(isRestored && { kept: true }) };
      }),
    ...others.map((field): Aim => ({ field, value: old[field.name], exact: false, kept: true })),
  ];
  const read = () => readWorkspace(session.call, { workspaceId });
  return converge(session, {
    waitingFor: `workspace ${workspaceId} to show the change`,
    last: before,
    isEdit: true,
    fields: settings,
    observe,
    aims,
    body: (attempt) => (attempt > 1 ? undefined : body),
    send: (sent) => editWorkspace(session.call, { workspaceId }, sent),
    // Restored values must be seen in a read (W5).
    isShown: (answer) =>
      restored.length === 0 && settings.every(({ name }) => !(name in body) || answer[name] !== undefined),
    read,
    explainMissing: read,
    say: sayingOf(secrecies),
  });
}

function sayingOf(secrecies: readonly Properties[]): Say {
  return saying(
    (field) => secrecies.some((one) => isSecret(one, field)),
    (_field, value) => {
      if (Array.isArray(value)) return value.length === 0 ? "no addresses" : value.join(", ");
      return value === undefined ? "none" : typeof value === "string" ? `"${value}"` : String(value);
    },
  );
}

// ---- Notes ---------------------------------------------------------------------------------------------------------

/** What becomes of settings that are no longer declared: the engine shows them as removed, which the service can't do. */
function updateNote({ state, inputs }: Comparison<Shape>): string | undefined {
  const managed = declaredIn(inputs);
  const dropped = managedIn(state).filter((field) => !managed.includes(field));
  if (dropped.length === 0) return undefined;
  const outcomes = outcomesOf(state, dropped, inputs.onDestroy, "if unchanged since the last update");
  return `Settings of workspace ${state.workspaceId} that are no longer declared: ${outcomes}.`;
}

/** The same for all settings of a workspace that the resource leaves for another one. */
function replaceNote({ state, inputs }: Comparison<Shape>): string {
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
