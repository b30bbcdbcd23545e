/** A resource with POST, GET, PATCH, DELETE and a list, to copy for a new one (CONTRIBUTING.md, "Adding a resource"). */
import * as z from "zod/mini";
import * as field from "../../../provider/client/decode";
import { apiPath, type Call, get, list, many, one, request } from "../../../provider/client/request";
import type { CallError, Written } from "../../../provider/client/send";
import { converge, report, type Settled, stateAfter } from "../../../provider/core/converge";
import {
  define,
  type InputsOf,
  type Outcome,
  type Resource,
  type Session,
  type StateOf,
} from "../../../provider/core/definition";
import { explain, Failure, InconclusiveError, orFail } from "../../../provider/core/errors";
import {
  createObject,
  deleteObject,
  type FoundObjects,
  findCreated,
  isDoubtful,
  lookUp,
  readsOf,
  type Target,
} from "../../../provider/core/existence";
import {
  aString,
  boolean,
  defaulted,
  number,
  observed,
  optional,
  required,
  stable,
  string,
  updatableFields,
} from "../../../provider/core/fields";
import { applyDrift, type Properties, pick } from "../../../provider/core/state";
import { type Reading, sharedReads } from "../../../provider/reads";
import {
  optionalFlag,
  optionalString,
  pathSegment,
  requiredString,
} from "../../../provider/resources/fields/schemas";

// ---- The service ----------------------------------------------------------------------------------------------------

const record = z.object({
  id: field.requiredText,
  url: field.text,
  enabled: field.flag,
  team: field.text,
  retries: field.number,
  deleted: field.lenient(field.flag),
  createdAt: field.text,
});
type Webhook = z.infer<typeof record>;

interface Path {
  readonly workspaceId: string;
  readonly id: string;
}
const pathOf = ({ workspaceId, id }: Path) => apiPath`/api/v1/workspace/${workspaceId}/webhook/${id}`;

const createWebhook = (call: Call, workspaceId: string, body: object) =>
  request(call, "POST", apiPath`/api/v1/workspace/${workspaceId}/webhook`, one("webhook", record), body);
const readWebhook = (call: Call, path: Path) => get(call, pathOf(path), one("webhook", record, path.id));
const editWebhook = (call: Call, path: Path, body: object) =>
  request(call, "PATCH", pathOf(path), one("webhook", record, path.id), body);
const deleteWebhook = (call: Call, path: Path) =>
  request(call, "DELETE", pathOf(path), one("webhook", record, path.id));
const listWebhooks = (call: Call, workspaceId: string) =>
  list(call, apiPath`/api/v1/workspace/${workspaceId}/webhook`, many("webhooks", record));

// ---- Properties -----------------------------------------------------------------------------------------------------

const shape = {
  inputs: {
    workspaceId: required(pathSegment, { onChange: "replace", canonical: string }),
    url: required(requiredString, { onChange: "update", canonical: string }),
    enabled: defaulted(optionalFlag, { onChange: "update", canonical: boolean, exact: true, default: true }),
    // `empty` clears a value that is no longer declared. By default that is null.
    team: optional(optionalString, { onChange: "update", canonical: string, empty: "" }),
    retries: optional(z.nullish(z.int()), { onChange: "update", canonical: number }),
  },
  outputs: { createdAt: stable(aString) },
  hidden: {},
};
type Shape = typeof shape;
type Inputs = InputsOf<Shape>;
type State = StateOf<Shape>;

/** The fields that a PATCH sets. Writes and comparisons derive from this list. */
const updatable = updatableFields(shape.inputs);

const observe = (webhook: Webhook) => observed(updatable, webhook);

const label = ({ url, workspaceId }: { readonly url?: unknown; readonly workspaceId?: unknown }) =>
  `webhook ${url} in workspace ${workspaceId}`;

function listOf(session: Session, workspaceId: string) {
  return sharedReads(session.call).list(`webhooks ${workspaceId}`, (call) => listWebhooks(call, workspaceId));
}

function targetOf(session: Session, path: Path): Target<Webhook> {
  const list = listOf(session, path.workspaceId);
  return { ...path, kind: "webhook", read: (id) => readWebhook(session.call, { ...path, id }), list };
}

// ---- Operations: observe, decide, call, project ----------------------------------------------------------------------

export const webhook = define({
  kind: "Webhook",
  shape,
  rules: () => [],
  create,
  ifUnsaved: (inputs) => ({ what: label(inputs), advice: "Delete it" }),
  importing: {
    form: "workspaceId/webhookId",
    read: (session, [workspaceId = "", id = ""]) => read(session, { id, state: { workspaceId } }),
  },
  read,
  update,
  delete: async (session, { id, state }, ownerOf) => {
    const owner = ownerOf(state.workspaceId, id);
    if (owner?.hasIt)
      return session.warn(`${label(state)} stays in the service, because ${owner.who} has it`);
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
  const creation = { workspaceId, before: await list.recent() };
  const body = pick(
    declared,
    updatable.map(({ name }) => name),
  );
  const send = () => createWebhook(session.call, workspaceId, body);
  const words = { doing, notDone: "Nothing was created" };
  const made = await orFail(createObject(session, creation, send), session, words);
  if (made.kind === "unavailable") {
    const isIt = ({ url }: Webhook) => url === declared.url;
    const { error } = made;
    const found = await findCreated(session, creation, list, ({ all }) => all.filter(isIt), error);
    const isNone = found.kind === "known" && found.value.all.length === 0;
    if (isDoubtful(error) && isNone) throw explain(error, session, words);
    throw lost(doing, error, found);
  }
  const { record } = made.value;
  const held = { id: record.id, state: { createdAt: record.createdAt } };
  const settled = await settle(session, held, declared, record, made.value);
  return outcomeOf(session, doing, held, declared, settled);
}

/** The error of a create whose answer can't be used. It names what may have been created. */
function lost(doing: string, { message }: CallError, found: Reading<FoundObjects<Webhook>>): Failure {
  const ids = found.kind === "known" ? found.value.all.map(({ id }) => id) : [];
  const left = ids.length === 0 ? undefined : `It may be ${ids.join(", ")}: delete it if nobody else made it`;
  const parts = [message, "It is not known whether it was created", left];
  return new Failure("outcomeUnclear", parts, { subject: `${doing}:`, unresolved: true });
}

async function update(session: Session, held: Resource<Shape>, declared: Inputs): Promise<Outcome<State>> {
  const doing = `Updating ${label(declared)}`;
  const words = { doing };
  const target = targetOf(session, { workspaceId: declared.workspaceId, id: held.id });
  const before = await orFail(lookUp(session, target), session, words);
  if (before === undefined) throw explain(gone, session, words);
  const settled = await orFail(settle(session, held, declared, before), session, words);
  return outcomeOf(session, doing, held, declared, settled);
}

const gone = new InconclusiveError("gone", "the webhook no longer exists", "Run `pulumi up --refresh`");

/** Writes the webhook until it is seen to be as declared. `created`: the answer that shows a new one. */
async function settle(
  session: Session,
  { id, state }: Resource<Shape>,
  declared: Inputs,
  before: Webhook,
  created?: Written<Webhook>,
): Promise<Settled<Webhook>> {
  const path = { workspaceId: declared.workspaceId, id };
  const writing = {
    ...{ before, observe, declared, state },
    fields: updatable,
    write: (body: Properties) => editWebhook(session.call, path, body),
    isShown: (answer: Properties, body: Properties) =>
      Object.keys(body).every((name) => answer[name] !== undefined),
    ...readsOf(session, targetOf(session, path), gone),
  };
  return converge(session, writing, created);
}

function outcomeOf(
  session: Session,
  doing: string,
  { id, state }: Resource<Shape>,
  declared: Inputs,
  settled: Settled<Webhook>,
): Outcome<State> {
  const next = { ...pick(state, ["createdAt"]), ...stateAfter(updatable, declared, settled, observe) };
  return { id, state: next, failure: report(session, settled, { doing, secretIn: [declared] }) };
}

async function read(session: Session, { id, state }: Resource<Shape>): Promise<Outcome<State> | undefined> {
  const path = { workspaceId: String(state.workspaceId), id };
  const words = { doing: `Reading webhook ${id}` };
  const found = await orFail(lookUp(session, targetOf(session, path)), session, words);
  if (found === undefined) return undefined;
  return { id, state: { ...applyDrift(updatable, state, observe(found)), createdAt: found.createdAt } };
}
