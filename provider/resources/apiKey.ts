/**
 * An API key of a workspace. Name, scopes and enabled are kept as declared, in place; any other change makes a new key
 * before the old one is deleted. Destroy deletes the key. The service shows the secret once, on create; it is kept in
 * state from then on (interface, sections 2 and 4.1 to 4.5).
 */
import * as z from "zod";
import { createApiKey, deleteApiKey, editApiKey, migrateApiKey, type Written } from "../client/endpoints";
import type { ApiKeyRecord } from "../client/responses";
import { type Definition, facts, flag, map, number, type Outcome, type Session, text } from "../definition";
import { Doubt, Failure, sentences } from "../errors";
import { capitalised, outcome, told } from "../outcome";
import { drifted, type Properties } from "../state";
import { containsUnknown, isUnknown } from "../unknown";
import {
  equal,
  jsonObject,
  keepersMap,
  optionalFlag,
  optionalText,
  pathSegment,
  requiredText,
} from "./fields";
import { edit, goneElsewhere, managed, observe, renames, type Settled, settle } from "./keyConvergence";
import { judge, type KeyPath, lookUp } from "./keyPresence";
import { canonicalScopes, repeated, scopeNames, scopesSchema } from "./keyScopes";
import {
  createBody,
  defined,
  keyLost,
  label,
  lasting,
  migrateBody,
  outputs,
  reading,
  written,
} from "./keyState";

// ---- Inputs: schema and facts -------------------------------------------------------------------------------------

const replaces = (canonical = text) => ({ onChange: "replace", canonical }) as const;

const inputs = z.strictObject({
  workspaceId: pathSegment("the id of a workspace").register(facts, replaces()),
  customerId: requiredText("the id of a customer").register(facts, replaces()),
  name: requiredText("a name").register(facts, { onChange: "update", canonical: text }),
  scopes: scopesSchema.register(facts, {
    onChange: "update",
    canonical: canonicalScopes,
    default: [],
    names: scopeNames,
  }),
  enabled: optionalFlag().register(facts, { onChange: "update", canonical: flag, default: true }),
  prefix: optionalText().register(facts, replaces()),
  expiresAt: z
    .int({ error: "must be a whole number above 0, in the service's own unit" })
    .positive({ error: "must be above 0; leave it out for the service's own default" })
    .nullish()
    .register(facts, replaces(number)),
  externalMeterId: optionalText().register(facts, replaces()),
  metadata: jsonObject().register(facts, replaces(map)),
  existingKey: optionalText("text, the value of the key").register(facts, { ...replaces(), secret: true }),
  keepers: keepersMap().register(facts, replaces(map)),
});

export type ApiKeyInputs = z.input<typeof inputs>;

/** Failures that concern more than one input (K3, K5). */
function rules(declared: Properties, before: Properties | undefined): readonly string[] {
  const failures = repeated(declared["scopes"]).map(
    (place) => `scopes[${place}].representation: stands twice in scopes; merge the two entries into one.`,
  );
  const value = text(declared["existingKey"]);
  if (value === undefined) return failures;
  for (const name of ["prefix", "expiresAt", "externalMeterId"]) {
    if (text(declared[name]) === undefined || isUnknown(declared[name])) continue;
    failures.push(
      `${name}: can't stand beside existingKey, since the service takes a key over without it; leave it out.`,
    );
  }
  if (before === undefined || isUnknown(value) || before["existingKey"] !== value) return failures;
  for (const name of ["workspaceId", "customerId", "metadata", "keepers"] as const) {
    const canonical = facts.get(inputs.shape[name])?.canonical ?? text;
    if (containsUnknown(declared[name]) || equal(canonical(before[name]), canonical(declared[name])))
      continue;
    failures.push(
      `${name}: can't change while existingKey stays, since the service can't hold one key twice and deleting the old record would end it; give a new existingKey, or remove the key in one up and declare it in the next.`,
    );
  }
  return failures;
}

// ---- Operations: observe, decide, call, project -------------------------------------------------------------------

export const apiKey: Definition = {
  kind: "ApiKey",
  schema: inputs,
  rules,
  pending: (state) => (state[keyLost] === true ? ["key"] : undefined),
  unchanged: (field, state, value) =>
    field === "existingKey" && (value === undefined || value === state["key"]),
  create,
  read,
  update,
  delete: remove,
};

async function create(session: Session, declared: Properties): Promise<Outcome> {
  const record = await make(session, declared);
  const existing = text(declared["existingKey"]);
  const usable = existing === undefined ? record.key !== undefined : (record.key ?? existing) === existing;
  const born = usable ? { key: existing ?? record.key } : { [keyLost]: true };
  const lost = usable ? undefined : secretLost(declared, record);
  const doing = `${capitalised(label(declared))} was created as ${record.id}, but not seen as declared`;
  try {
    const settled = await settle(session, pathOf(declared, record.id), declared, record, undefined);
    return outcome(
      record.id,
      written(declared, settled, { ...outputs(record), ...born }),
      lost,
      unmetLine(doing, settled),
    );
  } catch (error) {
    const doubt = told(session, error, {
      doing,
      notDone: "It is kept in state; run up again to bring it there",
    });
    const unmet = managed.map(({ name }) => ({ field: name, words: "" }));
    return outcome(record.id, written(declared, { record, unmet }, born), lost, doubt.message);
  }
}

/** Creates the key, or takes an existing one over. */
async function make(session: Session, declared: Properties): Promise<ApiKeyRecord> {
  const existing = declared["existingKey"] !== undefined;
  const doing = `${existing ? "Taking over" : "Creating"} ${label(declared)}`;
  let answer: Written<ApiKeyRecord>;
  try {
    answer = existing
      ? await migrateApiKey(session.call, migrateBody(declared))
      : await createApiKey(session.call, createBody(declared));
  } catch (error) {
    throw told(session, error, {
      doing,
      notDone: "Nothing was created",
      unclear: orphan("Whether it was created is not known, and state does not hold it"),
      advice: `Check that the access token may create keys in ${declared["workspaceId"]}, and that the service accepts the declared values.`,
    });
  }
  if (answer.record !== undefined) return answer.record;
  const reason = answer.problem ?? "the answer can't be used";
  throw new Failure(
    sentences(`${doing}: ${reason}`, orphan("The service accepted it, but state does not hold it")),
  );
}

function orphan(what: string): string {
  return `${what}: look for a key of this name and customer made at ${new Date().toISOString()} and delete it, since its secret is lost; then run up again.`;
}

function secretLost(declared: Properties, record: ApiKeyRecord): string {
  return declared["existingKey"] === undefined
    ? `Creating ${label(declared)}: the service made ${record.id} but did not answer its secret. It is kept in state, and the next up replaces it.`
    : `Taking over ${label(declared)}: the service made ${record.id} with another secret than existingKey. It is kept in state, and the next up replaces it; give the value exactly as it is.`;
}

async function read(session: Session, id: string, state: Properties): Promise<Outcome | undefined> {
  const path = pathOf(state, id);
  const record = await look(session, path, `Reading key ${id} in workspace ${path.workspaceId}`);
  if (record === undefined) {
    if (state[reading] === undefined) return undefined;
    throw new Failure(
      `There is no key ${id} in workspace ${path.workspaceId}: check both ids given to ApiKey.get.`,
    );
  }
  warnOfUnmanaged(session, id, record, state);
  const next = drifted(managed, state, observe(record));
  const seen = { customerId: record.customerId, ...outputs(record) };
  if (state[reading] !== undefined) return { id, state: { ...next, ...defined(seen) } };
  const ours = Object.values(lasting(state)).some((value) => value !== undefined);
  return { id, state: ours ? next : { ...seen, ...defined(next) } };
}

/** A field that can't be changed in place, and that somebody changed, is told and left alone (R5). */
function warnOfUnmanaged(session: Session, id: string, record: ApiKeyRecord, state: Properties): void {
  const before = {
    customerId: state["customerId"],
    prefix: state["effectivePrefix"],
    expiresAt: state["effectiveExpiresAt"],
  };
  for (const name of ["customerId", "prefix", "expiresAt"] as const) {
    if (before[name] === undefined || record[name] === undefined || alike(before[name], record[name]))
      continue;
    session.warn(
      `${capitalised(label(state))} (${id}): the service has another ${name} than when this stack last wrote the key. It can't be changed in place, so nothing is done about it; to have a new key, change ${name} or keepers.`,
    );
  }
}

function alike(left: unknown, right: unknown): boolean {
  return String(left).trim().toLowerCase() === String(right).trim().toLowerCase();
}

async function look(session: Session, path: KeyPath, doing: string): Promise<ApiKeyRecord | undefined> {
  try {
    return await lookUp(session, path);
  } catch (error) {
    const advice = `Check that the access token may read the keys of ${path.workspaceId}.`;
    throw told(session, error, { doing, notDone: "State is unchanged", advice });
  }
}

async function update(
  session: Session,
  id: string,
  state: Properties,
  declared: Properties,
): Promise<Outcome> {
  const path = pathOf(state, id);
  const doing = `Updating ${label(declared)} (${id})`;
  const current = await look(session, path, doing);
  if (current === undefined) throw told(session, goneElsewhere(), { doing, notDone: "State is unchanged" });
  try {
    const answer = await editApiKey(session.call, path, edit(declared, current));
    const settled = await settle(session, path, declared, answer.record, renames(declared, state, current));
    return outcome(id, written(declared, settled, state), unmetLine(doing, settled));
  } catch (error) {
    const judged = await judge(session, path, error);
    throw told(session, judged.gone ? goneElsewhere() : judged.cause, {
      doing,
      notDone: "State is unchanged",
      unclear:
        "Whether the change was made is not known; state keeps the old values, and the next up sends the new ones again",
      advice: `Check that the access token may edit the keys of ${path.workspaceId}, and that the service accepts the declared values.`,
    });
  }
}

async function remove(session: Session, id: string, state: Properties): Promise<void> {
  const path = pathOf(state, id);
  try {
    const { record, problem, empty } = await deleteApiKey(session.call, path);
    // What is neither the key nor empty may be a proxy's page, and the service may not have seen the request.
    if (record !== undefined || empty || (await lookUp(session, path)) === undefined) return;
    throw new Doubt(`${problem}, and the key is still there`, "");
  } catch (error) {
    const judged = await judge(session, path, error);
    if (judged.gone) return;
    throw told(session, judged.cause, {
      doing: `Deleting ${label(state)} (${id})`,
      notDone: "It stays in state; run the command again",
      unclear: "Whether it was deleted is not known; it stays in state: run the command again",
      advice: `Check that the access token may delete keys of ${path.workspaceId}.`,
    });
  }
}

function pathOf(properties: Properties, keyId: string): KeyPath {
  return { workspaceId: String(properties["workspaceId"]), keyId };
}

function unmetLine(doing: string, { unmet }: Settled): string | undefined {
  if (unmet.length === 0) return undefined;
  return `${doing}: the service did not make it so. ${unmet.map(({ words }) => words).join("; ")}. State holds what the service has, and the next preview shows what is still to do.`;
}
