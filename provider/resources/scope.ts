/** A scope of a workspace. The service can neither change nor delete one (interface, sections 2, 4.10 and 4.11). */
import { createScope, type ScopeRecord } from "../client/service";
import {
  type DraftOf,
  define,
  type InputsOf,
  type Outcome,
  type PlanArgs,
  type Resource,
  type Session,
  type StateOf,
} from "../core/definition";
import { explain, Failure, ifDeleted, orFail } from "../core/errors";
import { createObject, isDoubtful, pollUntil } from "../core/existence";
import {
  aString,
  certainlyChanged,
  containsUnknown,
  fieldsOf,
  knownString,
  optional,
  required,
  stable,
  string,
} from "../core/fields";
import { compareFields, type Plan } from "../core/plan";
import type { Identity } from "../core/registry";
import { isSecret, shown } from "../core/secrecy";
import { caseFolded } from "../core/state";
import { capitalised } from "../core/text";
import { type Listing, orThrow, sharedReads } from "../reads";
import { optionalString, pathSegment, requiredString } from "./fields/schemas";

// ---- Properties ---------------------------------------------------------------------------------------------------

const shape = {
  inputs: {
    workspaceId: required(pathSegment, { onChange: "replace", canonical: string }),
    name: required(requiredString, {
      onChange: "refuse",
      canonical: string,
      defaultsToResourceName: { noPatternWith: [] },
    }),
    representation: required(requiredString, { onChange: "replace", canonical: string }),
    description: optional(optionalString, { onChange: "refuse", canonical: string }),
  },
  outputs: { createdAt: stable(aString), updatedAt: stable(aString) },
  hidden: {},
};

export type Shape = typeof shape;
const fields = fieldsOf(shape.inputs);
type ScopeInputs = InputsOf<Shape>;
type ScopeState = StateOf<Shape>;
type ScopeOutcome = Outcome<ScopeState>;

/** Two creates at the same time would not find each other's scope (R17). */
function identities({ workspaceId, representation }: DraftOf<Shape>): readonly Identity[] {
  const known = [workspaceId, representation].map(knownString);
  const twice = (other: string) =>
    `representation: the resource ${other} declares the same scope, which the service could then create twice. Declare it once.`;
  return known.includes(undefined) ? [] : [{ identity: JSON.stringify(known), twice }];
}

function rules(declared: DraftOf<Shape>, before: DraftOf<Shape> | undefined): readonly string[] {
  // An unknown value may be another one, which creates another scope.
  if (before === undefined || containsUnknown([declared.workspaceId, declared.representation])) return [];
  const changed = certainlyChanged(fields, before, declared);
  if (changed.includes("workspaceId") || changed.includes("representation")) return [];
  // The service has no call to change a scope (S2). An imported one has no name if the list leaves names out.
  return changed
    .filter((name) => name !== "name" || string(before.name) !== undefined)
    .map(
      (name) =>
        `${name}: can't change, because the service has no call that edits a scope. Declare the old value, which state has, or another representation, which creates another scope.`,
    );
}

// ---- Decisions ----------------------------------------------------------------------------------------------------

function label(scope: ScopeState): string {
  const { representation, workspaceId } = scope;
  const named = isSecret(scope, "representation") ? "the scope" : `scope "${representation}"`;
  return `${named} in workspace ${workspaceId}`;
}

const stays = "stays in the service, which has no call to delete a scope";

function written(declared: ScopeState, { id, createdAt, updatedAt }: ScopeRecord): ScopeOutcome {
  return { id, state: { ...declared, createdAt, updatedAt } };
}

/** The scope of this representation; the service may have changed its case or trimmed it. */
function findIn(scopes: readonly ScopeRecord[], declared: ScopeState): ScopeRecord | undefined {
  const folded = caseFolded(declared.representation);
  return (
    scopes.find(({ representation }) => representation === declared.representation) ??
    scopes.find(({ representation }) => caseFolded(representation) === folded)
  );
}

/** The service's values of a declared scope that differ: `name "Orders"`. A record may leave a field out. */
function differences(declared: ScopeState, record: ScopeRecord): string | undefined {
  const different = (["name", "representation", "description"] as const).filter(
    (field) => record[field] !== undefined && caseFolded(declared[field]) !== caseFolded(record[field]),
  );
  const words = different.map((field) => `${field} ${shown(declared, field, `"${record[field]}"`)}`);
  return words.join(" and ") || undefined;
}

// ---- Operations: observe, decide, call, project -------------------------------------------------------------------

export const scope = define({
  kind: "Scope",
  shape,
  objects: { identities, stay: () => true },
  rules,
  plan,
  create,
  importing: { form: "workspaceId/representation", read: find },
  read,
  // Nothing of a scope changes in place: an update differs in nothing that the service knows.
  update: async (_session, { id, state }, inputs) => ({ id, state: { ...state, ...inputs } }),
  delete: async (session, { id, state }) => {
    session.warn(`${capitalised(label(state))} (${id}) ${stays}; it is only removed from state.`);
  },
});

function plan(args: PlanArgs<Shape>): Plan {
  const compared = compareFields(fields, args);
  const note = compared.replaces.length > 0 ? `the former scope (${args.id}) ${stays}.` : undefined;
  return { ...compared, note };
}

/** The POST is never repeated: the list shows whether an answer was lost, or somebody else was faster (S4). */
async function create(session: Session, declared: ScopeInputs): Promise<ScopeOutcome> {
  const { workspaceId, name, representation, description = "" } = declared;
  const doing = `Creating ${label(declared)}`;
  const before = await list(session, workspaceId, true);
  // One that differs in case only may be another scope.
  const existing = before.all.find((scope) => scope.representation === representation);
  if (existing !== undefined) return adopted(doing, declared, existing);
  const words = {
    doing,
    notDone: "Nothing was created",
    unclear:
      "It is not known whether the scope was created. Run `pulumi up` again, which looks for it before creating one",
    advice: `Check that the access token is allowed to create scopes in the workspace, that the service accepts the values, and that no other scope has this name. If the workspace has the scope and doesn't list it, remove this resource: keys can refer to the scope without it.`,
  };
  const creation = { workspaceId, before: { kind: "known", value: before } } as const;
  const send = () => createScope(session.call, { workspaceId }, { name, representation, description });
  const made = await orFail(
    createObject(session, creation, send, () => true),
    session,
    words,
  );
  if (made.kind === "known") return written(declared, made.value.record);
  // A scope that was there before may be the one that the service refused to create again.
  const mayBeIt = ({ id }: ScopeRecord) => made.error.status === 409 || !before.byId.has(id);
  const look = async () => {
    const now = await sharedReads(session.call).scopes(workspaceId).fresh();
    return now.kind === "known" ? findIn(now.value.all.filter(mayBeIt), declared) : undefined;
  };
  const isDone = (scope?: ScopeRecord) => scope !== undefined || isDoubtful(made.error);
  const found = await pollUntil(session, look, isDone);
  if (found !== undefined) return adopted(doing, declared, found);
  throw explain(made.error, session, words);
}

function adopted(doing: string, declared: ScopeInputs, record: ScopeRecord): ScopeOutcome {
  const different = differences(declared, record);
  if (different === undefined) return written(declared, record);
  const reason = `the workspace already has it (${record.id}), with ${different}`;
  const outcome = "Nothing was changed: the service has no call that edits a scope";
  const advice = "Declare these values, or another representation";
  throw new Failure("scopeDiffers", [reason, outcome, advice], { subject: `${doing}:` });
}

/** A list may be truncated, and no call deletes a scope: one that is not listed stays in state, with a warning. */
async function read(session: Session, { id, state }: Resource<Shape>): Promise<ScopeOutcome> {
  const { all, byId } = await list(session, state.workspaceId);
  const record = byId.get(id) ?? findIn(all, state);
  const different = record && differences(state, record);
  if (record === undefined) {
    session.warn(
      `${capitalised(label(state))} (${id}): the service does not list it, but the list may be truncated, so it stays in state. If it no longer exists, remove it with \`pulumi state delete\`; the next update then creates it again.`,
    );
  } else if (different !== undefined) {
    session.warn(
      `${capitalised(label(state))} (${record.id}): unlike the program, the service has ${different}. It has no call that edits a scope, so the provider leaves it as it is.`,
    );
  }
  return { id: record?.id ?? id, state };
}

/** By its representation or, where none has it, by its id. */
async function find(
  session: Session,
  [workspaceId = "", named = ""]: readonly string[],
): Promise<ScopeOutcome | undefined> {
  const { all, byId } = await list(session, workspaceId);
  const found = all.find(({ representation }) => representation === named) ?? byId.get(named);
  if (found === undefined) return undefined;
  const { name = "", representation = "", description } = found;
  return written({ workspaceId, name, representation, ...(description && { description }) }, found);
}

/** The workspace's scopes, for a create as of now, and otherwise as others have just read them. */
function list(session: Session, workspaceId: unknown, isNew = false): Promise<Listing<ScopeRecord>> {
  const scopes = sharedReads(session.call).scopes(String(workspaceId));
  const answer = isNew ? scopes.fresh() : scopes.recent(true);
  return orFail(answer.then(orThrow), session, {
    doing: `Reading the scopes of workspace ${workspaceId}`,
    notDone: "Nothing was changed",
    advice: `Check the id of the workspace, and that the access token is allowed to list its scopes. ${ifDeleted}`,
  });
}
