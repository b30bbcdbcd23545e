import { randomUUID } from "node:crypto";
import { CallError } from "../../client/callError";
import { deleteApiKey, editApiKey, recordOf, type Written } from "../../client/endpoints";
import type { ApiKeyRecord } from "../../client/responses";
import { type Outcome, type Session, text } from "../../core/definition";
import { Doubt, Failure } from "../../core/errors";
import { capitalised, outcome, told } from "../../core/outcome";
import { lookAgain } from "../../core/polling";
import { unlessAborted } from "../../core/run";
import type { Properties } from "../../core/state";
import {
  edit,
  goneElsewhere,
  renames,
  type Settled,
  settle,
  stopped,
  unmetLine,
  unseen,
} from "./convergence";
import { make, secretLine } from "./creation";
import { find, isRefusedAsGone, type KeyPath, lookUp } from "./presence";
import { look, pathOf } from "./reading";
import { holderKey, holderOf, keyLost, label, outputs, written } from "./state";

/** What is done with one API key: observe, decide, call, project. */

/** `owner` holds the key where it is not taken over; "" for a resource that stands for this key alone. */
export async function create(session: Session, declared: Properties, owner = ""): Promise<Outcome> {
  const existing = text(declared["existingKey"]);
  const holder = existing === undefined ? owner : randomUUID().slice(0, 8);
  const { record, deferred } = await make(session, declared, holder);
  const key = existing ?? record.key;
  session.leaves(remains(declared, record.id));
  const born = { [holderKey]: holder || undefined, ...(key === undefined ? { [keyLost]: true } : { key }) };
  const settled = await unlessAborted(
    session.signal,
    settle(session, pathOf(declared, record.id), declared, record, { answer: deferred ? undefined : record }),
    () => unseen(declared, record, undefined, new Doubt("the run ended")),
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
  renamed: ApiKeyRecord | undefined,
): Promise<Settled> {
  try {
    const answer = recordOf(await editApiKey(session.call, path, edit(declared, current)));
    return await settle(session, path, declared, current, { answer, before: current, renamed });
  } catch (error) {
    const cause = await causeOf(session, path, error);
    if (error instanceof CallError && error.verdict === "ambiguous") {
      return unseen(declared, current, renamed, cause);
    }
    throw told(session, cause, {
      doing,
      notDone: "State is unchanged",
      advice: `Check that the access token may edit the keys of ${path.workspaceId}, and that the service accepts the declared values.`,
    });
  }
}

/** Why a write was refused: for the error that it was answered with, or because the key is gone. */
async function causeOf(session: Session, path: KeyPath, error: unknown): Promise<unknown> {
  try {
    return (await isRefusedAsGone(session, path, error)) ? goneElsewhere() : error;
  } catch (doubt) {
    return doubt;
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
    await sendDelete(session, path);
  } catch (error) {
    throw told(session, error, {
      doing: `Deleting ${label(state)} (${id})`,
      notDone: "It stays in state",
      unclear: "Whether it was deleted is not known; it stays in state: run the command again",
      advice: `Check that the access token may delete keys of ${path.workspaceId}.`,
    });
  }
}

/** Deletes the key, and throws where it may still be there: neither a success nor a refusal is believed by itself (R7). */
async function sendDelete(session: Session, path: KeyPath): Promise<void> {
  let answered: Written<ApiKeyRecord>;
  try {
    answered = await deleteApiKey(session.call, path);
  } catch (error) {
    if (await isRefusedAsGone(session, path, error)) return;
    throw error;
  }
  if (recordOf(answered)?.deleted) return;
  // A gateway that answers with a page may answer the next request with a 404.
  const isGone = async () =>
    answered.foreign ? (await lookUp(session, path)) === undefined : "missing" in (await find(session, path));
  if (await lookAgain(session, `key ${path.keyId} to be deleted`, isGone, Boolean)) return;
  const said = answered.problem ?? "the service accepted the deletion";
  throw new Doubt(`${said}, but the key is still there`);
}
