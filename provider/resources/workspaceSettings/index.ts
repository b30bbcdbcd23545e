/**
 * The defaults for keys of a workspace that exists already: prefix, allowed addresses, rate limit, expiration. Only
 * what is declared is managed; the rest stays as it is, also where the service's PATCH replaces. Destroy leaves the
 * settings as they are or, with onDestroy "restore", puts back what held before (interface, sections 2, 4.7 and 4.8).
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { readWorkspace } from "../../client/endpoints";
import type { WorkspaceRecord } from "../../client/responses";
import type { CheckContext } from "../../core/declarations";
import { type Definition, facts, number, type Outcome, type Session, text } from "../../core/definition";
import { type Account, Failure, type Kept, sentences } from "../../core/errors";
import { outcome, told } from "../../core/outcome";
import { isSecret, mask } from "../../core/secrecy";
import { drifted, type ManagedField, type Properties, same, wireable } from "../../core/state";
import { isUnknown } from "../../core/unknown";
import { sharedReads } from "../../reads/sharedReads";
import { addressesSchema, canonicalAddresses } from "../fields/addresses";
import { optionalText, oversize, pathSegment } from "../fields/schemas";
import {
  declaredIn,
  observe,
  type SettledSettings,
  type SettleOptions,
  saying,
  sendable,
  settings,
  settle,
} from "./convergence";
import { before, follows, lastKey, only, ours, restorable, written } from "./state";

// ---- Inputs: schema and facts -------------------------------------------------------------------------------------

const wholeNumber = () => z.int({ error: "must be a whole number" }).nullish();

const inputs = z.strictObject({
  workspaceId: pathSegment("the id of a workspace").register(facts, { onChange: "replace", canonical: text }),
  defaultKeyPrefix: optionalText().register(facts, { onChange: "update", canonical: text }),
  defaultAllowedIPs: addressesSchema.register(facts, { onChange: "update", canonical: canonicalAddresses }),
  defaultRateLimitPerSecond: wholeNumber().register(facts, { onChange: "update", canonical: number }),
  defaultExpiration: wholeNumber().register(facts, { onChange: "update", canonical: number }),
  onDestroy: z
    .enum(["retain", "restore"], { error: 'must be "retain" or "restore"' })
    .nullish()
    .register(facts, { onChange: "update", canonical: text, default: "retain" }),
});

export type WorkspaceSettingsInputs = z.input<typeof inputs>;

function rules(
  declared: Properties,
  _before: Properties | undefined,
  { twin }: CheckContext = {},
): readonly string[] {
  const found: string[] = [];
  if (settings.every(({ name, canonical }) => canonical(declared[name]) === undefined)) {
    found.push(`declare at least one of ${settings.map(({ name }) => name).join(", ")}.`);
  }
  const large = oversize(only(settings, declared));
  if (large !== undefined) found.push(`${large.field}: ${large.message}`);
  if (twin !== undefined) {
    found.push(
      `workspaceId: the resource ${twin} declares the settings of the same workspace, and the two would undo each other's changes. Declare all settings of a workspace in one resource.`,
    );
  }
  return found;
}

// ---- Operations: observe, decide, call, project -------------------------------------------------------------------

export const workspaceSettings: Definition = {
  kind: "WorkspaceSettings",
  schema: inputs,
  rules,
  identity: ({ workspaceId }) => (isUnknown(workspaceId) ? undefined : JSON.stringify(workspaceId)),
  follows,
  create,
  abandon: async (_session, { id, state }) => {
    const line = forgotten(id, state, before(state));
    return line === undefined ? [] : [line];
  },
  read,
  update,
  delete: remove,
};

async function create(session: Session, declared: Properties): Promise<Outcome> {
  const workspaceId = String(declared["workspaceId"]);
  const doing = `Setting the defaults of workspace ${workspaceId}`;
  const record = await look(session, workspaceId, { doing, notDone: "Nothing was changed" });
  const remembered = sendable(declaredIn(declared), record);
  session.leaves(forgotten(workspaceId, declared, remembered));
  return write(session, { workspaceId, doing, declared, target: declared, remembered }, record);
}

/** What nobody will know any more if state can't hold the result: the next create takes what it finds for it. */
function forgotten(workspaceId: string, declared: Properties, remembered: Properties): string | undefined {
  const changed = settings.filter(
    (field) => field.name in remembered && !same(field, remembered[field.name], declared[field.name]),
  );
  if (declared["onDestroy"] !== "restore" || changed.length === 0) return undefined;
  const values = only(changed, remembered);
  const told = Object.entries(values).map(([name, value]) => [name, isSecret(declared, name) ? mask : value]);
  return `Setting the defaults of workspace ${workspaceId}: the run ended before state could hold what is to be restored: ${JSON.stringify(Object.fromEntries(told))}. Put it back by hand before the next up, which takes what it finds for it.`;
}

async function update(
  session: Session,
  id: string,
  state: Properties,
  declared: Properties,
): Promise<Outcome> {
  const doing = `Updating the defaults of workspace ${id}`;
  const record = await look(session, id, { doing, notDone: "State is unchanged" });
  const managed = declaredIn(declared);
  const dropped = declaredIn(state).filter((field) => !managed.includes(field));
  const back = declared["onDestroy"] === "restore" ? restorable(state, dropped, record) : {};
  const added = managed.filter(({ name }) => state[name] === undefined);
  const remembered = { ...sendable(added, record), ...before(state) };
  const observed = observe(record);
  const steady = managed.filter(
    (field) =>
      same(field, state[field.name], declared[field.name]) &&
      same(field, ours(state, field.name), observed[field.name]),
  );
  const target = { ...back, ...declared };
  return write(
    session,
    { workspaceId: id, doing, declared, target, remembered, held: state, steady, exact: declaredIn(back) },
    record,
  );
}

interface Writing extends SettleOptions {
  readonly workspaceId: string;
  readonly doing: string;
  readonly declared: Properties;
  /** What the workspace is to hold: what is declared, and what goes back to what it was. */
  readonly target: Properties;
  readonly remembered: Properties;
  readonly held?: Properties;
}

async function write(session: Session, writing: Writing, record: WorkspaceRecord): Promise<Outcome> {
  const { workspaceId, doing, declared, target, remembered, held } = writing;
  try {
    const options = { ...writing, secrecies: [declared, held ?? {}] };
    const settled = await settle(session, workspaceId, only(settings, target), record, options);
    for (const warning of settled.warnings) session.warn(`Workspace ${workspaceId}: ${warning}`);
    const state = written(declared, target, settled, remembered, held);
    const isLeft = settled.unmet.some(({ field }) => !(field in declared) && field in target);
    return outcome(
      workspaceId,
      state,
      stopped(session, doing, settled) ?? unmetLine(doing, settled),
      isLeft ? leftOut : undefined,
    );
  } catch (error) {
    throw told(session, error, {
      doing,
      notDone: "State is unchanged",
      advice: `Check that the access token may edit workspace ${workspaceId}, and that the service accepts the declared values: one of the two numbers must be above 0.`,
    });
  }
}

const leftOut =
  'What is no longer declared stays in state until it is as it was before: run up again, put it back by hand first, or leave it with onDestroy "retain"';

async function read(session: Session, id: string, state: Properties): Promise<Outcome> {
  return sharedReads(session.call).workspaces.read(id, {
    single: async () => {
      const doing = `Reading the defaults of workspace ${id}`;
      const record = await look(session, id, { doing, notDone: "State is unchanged" });
      return { record, result: { id, state: seen(state, record) } };
    },
    // A list may leave out what a workspace that is read has.
    unchanged: (listed) => {
      if (Object.values(only(declaredIn(state), { ...listed })).includes(undefined)) return undefined;
      const next = seen(state, listed);
      return isDeepStrictEqual(wireable(next), wireable(state)) ? { id, state: next } : undefined;
    },
    alike: (left, right) =>
      left.updatedAt === right.updatedAt && isDeepStrictEqual(observe(left), observe(right)),
  });
}

function seen(state: Properties, record: WorkspaceRecord): Properties {
  const observed = observe(record);
  const next = drifted(declaredIn(state), state, observed);
  const moved = declaredIn(state).filter(
    (field) => !same(field, ours(state, field.name), observed[field.name]),
  );
  const last = Object.fromEntries(moved.map(({ name }) => [name, ours(state, name) ?? ""]));
  return { ...next, [lastKey]: moved.length > 0 ? last : undefined };
}

async function look(
  session: Session,
  workspaceId: string,
  about: Pick<Account, "doing" | "notDone" | "advice">,
): Promise<WorkspaceRecord> {
  try {
    return await readWorkspace(session.call, { workspaceId });
  } catch (error) {
    const advice = `Check the id, and that the access token may see workspace ${workspaceId}.`;
    throw told(session, error, { advice, ...about });
  }
}

const stays = "It stays in state";

async function remove(session: Session, id: string, state: Properties, declared: boolean): Promise<void> {
  if (state["onDestroy"] !== "restore") return;
  if (declared) return warnOfHandover(session, id, state);
  const doing = `Restoring the defaults of workspace ${id}`;
  // A token of somebody else is told the same as anybody is of a workspace that was deleted.
  const record = await look(session, id, {
    doing,
    notDone: `${stays}; if the workspace itself was deleted, remove it from there with \`pulumi state delete\``,
    advice: `The access token is the likely cause: it may belong to another account. ${session.tokenAdvice}`,
  });
  const managed = declaredIn(state);
  const back = restorable(state, managed, record);
  const [remembered, observed] = [before(state), observe(record)];
  const done = (field: ManagedField) =>
    field.name in remembered && same(field, remembered[field.name], observed[field.name]);
  const say = saying([state]);
  const left = managed
    .filter((field) => !(field.name in back || done(field)))
    .map(({ name }) => (name in remembered ? `${name} (before: ${say(name, remembered[name])})` : name));
  if (left.length > 0) {
    session.warn(
      `${doing}: ${left.join(", ")} stays as it is, since it had no value before or is not what this resource wrote.`,
    );
  }
  const { unmet, error } = await restore(session, doing, { id, state }, back, record);
  if (error !== undefined) throw told(session, error, { doing, notDone: stays });
  if (unmet.length > 0) throw new Failure(sentences(unmetLine(doing, { unmet }), stays, again));
}

const byHand = "put the settings back by hand first: what is as it was before is left alone";
const again = `Run the command again, or ${byHand}`;

/** What the program goes on to declare of the workspace must hold after this resource is gone. */
function warnOfHandover(session: Session, id: string, state: Properties): void {
  const remembered = before(state);
  const say = saying([state]);
  const other = declaredIn(state).filter(
    ({ name, canonical }) => name in remembered && !same({ canonical }, remembered[name], ours(state, name)),
  );
  if (other.length === 0) return;
  const values = other.map(({ name }) => `${name} ${say(name, remembered[name])}`).join(", ");
  session.warn(
    `The program still declares settings of workspace ${id}, so these former values are not put back, and nothing remembers them any longer: ${values}. To rename a resource without that, use the option aliases.`,
  );
}

async function restore(
  session: Session,
  doing: string,
  { id, state }: Kept,
  back: Properties,
  record: WorkspaceRecord,
): Promise<SettledSettings> {
  try {
    return await settle(session, id, back, record, { exact: declaredIn(back), secrecies: [state] });
  } catch (error) {
    const advice = `Check that the access token may edit workspace ${id}, or ${byHand}`;
    throw told(session, error, { doing, notDone: stays, advice });
  }
}

/** What kept a write from being seen through, if anything did. */
function stopped(session: Session, doing: string, settled: SettledSettings): string | undefined {
  const { error, unseen, unmet } = settled;
  if (error === undefined) return undefined;
  const seen = unseen
    ? `The change was sent; what the workspace holds now is not known (${unmet.map(({ words }) => words).join("; ")})`
    : "The change was sent; state holds what was last seen of the workspace";
  return told(session, error, { doing, notDone: seen, again: "Run `pulumi up` again, which sends it again" })
    .message;
}

function unmetLine(doing: string, { unmet }: Pick<SettledSettings, "unmet">): string {
  if (unmet.length === 0) return "";
  return `${doing}: the service did not make it so. ${unmet.map(({ words }) => words).join("; ")}.`;
}
