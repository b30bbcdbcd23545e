/** A resource with POST, GET, PATCH, DELETE and a list: what a new one needs, and nothing more. */
import * as z from "zod/mini";
import * as field from "../../../provider/client/decode";
import { apiPath, type Call, get, many, one, write } from "../../../provider/client/request";
import { CallError } from "../../../provider/client/send";
import {
  type Aim,
  converge,
  failureOf,
  type Say,
  type Settled,
  stateAfter,
} from "../../../provider/core/converge";
import {
  define,
  type Held,
  type InputsOf,
  type Outcome,
  type Session,
  type StateOf,
} from "../../../provider/core/definition";
import { explain, Failure, InconclusiveError, orFail } from "../../../provider/core/errors";
import { deleteObject, findCreated, lookUp, readsOf, type Target } from "../../../provider/core/existence";
import {
  aString,
  boolean,
  defaulted,
  observed,
  required,
  stable,
  string,
  updatableFields,
} from "../../../provider/core/fields";
import { applyDrift, type Properties } from "../../../provider/core/state";
import { sentences } from "../../../provider/core/text";
import { sharedReads } from "../../../provider/reads";
import { optionalFlag, pathSegment, requiredString } from "../../../provider/resources/fields/schemas";

// ---- The service ----------------------------------------------------------------------------------------------------

const record = z.object({
  id: field.requiredText,
  url: field.text,
  enabled: field.flag,
  deleted: field.mark,
  createdAt: field.text,
});
type Webhook = z.infer<typeof record>;

interface Path {
  readonly workspaceId: string;
  readonly id: string;
}
const pathOf = ({ workspaceId, id }: Path) => apiPath`/api/v1/workspace/${workspaceId}/webhook/${id}`;

const createWebhook = (call: Call, workspaceId: string, body: object) =>
  write(call, "POST", apiPath`/api/v1/workspace/${workspaceId}/webhook`, one("webhook", record), body);
const readWebhook = (call: Call, path: Path) => get(call, pathOf(path), one("webhook", record, path.id));
const editWebhook = (call: Call, path: Path, body: object) =>
  write(call, "PATCH", pathOf(path), one("webhook", record, path.id), body);
const deleteWebhook = (call: Call, path: Path) =>
  write(call, "DELETE", pathOf(path), one("webhook", record, path.id));
const listWebhooks = (call: Call, workspaceId: string) =>
  get(call, apiPath`/api/v1/workspace/${workspaceId}/webhook`, many("webhooks", record));

// ---- Properties -----------------------------------------------------------------------------------------------------

const shape = {
  inputs: {
    workspaceId: required(pathSegment, { onChange: "replace", canonical: string }),
    url: required(requiredString, { onChange: "update", canonical: string }),
    enabled: defaulted(optionalFlag, { onChange: "update", canonical: boolean, exact: true, default: true }),
  },
  outputs: { createdAt: stable(aString) },
  hidden: {},
};
type Shape = typeof shape;
type Inputs = InputsOf<Shape>;
type State = StateOf<Shape>;

/** What a PATCH can set: what writes and compares it is derived from the list above. */
const updatable = updatableFields(shape.inputs);

const observe = (webhook: Webhook) => observed(updatable, webhook);

function bodyOf(declared: Inputs): Properties {
  const wanted: Properties = declared;
  return Object.fromEntries(updatable.map(({ name }) => [name, wanted[name]]));
}

const label = ({ url, workspaceId }: { readonly url?: unknown; readonly workspaceId?: unknown }) =>
  `webhook ${url} in workspace ${workspaceId}`;
const say: Say = (_field, value) => JSON.stringify(value);

function listOf(session: Session, workspaceId: string) {
  return sharedReads(session.call).list(`webhooks ${workspaceId}`, (call) => listWebhooks(call, workspaceId));
}

function targetOf(session: Session, path: Path): Target<Webhook> {
  const list = listOf(session, path.workspaceId);
  return { ...path, kind: "webhook", read: () => readWebhook(session.call, path), list };
}

// ---- Operations: observe, decide, call, project ----------------------------------------------------------------------

export const webhook = define({
  kind: "Webhook",
  shape,
  label,
  rules: () => [],
  create,
  unsaved: { created: (state) => state, advice: () => "Delete it" },
  importing: {
    form: "workspaceId/webhookId",
    read: (session, [workspaceId = "", id = ""]) => read(session, { id, state: { workspaceId } }),
  },
  read,
  update,
  delete: async (session, { id, state }) => {
    const path = { workspaceId: String(state.workspaceId), id };
    const deleting = deleteObject(session, targetOf(session, path), () => deleteWebhook(session.call, path));
    await orFail(deleting, session, { doing: `Deleting ${label(state)}`, notDone: "It stays in state" });
  },
});

/** A POST is never repeated: the list shows what a lost answer may have been about. */
async function create(session: Session, declared: Inputs): Promise<Outcome<State>> {
  const { workspaceId } = declared;
  const doing = `Creating ${label(declared)}`;
  const list = listOf(session, workspaceId);
  const before = await list.recent();
  try {
    const written = await createWebhook(session.call, workspaceId, bodyOf(declared));
    if (written.record === undefined) throw new CallError("ambiguous", written.problem ?? "");
    const { id, createdAt } = written.record;
    session.registry.add(workspaceId, id);
    const settled = await settle(session, { workspaceId, id }, declared, written.record, written);
    return outcomeOf(session, doing, { id, state: { createdAt } }, declared, settled);
  } catch (error) {
    if (!(error instanceof CallError && error.verdict === "ambiguous"))
      throw explain(error, session, { doing, notDone: "Nothing was created" });
    const waitingFor = `the list to show ${label(declared)}`;
    const candidates = ({ all }: { readonly all: readonly Webhook[] }) =>
      all.filter(({ url }) => url === declared.url);
    const found = await findCreated(session, { list, before, candidates, waitingFor });
    const ids = found.kind === "known" ? found.value.map(({ id }) => id) : [];
    const left = ids.length === 0 ? undefined : `It may be ${ids.join(", ")}: delete that`;
    throw new Failure(sentences(`${doing}: ${error.message}`, "It may have been created", left), {
      unresolved: true,
    });
  }
}

async function update(session: Session, held: Held<Shape>, declared: Inputs): Promise<Outcome<State>> {
  const doing = `Updating ${label(declared)}`;
  const path = { workspaceId: declared.workspaceId, id: held.id };
  const words = { doing, notDone: "State is unchanged" };
  const { explainMissing } = readsOf(session, targetOf(session, path), gone);
  const before = await orFail(explainMissing(), session, words);
  const settled = await orFail(settle(session, path, declared, before), session, words);
  return outcomeOf(session, doing, held, declared, settled);
}

const gone = () => new InconclusiveError("the webhook no longer exists", "Run `pulumi up --refresh`");

/** Writes the webhook until it is seen to be as declared. */
async function settle(
  session: Session,
  path: Path,
  declared: Inputs,
  before: Webhook,
  created?: Parameters<typeof converge<Webhook>>[2],
): Promise<Settled<Webhook>> {
  const wanted: Properties = declared;
  const aims = updatable.map((one): Aim => ({ field: one, value: wanted[one.name], exact: one.exact }));
  const writing = {
    waitingFor: `webhook ${path.id} to match the program`,
    ...{ before, isEdit: created === undefined, aims, observe },
    write: (attempt: number) => (attempt > 1 ? undefined : editWebhook(session.call, path, bodyOf(declared))),
    isShown: (answer: Webhook) => updatable.every(({ name }) => (answer as Properties)[name] !== undefined),
    ...readsOf(session, targetOf(session, path), gone),
  };
  return converge(session, writing, created);
}

function outcomeOf(
  session: Session,
  doing: string,
  { id, state }: Held<Shape>,
  declared: Inputs,
  settled: Settled<Webhook>,
): Outcome<State> {
  const why = failureOf(session, settled, say);
  const next = { ...state, ...stateAfter(updatable, declared, settled, observe) };
  return { id, state: next, ...(why !== undefined && { failure: `${doing}: ${why}` }) };
}

async function read(session: Session, { id, state }: Held<Shape>): Promise<Outcome<State> | undefined> {
  const path = { workspaceId: String(state.workspaceId), id };
  const words = { doing: `Reading webhook ${id}`, notDone: "State is unchanged" };
  const found = await orFail(lookUp(session, targetOf(session, path)), session, words);
  if (found === undefined) return undefined;
  return { id, state: { ...applyDrift(updatable, state, observe(found)), createdAt: found.createdAt } };
}
