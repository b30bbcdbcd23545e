/**
 * The defaults for keys of a workspace that exists already: prefix, allowed addresses, rate limit, expiration. Only
 * declared settings are managed; the others stay as they are, even if the service's PATCH replaces. Destroy leaves the
 * settings as they are or, with onDestroy "restore", restores the former values (interface, sections 2, 4.7 and 4.8).
 */
import { readWorkspace, type WorkspaceRecord } from "../../client/service";
import { mask } from "../../client/words";
import { failureOf, notAppliedWords } from "../../core/converge";
import type { Checked } from "../../core/declarations";
import { define, type Outcome, type Session } from "../../core/definition";
import { type CallWords, Failure, orFail, toFailure } from "../../core/errors";
import { pollUntil } from "../../core/polling";
import { isSecret } from "../../core/secrecy";
import { applyDrift, defined, nonEmpty, type Properties, same } from "../../core/state";
import { sentences } from "../../core/text";
import { isUnknown } from "../../core/unknown";
import { replaceNote, updateNote } from "./notes";
import {
  declaredIn,
  follows,
  observe,
  only,
  outputs,
  type Setting,
  type Settings,
  type SettingsDraft,
  type SettingsInputs,
  type SettingsState,
  sendable,
  settings,
  shape,
} from "./properties";
import { type Change, doubtful, lastWritten, managedIn, replaced, restorable, written } from "./state";
import { sayingOf, write } from "./writing";

export const workspaceSettings = define({
  kind: "WorkspaceSettings",
  shape,
  sends: (operation, state) => operation === "update" || state.onDestroy === "restore",
  rules,
  identities: ({ workspaceId }) =>
    workspaceId === undefined || isUnknown(workspaceId) ? [] : [JSON.stringify(workspaceId)],
  follows,
  updateNote,
  replaceNote,
  importing: { form: "workspaceId", read: find },
  create,
  rollbackCreate: rollback,
  rollbackUpdate: rollback,
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
  session.onInterrupt(forgotten(workspaceId, declared, remembered));
  const change = { declared, remembered, before: outputs(record), unchanged: [], toRestore: {} };
  return apply(session, doing, change, record);
}

/** Leaves the settings as they are. Returns the line with the former values that the create or update began to keep. */
async function rollback(
  _session: Session,
  { id, state }: SettingsOutcome,
  { __before: before = {} }: SettingsState = {},
): Promise<readonly string[]> {
  const added = settings.filter(({ name }) => !(name in before));
  // What was sent may have been applied.
  const now = { ...state, ...state.__sent };
  return [forgotten(id, now, only(added, state.__before ?? {}))].filter((line) => line !== undefined);
}

/** The warning with the former values, if the result can't be saved: the next run would take the new ones for them. */
function forgotten(workspaceId: string, declared: SettingsState, before: Properties): string | undefined {
  const changed = settings.filter(
    (field) => field.name in before && !same(field, before[field.name], declared[field.name]),
  );
  if (declared.onDestroy !== "restore" || changed.length === 0) return undefined;
  const values = changed.map(({ name }) => [name, isSecret(declared, name) ? mask : before[name]]);
  return `Setting the defaults of workspace ${workspaceId}: the run ended before the former values could be saved to state: ${JSON.stringify(Object.fromEntries(values))}. Restore them by hand before the next update, which would record the current values as the originals.`;
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
  session.onInterrupt(forgotten(id, declared, former));
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
