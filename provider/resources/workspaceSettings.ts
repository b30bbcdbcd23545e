/**
 * The defaults for keys of a workspace that exists already: prefix, allowed addresses, rate limit, expiration. Only
 * what is declared is managed; the rest stays as it is, also where the service's PATCH replaces. Destroy leaves the
 * settings as they are or, with onDestroy "restore", puts back what held before (interface, sections 2, 4.7 and 4.8).
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { CallError } from "../client/callError";
import { readWorkspace } from "../client/endpoints";
import type { WorkspaceRecord } from "../client/responses";
import { type Definition, facts, number, type Outcome, type Session, text } from "../definition";
import { Doubt } from "../errors";
import { outcome, told } from "../outcome";
import { freshly, sharedReads } from "../sharedReads";
import { drifted, type ManagedField, type Properties, same, wireable } from "../state";
import { addressesSchema, canonicalAddresses } from "./addresses";
import { optionalText, pathSegment } from "./fields";
import { declaredIn, observe, type SettledSettings, sendable, settings, settle } from "./settingsConvergence";
import { before, lastKey, only, ours, restorable, written } from "./settingsState";

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

function rules(declared: Properties): readonly string[] {
  if (settings.some(({ name, canonical }) => canonical(declared[name]) !== undefined)) return [];
  return [`declare at least one of ${settings.map(({ name }) => name).join(", ")}.`];
}

// ---- Operations: observe, decide, call, project -------------------------------------------------------------------

export const workspaceSettings: Definition = {
  kind: "WorkspaceSettings",
  schema: inputs,
  rules,
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
  const record = await look(session, workspaceId, doing, "Nothing was changed");
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
  return `Setting the defaults of workspace ${workspaceId}: the run ended before state could hold what is to be restored: ${JSON.stringify(only(changed, remembered))}. Put it back by hand before the next up, which takes what it finds for it.`;
}

async function update(
  session: Session,
  id: string,
  state: Properties,
  declared: Properties,
): Promise<Outcome> {
  const doing = `Updating the defaults of workspace ${id}`;
  const record = await look(session, id, doing, "State is unchanged");
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
    { workspaceId: id, doing, declared, target, remembered, held: state, steady },
    record,
  );
}

interface Writing {
  readonly workspaceId: string;
  readonly doing: string;
  readonly declared: Properties;
  /** What the workspace is to hold: what is declared, and what goes back to what it was. */
  readonly target: Properties;
  readonly remembered: Properties;
  readonly held?: Properties;
  /** What neither the program nor anybody else changed. */
  readonly steady?: readonly ManagedField[];
}

async function write(session: Session, writing: Writing, record: WorkspaceRecord): Promise<Outcome> {
  const { workspaceId, doing, declared, target, remembered, held, steady } = writing;
  try {
    const settled = await settle(session, workspaceId, only(settings, target), record, steady);
    for (const warning of settled.warnings) session.warn(`Workspace ${workspaceId}: ${warning}`);
    const state = written(declared, target, settled, remembered, held);
    return outcome(workspaceId, state, stopped(session, doing, settled) ?? unmetLine(doing, settled));
  } catch (error) {
    throw told(session, error, {
      doing,
      notDone: "State is unchanged",
      advice: `Check that the access token may edit workspace ${workspaceId}, and that the service accepts the declared values: one of the two numbers must be above 0.`,
    });
  }
}

async function read(session: Session, id: string, state: Properties): Promise<Outcome> {
  return sharedReads(session.call).workspaces.read(id, {
    single: async () => {
      const record = await look(session, id, `Reading the defaults of workspace ${id}`, "State is unchanged");
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
  doing: string,
  notDone: string,
): Promise<WorkspaceRecord> {
  try {
    return await readWorkspace(session.call, { workspaceId });
  } catch (error) {
    const advice = `Check the id, and that the access token may see workspace ${workspaceId}.`;
    throw told(session, error, { doing, notDone, advice });
  }
}

async function remove(session: Session, id: string, state: Properties): Promise<void> {
  if (state["onDestroy"] !== "restore") return;
  const doing = `Restoring the defaults of workspace ${id}`;
  try {
    const record = await readWorkspace(session.call, { workspaceId: id });
    const managed = declaredIn(state);
    const back = restorable(state, managed, record);
    const [remembered, observed] = [before(state), observe(record)];
    const done = (field: ManagedField) =>
      field.name in remembered && same(field, remembered[field.name], observed[field.name]);
    const left = managed.filter((field) => !(field.name in back || done(field))).map(({ name }) => name);
    if (left.length > 0) {
      session.warn(
        `${doing}: ${left.join(", ")} stays as it is, since it had no value before or was changed elsewhere.`,
      );
    }
    const { unmet, error } = await settle(session, id, back, record);
    if (error !== undefined) throw error;
    if (unmet.length > 0) session.warn(unmetLine(doing, { unmet }));
  } catch (error) {
    const status = error instanceof CallError ? error.status : undefined;
    if (status === 410 || (status === 404 && (await missing(session, id)))) {
      session.warn(`${doing}: the service knows no such workspace, so there is nothing to restore.`);
      return;
    }
    const doubt = status === 404 ? unbelieved(session, error as CallError) : error;
    throw told(session, doubt, { doing, notDone: "It stays in state" });
  }
}

/** Whether the list of workspaces can be read, holds others, and lacks this one; otherwise the token may see nothing. */
async function missing(session: Session, workspaceId: string): Promise<boolean> {
  try {
    const { all } = await freshly(sharedReads(session.call).workspaces);
    return all.length > 0 && all.every(({ id }) => id !== workspaceId);
  } catch (error) {
    if (error instanceof CallError) return false;
    throw error;
  }
}

function unbelieved(session: Session, { message }: CallError): Doubt {
  return new Doubt(
    `${message}, but the list of workspaces does not show that it is gone`,
    `The token is the likely cause: it may belong to somebody else. ${session.tokenAdvice} If the workspace itself was deleted, drop the resource from state with \`pulumi state delete\`.`,
  );
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
