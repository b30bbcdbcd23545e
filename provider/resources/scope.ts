/** A scope of a workspace. The service can neither change nor delete one (interface, sections 2, 4.10 and 4.11). */
import { CallError } from "../client/send";
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
import { type CallWords, explain, Failure, InconclusiveError, orFail } from "../core/errors";
import { findCreated } from "../core/existence";
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

function staying(id: string, state: ScopeState): string {
  return `${capitalised(label(state))} (${id}) stays in the service, which has no call to delete a scope`;
}

function written(declared: ScopeState, { id, createdAt, updatedAt }: ScopeRecord): ScopeOutcome {
  return { id, state: { ...declared, createdAt, updatedAt } };
}

/** The scope of this representation; the service may have changed its case or trimmed it. */
function findFolded(declared: ScopeState, scopes: readonly ScopeRecord[]): ScopeRecord | undefined {
  const exact = scopes.find(({ representation }) => representation === declared.representation);
  return exact ?? scopes.find((scope) => isAlike(declared, scope));
}

function isAlike(declared: ScopeState, { representation }: ScopeRecord): boolean {
  return caseFolded(representation) === caseFolded(declared.representation);
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
  label,
  objects: { identities, stay: () => true },
  rules,
  plan,
  create,
  importing: { form: "workspaceId/representation", read: find },
  read,
  // Nothing of a scope changes in place: an update differs in nothing that the service knows.
  update: async (_session, { id, state }, inputs) => ({ id, state: { ...state, ...inputs } }),
  delete: async (session, { id, state }) => {
    session.warn(`${staying(id, state)}; it is only removed from state.`);
  },
});

function plan(args: PlanArgs<Shape>): Plan {
  const { id = "", state = {} } = args;
  const compared = compareFields(fields, args);
  const note = compared.replaces.length > 0 ? `${staying(id, state)}.` : undefined;
  return { ...compared, isLocal: true, note };
}

/** The POST is never repeated: the list shows whether an answer was lost, or somebody else was faster (S4). */
async function create(session: Session, declared: ScopeInputs): Promise<ScopeOutcome> {
  const { workspaceId, name, representation, description = "" } = declared;
  const doing = `Creating ${label(declared)}`;
  const before = await list(session, declared, { doing, notDone: "Nothing was created" });
  // One that differs in case only may be another scope.
  const existing = before.all.find((scope) => scope.representation === representation);
  if (existing !== undefined) return adopted(doing, declared, existing);
  let failed: CallError | undefined;
  try {
    const body = { name, representation, description };
    const { record } = await createScope(session.call, { workspaceId }, body);
    if (record !== undefined && !before.byId.has(record.id)) {
      warnOfDifferences(session, declared, record);
      return written(declared, record);
    }
  } catch (error) {
    failed = error instanceof CallError && error.verdict === "ambiguous" ? error : undefined;
    const advice = `Check that the access token is allowed to create scopes in ${workspaceId}, and that the service accepts the values.`;
    if (failed === undefined)
      throw explain(error, session, { doing, notDone: "Nothing was created", advice });
  }
  const created = await findCreated(session, {
    workspaceId,
    list: sharedReads(session.call).scopes(workspaceId),
    before: { kind: "known", value: before },
    candidates: ({ all }) => all.filter((scope) => isAlike(declared, scope)),
  });
  // A scope that was there before and differs only in form may be the one that the service refused to create again.
  const others = failed === undefined || failed.status === 409 ? before.all : [];
  const found = created.kind === "known" ? findFolded(declared, [...created.value, ...others]) : undefined;
  if (found) return adopted(doing, declared, found);
  const again = "Run `pulumi up` again, which looks for it before creating one";
  const unseen = "the service accepted the request, but neither its answer nor its list shows the scope";
  throw explain(failed ?? new InconclusiveError("outcomeUnclear", unseen, again), session, {
    doing,
    notDone: unclear,
    unclear: `${unclear}. ${again}`,
    advice:
      "another scope has this name, so declare another name; or the workspace has the scope without showing it in its list, so remove this resource: keys can refer to the scope without it",
  });
}

const unclear = "It is not known whether the scope was created";

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
  const doing = `Reading ${label(state)} (${id})`;
  const { all, byId } = await list(session, state, { doing, notDone: "State is unchanged" }, true);
  const record = byId.get(id) ?? findFolded(state, all);
  if (record === undefined) {
    session.warn(
      `${capitalised(label(state))} (${id}): the service does not list it, but the list may be truncated, so it stays in state. If it no longer exists, remove it with \`pulumi state delete\`; the next update then creates it again.`,
    );
    return { id, state };
  }
  warnOfDifferences(session, state, record);
  return { id: record.id, state };
}

function warnOfDifferences(session: Session, declared: ScopeState, record: ScopeRecord): void {
  const different = differences(declared, record);
  if (different === undefined) return;
  session.warn(
    `${capitalised(label(declared))} (${record.id}): unlike the program, the service has ${different}. It has no call that edits a scope, so the provider leaves it as it is.`,
  );
}

/** By its representation or, where none has it, by its id. */
async function find(
  session: Session,
  [workspaceId = "", named = ""]: readonly string[],
): Promise<ScopeOutcome | undefined> {
  const doing = `Reading the scopes of workspace ${workspaceId}`;
  const words = { doing, notDone: "Nothing was changed" };
  const { all, byId } = await list(session, { workspaceId }, words, true);
  const found = all.find(({ representation }) => representation === named) ?? byId.get(named);
  if (found === undefined) return undefined;
  const { name = "", representation = "", description } = found;
  return written({ workspaceId, name, representation, ...(description && { description }) }, found);
}

/** The scopes of the workspace as of now or, for a refresh, as others have just read them. */
async function list(
  session: Session,
  { workspaceId }: ScopeState,
  words: CallWords,
  isRefresh = false,
): Promise<Listing<ScopeRecord>> {
  const scopes = sharedReads(session.call).scopes(String(workspaceId));
  const answer = isRefresh ? scopes.recent(true) : scopes.fresh();
  const advice = `Check the id of the workspace, and that the access token is allowed to list its scopes.`;
  return orFail(answer.then(orThrow), session, { ...words, advice });
}
