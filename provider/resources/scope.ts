/**
 * A scope of a workspace. The service can list scopes and create them, but neither change nor delete one: a scope that
 * is there already and says the same is adopted, a declared change is refused unless it creates another scope, and
 * destroy only removes it from state (interface, sections 2, 4.10 and 4.11).
 */
import { CallError } from "../client/callError";
import { createScope, type ScopeRecord } from "../client/scopes";
import {
  type DraftOf,
  define,
  type InputsOf,
  type Outcome,
  type Session,
  type StateOf,
} from "../core/definition";
import { type Attempt, capitalised, Failure, toFailure } from "../core/errors";
import { aString, optional, required, stable, string } from "../core/fields";
import { expectVisible } from "../core/presence";
import { isSecret, shown } from "../core/secrecy";
import { caseFolded } from "../core/state";
import { isUnknown } from "../core/unknown";
import { lastingMs, orThrow, sharedReads } from "../reads/sharedReads";
import { optionalString, pathSegment, requiredString } from "./fields/schemas";

// ---- Properties ---------------------------------------------------------------------------------------------------

const shape = {
  inputs: {
    workspaceId: required(pathSegment("the id of a workspace"), { onChange: "replace", canonical: string }),
    name: required(requiredString("a name"), { onChange: "refuse", canonical: string }),
    representation: required(
      requiredString("the representation, the string that the scopes of keys refer to"),
      {
        onChange: "replace",
        canonical: string,
      },
    ),
    description: optional(optionalString(), { onChange: "refuse", canonical: string }),
  },
  outputs: { createdAt: stable(aString), updatedAt: stable(aString) },
  hidden: {},
};

export type Shape = typeof shape;
type ScopeInputs = InputsOf<Shape>;
type ScopeState = StateOf<Shape>;
type ScopeOutcome = Outcome<ScopeState>;

/** The service has no call to change a scope (S2). */
function rules(declared: DraftOf<Shape>, before: DraftOf<Shape> | undefined): readonly string[] {
  if (before === undefined) return [];
  const changed = (name: keyof Shape["inputs"]) => string(declared[name]) !== string(before[name]);
  // An unknown value may be another one, which creates another scope.
  if (changed("workspaceId") || changed("representation")) return [];
  return (["name", "description"] as const)
    .filter((name) => !isUnknown(declared[name]) && changed(name))
    .map(
      (name) =>
        `${name}: can't change, because the service has no call that edits a scope; restore the old value, or declare another representation, which creates another scope.`,
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

type Selector = (scopes: readonly ScopeRecord[]) => ScopeRecord | undefined;

/** The scope of exactly this representation: one that differs in case only may be another scope. */
function exactly({ representation }: ScopeState): Selector {
  return (scopes) => scopes.find((scope) => scope.representation === representation);
}

/** The scope of this representation; the service may have changed its case or trimmed it. */
function named(declared: ScopeState): Selector {
  const wanted = caseFolded(declared.representation);
  return (scopes) =>
    exactly(declared)(scopes) ?? scopes.find(({ representation }) => caseFolded(representation) === wanted);
}

/** The names of what differs between a declared scope and the service's (S1). */
function differing(declared: ScopeState, record: ScopeRecord): readonly ("name" | "description")[] {
  return (["name", "description"] as const).filter(
    (name) => caseFolded(declared[name]) !== caseFolded(record[name]),
  );
}

// ---- Operations: observe, decide, call, project -------------------------------------------------------------------

export const scope = define({
  kind: "Scope",
  shape,
  onDestroy: "retain",
  rules,
  replaceNote: ({ id, state }) => `${staying(id, state)}.`,
  importing: { form: "workspaceId/representation", read: find },
  create,
  read,
  // Nothing of a scope changes in place: an update differs in nothing that the service knows.
  update: async (_session, { id, state, inputs }) => ({ id, state: { ...state, ...inputs } }),
  delete: async (session, id, state) => {
    session.warn(`${staying(id, state)}; it is only removed from state.`);
  },
});

async function create(session: Session, declared: ScopeInputs): Promise<ScopeOutcome> {
  const { workspaceId, name, representation, description = "" } = declared;
  const doing = `Creating ${label(declared)}`;
  const there = exactly(declared)(await list(session, declared, { doing, notDone: "Nothing was created" }));
  if (there !== undefined) return adopted(doing, declared, there);
  try {
    const { record } = await createScope(
      session.call,
      { workspaceId },
      { name, representation, description },
    );
    // An answer may be another scope's: the list decides.
    const own = named(declared)(record === undefined ? [] : [record]);
    if (own !== undefined) return written(declared, own);
  } catch (error) {
    return await afterFailure(session, doing, declared, error);
  }
  const found = await findAgain(session, declared, doing, named(declared));
  if (found !== undefined) return adopted(doing, declared, found);
  throw new Failure(
    `${doing}: the service accepted the request, but neither its answer nor its list shows the scope. The scope is not in state. Run \`pulumi up\` again, which looks for it before creating one.`,
  );
}

/**
 * A POST is never repeated: the list shows whether an answer was lost, or somebody else was faster (S4). If the
 * service refused it, nothing was created, so an existing scope must have exactly this representation.
 */
async function afterFailure(
  session: Session,
  doing: string,
  declared: ScopeInputs,
  error: unknown,
): Promise<ScopeOutcome> {
  const { verdict, status } = error instanceof CallError ? error : {};
  const select = verdict === "ambiguous" ? named(declared) : exactly(declared);
  if (verdict === "ambiguous" || (verdict === "refused" && status !== 401)) {
    const found = await findAgain(session, declared, doing, select).catch((failed: unknown) => {
      // Why the service refused says more than that its list can't be read.
      if ((verdict === "refused" || status === 409) && failed instanceof Failure) return undefined;
      throw failed;
    });
    if (found !== undefined) return adopted(doing, declared, found);
  }
  throw toFailure(error, session, {
    doing,
    notDone: "Nothing was created",
    unclear:
      "It is not known whether the scope was created; the service's list does not show it. Run `pulumi up` again, which looks for it before creating one",
    advice: `Check that the access token is allowed to create scopes in ${declared.workspaceId}.`,
  });
}

function adopted(doing: string, declared: ScopeInputs, record: ScopeRecord): ScopeOutcome {
  const different = differing(declared, record);
  if (different.length === 0) return written(declared, record);
  const has = different
    .map((name) => `${name} ${shown(declared, name, `"${record[name] ?? ""}"`)}`)
    .join(" and ");
  throw new Failure(
    `${doing}: the workspace already has it (${record.id}), with ${has}, and the service has no call that edits a scope. Nothing was changed. Declare these values, or another representation.`,
  );
}

/** Reads the list again for what should be in it; a list may lag behind a write. */
async function findAgain(
  session: Session,
  declared: ScopeInputs,
  doing: string,
  select: Selector,
): Promise<ScopeRecord | undefined> {
  for (const ms of [0, 500, 1_500]) {
    if (ms > 0) await session.pause(ms);
    const notDone = "It is not known whether the scope was created";
    const found = select(await list(session, declared, { doing, notDone }));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A list may be truncated, and no call deletes a scope: one that is not listed stays in state, with a warning. */
async function read(session: Session, id: string, state: ScopeState): Promise<ScopeOutcome> {
  const doing = `Reading ${label(state)} (${id})`;
  const subject = `${capitalised(label(state))} (${id})`;
  const attempt = { doing, notDone: "State is unchanged" };
  const scopes = await list(session, state, attempt, id);
  const record = scopes.find((one) => one.id === id) ?? named(state)(scopes);
  if (record === undefined) {
    try {
      await expectVisible(session, String(state.workspaceId), "the service does not list the scope");
    } catch (error) {
      throw toFailure(error, session, attempt);
    }
    const notFound = `${subject}: the service does not list it, but the list may be truncated, so it stays in state. If it no longer exists, remove it with \`pulumi state delete\`; the next update then creates it again.`;
    return { id, state, notFound };
  }
  const different = differing(state, record);
  if (different.length > 0) {
    session.warn(
      `${subject}: the service has another ${different.join(" and ")} than the program. It has no call that edits a scope, so the provider leaves it as it is.`,
    );
  }
  return { id: record.id, state };
}

/** By its representation or, where none has it, by its id. */
async function find(
  session: Session,
  [workspaceId = "", named]: readonly string[],
): Promise<ScopeOutcome | undefined> {
  const doing = `Reading the scopes of workspace ${workspaceId}`;
  const scopes = await list(session, { workspaceId }, { doing, notDone: "Nothing was changed" }, named);
  const found =
    scopes.find(({ representation }) => representation === named) ?? scopes.find(({ id }) => id === named);
  if (found === undefined) return undefined;
  const { name = "", representation = "", description } = found;
  return written({ workspaceId, name, representation, ...(description && { description }) }, found);
}

/** The scopes of the workspace as of now or, for a reader, as others have just read them. */
async function list(
  session: Session,
  { workspaceId }: ScopeState,
  attempt: Attempt,
  reader?: string,
): Promise<readonly ScopeRecord[]> {
  try {
    const scopes = sharedReads(session.call).scopes(String(workspaceId));
    const answer = reader === undefined ? scopes.awaited() : scopes.current(lastingMs, reader);
    return orThrow(await answer).all;
  } catch (error) {
    const advice = `Check the id of the workspace, and that the access token is allowed to list its scopes.`;
    throw toFailure(error, session, { ...attempt, advice });
  }
}
