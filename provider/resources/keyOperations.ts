import { randomUUID } from "node:crypto";
import { CallError } from "../client/callError";
import { deleteApiKey, editApiKey } from "../client/endpoints";
import type { ApiKeyRecord } from "../client/responses";
import { type Outcome, type Session, text } from "../definition";
import { Doubt, Failure } from "../errors";
import { capitalised, outcome, told } from "../outcome";
import { unlessAborted } from "../run";
import type { Properties } from "../state";
import {
  edit,
  goneElsewhere,
  renames,
  type Settled,
  settle,
  stopped,
  unmetLine,
  unseen,
} from "./keyConvergence";
import { make, secretLine } from "./keyCreation";
import { judge, type KeyPath, lookUp } from "./keyPresence";
import { look, pathOf } from "./keyReading";
import { holderKey, holderOf, keyLost, label, outputs, written } from "./keyState";

/** What is done with one API key: observe, decide, call, project. */

export async function create(session: Session, declared: Properties): Promise<Outcome> {
  const existing = text(declared["existingKey"]);
  const holder = existing === undefined ? undefined : randomUUID().slice(0, 8);
  const record = await make(session, declared, holder);
  const key = existing ?? record.key;
  session.leaves(remains(declared, record.id));
  const born = { [holderKey]: holder, ...(key === undefined ? { [keyLost]: true } : { key }) };
  const settled = await unlessAborted(
    session.signal,
    settle(session, pathOf(declared, record.id), declared, record),
    () => unseen(declared, record, undefined, new Doubt("the run ended", "")),
  );
  const doing = `${capitalised(label(declared))} was created as ${record.id}, but not seen as declared`;
  return outcome(
    record.id,
    written(declared, settled, { ...outputs(record), ...born }),
    secretLine(declared, record),
    stopped(session, doing, settled),
    unmetLine(doing, settled),
  );
}

/** A key that nobody will learn the secret of is deleted; never one whose value somebody may use already. */
export async function abandon(session: Session, { id, state }: Outcome): Promise<readonly string[]> {
  if (text(state["existingKey"]) !== undefined) return [remains(state, id)];
  try {
    await remove(session, id, state);
    session.known.drop(state, id);
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [remains(state, id)];
  }
}

/** What a create leaves whose result state can't hold. */
function remains(declared: Properties, id: string): string {
  const found = `${capitalised(label(declared))} stands in the service as ${id}, but the run ended before state could hold it`;
  return text(declared["existingKey"]) === undefined
    ? `${found}. Delete it: the next up makes another one.`
    : `${found}. Its value may be in use, so don't delete it: take it in as an ApiKey with \`pulumi import --file\`.`;
}

export async function update(
  session: Session,
  id: string,
  state: Properties,
  declared: Properties,
): Promise<Outcome> {
  session.hide(state["key"]);
  const path = pathOf(state, id);
  const doing = `Updating ${label(declared)} (${id})`;
  const current = await look(session, path, doing);
  if (current === undefined) throw told(session, goneElsewhere(), { doing, notDone: "State is unchanged" });
  const settled = await write(session, path, doing, declared, current, renames(declared, state, current));
  const next = written(declared, settled, state);
  return outcome(id, next, stopped(session, doing, settled), unmetLine(doing, settled));
}

/** Sends the declared fields. From then on the engine must know of a failure: it would take a way back for no change. */
async function write(
  session: Session,
  path: KeyPath,
  doing: string,
  declared: Properties,
  current: ApiKeyRecord,
  before: ApiKeyRecord | undefined,
): Promise<Settled> {
  try {
    const { record } = await editApiKey(session.call, path, edit(declared, current));
    return await settle(session, path, declared, current, record ?? null, before);
  } catch (error) {
    const judged = await judge(session, path, error);
    const cause = judged.gone ? goneElsewhere() : judged.cause;
    if (error instanceof CallError && error.verdict === "ambiguous") {
      return unseen(declared, current, before, cause);
    }
    throw told(session, cause, {
      doing,
      notDone: "State is unchanged",
      advice: `Check that the access token may edit the keys of ${path.workspaceId}, and that the service accepts the declared values.`,
    });
  }
}

export async function remove(session: Session, id: string, state: Properties): Promise<void> {
  session.hide(state["key"]);
  if (session.known.release(state, id, holderOf(state) ?? "")) {
    session.warn(
      `${capitalised(label(state))} (${id}) is left to another resource of this stack, which has the same key.`,
      [id],
    );
    return;
  }
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
