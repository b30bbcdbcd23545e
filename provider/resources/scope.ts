/**
 * A scope of a workspace. The service can list scopes and create them, but neither change nor delete one: a scope that
 * is there already and says the same is adopted, a declared change is refused unless it makes another scope, and
 * destroy only drops it from state (interface, sections 2, 4.10 and 4.11).
 */
import * as z from "zod";
import { CallError } from "../client/callError";
import { createScope } from "../client/endpoints";
import type { ScopeRecord } from "../client/responses";
import { type Definition, facts, type Outcome, type Session, text } from "../core/definition";
import { Doubt, Failure } from "../core/errors";
import { capitalised, told } from "../core/outcome";
import { isSecret, shown } from "../core/secrecy";
import { folded, type Properties } from "../core/state";
import { isUnknown } from "../core/unknown";
import { demanded, freshly, shared, sharedReads } from "../reads/sharedReads";
import { optionalText, pathSegment, requiredText } from "./fields/schemas";

// ---- Inputs: schema and facts -------------------------------------------------------------------------------------

const inputs = z.strictObject({
  workspaceId: pathSegment("the id of a workspace").register(facts, { onChange: "replace", canonical: text }),
  name: requiredText("a name").register(facts, { onChange: "refuse", canonical: text }),
  representation: requiredText("the text that keys' scopes name it by").register(facts, {
    onChange: "replace",
    canonical: text,
  }),
  description: optionalText().register(facts, { onChange: "refuse", canonical: text }),
});

export type ScopeInputs = z.input<typeof inputs>;

/** The service has no call to change a scope (S2). */
function rules(declared: Properties, before: Properties | undefined): readonly string[] {
  if (before === undefined) return [];
  const changed = (name: string) => text(declared[name]) !== text(before[name]);
  // One that is not known yet may be another one, which makes another scope.
  if (changed("workspaceId") || changed("representation")) return [];
  return ["name", "description"]
    .filter((name) => !isUnknown(declared[name]) && changed(name))
    .map(
      (name) =>
        `${name}: can't change, since the service has no call that edits a scope; put the old value back, or declare another representation, which makes another scope.`,
    );
}

// ---- Decisions ----------------------------------------------------------------------------------------------------

function label(properties: Properties): string {
  const named = isSecret(properties, "representation")
    ? "the scope"
    : `scope "${properties["representation"]}"`;
  return `${named} in workspace ${properties["workspaceId"]}`;
}

function written(declared: Properties, record: ScopeRecord): Outcome {
  const { id, createdAt, updatedAt } = record;
  return { id, state: { ...declared, createdAt, updatedAt } };
}

type Pick = (scopes: readonly ScopeRecord[]) => ScopeRecord | undefined;

/** The scope of exactly this representation: one that differs in case only may be another scope. */
function exactly({ representation }: Properties): Pick {
  return (scopes) => scopes.find((scope) => scope.representation === representation);
}

/** The scope of this representation; a service that made it may have changed its case or trimmed it. */
function named(declared: Properties): Pick {
  return (scopes) =>
    exactly(declared)(scopes) ??
    scopes.find((scope) => folded(scope.representation) === folded(declared["representation"]));
}

/** The names of what differs between a declared scope and the service's (S1). */
function differing(declared: Properties, record: ScopeRecord): readonly ("name" | "description")[] {
  return (["name", "description"] as const).filter((name) => folded(declared[name]) !== folded(record[name]));
}

// ---- Operations: observe, decide, call, project -------------------------------------------------------------------

export const scope: Definition = {
  kind: "Scope",
  schema: inputs,
  rules,
  create,
  read,
  // Nothing of a scope changes in place: what reaches this differs in nothing that the service knows.
  update: async (_session, id, state, declared) => ({ id, state: { ...state, ...declared } }),
  delete: async (session, id, state) => {
    session.warn(
      `${capitalised(label(state))} (${id}) stays in the service, which has no call to delete a scope; only this stack no longer knows it.`,
    );
  },
};

async function create(session: Session, declared: Properties): Promise<Outcome> {
  const doing = `Creating ${label(declared)}`;
  const listed = await list(session, declared, doing, "Nothing was created");
  const there = exactly(declared)(listed);
  if (there !== undefined) return adopted(doing, declared, there);
  try {
    const { record } = await createScope(
      session.call,
      { workspaceId: String(declared["workspaceId"]) },
      {
        name: declared["name"] as string,
        representation: declared["representation"] as string,
        description: (declared["description"] ?? "") as string,
      },
    );
    // An answer may be another scope's: the list tells.
    const own = named(declared)(record === undefined ? [] : [record]);
    if (own !== undefined) return written(declared, own);
  } catch (error) {
    return await afterFailure(session, doing, declared, error);
  }
  const { found } = await findAgain(session, declared, doing, named(declared));
  if (found !== undefined) return adopted(doing, declared, found);
  throw new Failure(
    `${doing}: the service accepted it, but neither its answer nor its list shows it. State does not hold it; run \`pulumi up\` again, which looks for it before creating one.`,
  );
}

/**
 * A POST is never repeated: the list tells whether an answer was lost, or somebody else was faster (S4). Where the
 * service refused it, nothing was made, so what is there must have exactly this representation.
 */
async function afterFailure(
  session: Session,
  doing: string,
  declared: Properties,
  error: unknown,
): Promise<Outcome> {
  const { verdict, status } = error instanceof CallError ? error : {};
  const pick = verdict === "ambiguous" ? named(declared) : exactly(declared);
  if (verdict === "ambiguous" || (verdict === "refused" && status !== 401)) {
    const { found } = await findAgain(session, declared, doing, pick).catch((failed: unknown) => {
      // Why the service refused says more than that its list can't be read.
      if ((verdict === "refused" || status === 409) && failed instanceof Failure) return { found: undefined };
      throw failed;
    });
    if (found !== undefined) return adopted(doing, declared, found);
  }
  throw told(session, error, {
    doing,
    notDone: "Nothing was created",
    unclear:
      "Whether it was created is not known, and the service's list did not show it; run `pulumi up` again, which looks for it before creating one",
    advice: `Check that the access token may create scopes in ${declared["workspaceId"]}.`,
  });
}

function adopted(doing: string, declared: Properties, record: ScopeRecord): Outcome {
  const different = differing(declared, record);
  if (different.length === 0) return written(declared, record);
  const has = different
    .map((name) => `${name} ${shown(declared, name, `"${record[name] ?? ""}"`)}`)
    .join(" and ");
  throw new Failure(
    `${doing}: the workspace has one already (${record.id}), with ${has}, and the service has no call that edits a scope. Nothing was changed. Declare it as it is, or with another representation.`,
  );
}

interface Search {
  readonly found: ScopeRecord | undefined;
  /** Whether the list was empty each time. */
  readonly empty: boolean;
}

/** Reads the list again for what should be in it; a list may lag behind a write. */
async function findAgain(
  session: Session,
  declared: Properties,
  doing: string,
  pick: Pick,
  notDone = "Whether it was created is not known",
): Promise<Search> {
  let empty = true;
  for (const pause of [0, 500, 1500]) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const listed = await list(session, declared, doing, notDone);
    const found = pick(listed);
    empty &&= listed.length === 0;
    if (found !== undefined) return { found, empty };
  }
  return { found: undefined, empty };
}

async function read(session: Session, id: string, state: Properties): Promise<Outcome | undefined> {
  const doing = `Reading ${label(state)} (${id})`;
  const unchanged = "State is unchanged";
  const byId: Pick = (scopes) => scopes.find((record) => record.id === id) ?? named(state)(scopes);
  const listed = await list(session, state, doing, unchanged, id);
  let record = byId(listed);
  if (record === undefined) {
    await visible(session, state, doing);
    const { found, empty } = await findAgain(session, state, doing, byId, unchanged);
    if (found === undefined && empty && listed.length === 0) return undefined;
    record = found;
  }
  // The service has no call that deletes a scope, and a list may be cut.
  if (record === undefined) {
    session.warn(
      `${capitalised(label(state))} (${id}): the service's list does not hold it, but may be cut, so state keeps it. If it no longer exists, drop it with \`pulumi state delete\`; the next up then makes it again.`,
    );
    return { id, state };
  }
  const different = differing(state, record);
  if (different.length > 0) {
    session.warn(
      `${capitalised(label(state))} (${id}): its ${different.join(" and ")} in the service differs from what is declared. The service has no call that edits a scope, so nothing is done about it.`,
    );
  }
  return { id: record.id, state };
}

/** An empty list is also what a token of another tenant sees: what is not in it is gone only if the workspace is visible (R6). */
async function visible(session: Session, state: Properties, doing: string): Promise<void> {
  const workspaceId = String(state["workspaceId"]);
  // What others saw of it before may be from before this token lost sight of it, and of its scopes.
  const workspace = await sharedReads(session.call).workspace(workspaceId).fresh();
  if (!("problem" in workspace)) return;
  const doubt = new Doubt(
    `the service lists no such scope, but its workspace can't be read either: ${workspace.problem}`,
    `The access token is the likely cause: it may belong to another account. ${session.tokenAdvice}`,
  );
  throw told(session, doubt, { doing, notDone: "State is unchanged" });
}

/** The scopes of the workspace: for a reader those that all readers share, else those of now. */
async function list(
  session: Session,
  properties: Properties,
  doing: string,
  notDone: string,
  reader?: string,
): Promise<readonly ScopeRecord[]> {
  const workspaceId = String(properties["workspaceId"]);
  try {
    const scopes = sharedReads(session.call).scopes(workspaceId);
    return (reader === undefined ? await freshly(scopes) : demanded(await shared(scopes, reader))).all;
  } catch (error) {
    const advice = `Check the id of the workspace, and that the access token may list its scopes.`;
    throw told(session, error, { doing, notDone, advice });
  }
}
