import { CallError } from "../../client/callError";
import { createApiKey, migrateApiKey, type Written } from "../../client/endpoints";
import { pathProblem } from "../../client/paths";
import type { ApiKeyRecord } from "../../client/responses";
import { type Session, text } from "../../core/definition";
import { Failure, sentences } from "../../core/errors";
import { capitalised, told } from "../../core/outcome";
import { folded, type Properties } from "../../core/state";
import type { Unavailable } from "../../reads/sharedReads";
import { type Creation, findings, inWords, leftover, sought, strangers } from "./candidates";
import { agrees, fits, isOf, isOld, type Listed, unread, witness } from "./keysBefore";
import { lookUp } from "./presence";
import { createBody, label, labelOfValue, migrateBody } from "./state";

/** Creates the key, or takes an existing one over; finds out what became of it where the answer is lost. */
export async function make(session: Session, declared: Properties, holder: string): Promise<Made> {
  const existing = text(declared["existingKey"]) as string | undefined;
  session.hide(existing);
  const doing = `${existing === undefined ? "Creating" : "Taking over"} ${label(declared)}`;
  const seen = await witness(session, declared, { fresh: existing !== undefined });
  const creation: Creation = { session, declared, existing, holder, doing, seen };
  const alike = "alike" in seen.before ? strangers(creation, seen.before.alike(declared)) : [];
  if (alike.length > 0) {
    const ids = alike.map(({ id }) => id);
    session.warn(`${doing}: ${leftover(creation, alike)}`, ids);
  }
  const { record, problem, deferred } = await posted(creation, alike);
  if (record !== undefined) return { record, ...(deferred && { deferred }) };
  return {
    record: await recovered(creation, problem ?? "the answer can't be used", "The service accepted it"),
  };
}

interface Made extends Pick<Written<ApiKeyRecord>, "deferred"> {
  readonly record: ApiKeyRecord;
}

const unknownOutcome = "Whether it was created is not known";

async function posted(creation: Creation, alike: readonly Listed[]): Promise<Written<ApiKeyRecord>> {
  const { session, declared, existing, holder, doing, seen } = creation;
  const underWay = sentences(
    `${doing}: this was under way when the run ended`,
    `${unknownOutcome}, and state does not hold it`,
    capitalised(sought(creation)),
  );
  try {
    return await seen.posting(async () => {
      const call = { ...session.call, sending: () => session.leaves(underWay) };
      const written =
        existing === undefined
          ? await createApiKey(call, createBody(declared))
          : await migrateApiKey(call, migrateBody(declared));
      if (written.record === undefined) return written;
      session.hide(written.record.key);
      const problem = await foreign(creation, written.record);
      if (problem !== undefined) return { record: undefined, problem };
      session.known.add(declared, written.record.id, holder);
      return written;
    });
  } catch (error) {
    const held =
      existing === undefined || alike.length === 0
        ? ""
        : ` If the service holds this key already, as ${inWords(creation, alike)}, take it in as an ApiKey with \`pulumi import --file\`.`;
    const others = existing === undefined ? [] : session.known.alsoGiven(existing, labelOfValue(declared));
    const twice =
      others.length === 0
        ? ""
        : ` The program gives this value to ${others.slice(0, 5).join(", ")} too, but one value can't be two keys: leave it out of one of them.`;
    const refused = `check that the access token may create keys in ${declared["workspaceId"]}, and that the service accepts the declared values.${twice}${held}`;
    if (error instanceof CallError && error.verdict === "ambiguous") {
      const advice = error.status === 409 ? `If the service has refused it, ${refused}` : undefined;
      return { record: await recovered(creation, error.message, unknownOutcome, advice) };
    }
    session.leaves(undefined);
    throw told(session, error, { doing, notDone: "Nothing was created", advice: capitalised(refused) });
  }
}

/** Why an answer is another key's, if it is. */
async function foreign(creation: Creation, record: ApiKeyRecord): Promise<string | undefined> {
  const { session, declared, existing, seen } = creation;
  const another = `the answer is that of another key, ${record.id}`;
  const isEcho = existing !== undefined && record.key === existing;
  const listed = "has" in seen.before && seen.before.has(record.id);
  const dropped = session.known.isDropped(declared, record.id);
  if (session.known.has(declared, record.id) || (listed && !dropped) || isOld(record, seen.since)) {
    if (existing === undefined) return another;
    if (!isEcho && !agrees(record, declared, existing)) return another;
    session.warn(
      `Taking over ${label(declared)}: the service answered with ${record.id}, which it held before. If another resource or stack manages this key too, the first of them that is destroyed may end it.`,
      [record.id],
    );
    return undefined;
  }
  return !isEcho && (await displaced(creation, record)) ? another : undefined;
}

/**
 * Whether an answer that is not known to be old, and is not as declared, is another key's: then the list shows one that
 * is as declared. A service may rewrite names, and with a list that is not cut an id that it lacked is new.
 */
async function displaced({ session, declared, seen }: Creation, record: ApiKeyRecord): Promise<boolean> {
  const path = { workspaceId: String(declared["workspaceId"]), keyId: record.id };
  const untold = record.customerId === undefined && "problem" in seen.before;
  const whole = untold ? await lookUp(session, path).catch(() => record) : record;
  if (whole === undefined) return false;
  const named = whole.name === undefined || folded(whole.name) === folded(declared["name"]);
  const owned = isOf(whole.customerId, declared);
  if (owned && (named || "has" in seen.before)) return false;
  if (owned && "problem" in seen.before && listsNone(seen.before)) return false;
  const now = await seen.now();
  // A token that may not list keys must do, also for a service that rewrites what it is sent.
  if ("problem" in now) return !owned && !listsNone(now);
  const isCandidate = (key: Listed) =>
    key.id !== record.id && !session.known.has(declared, key.id) && !isOld(key, seen.since);
  return now
    .alike(declared)
    .some((key) => isCandidate(key) && !("has" in seen.before && seen.before.has(key.id)));
}

const unlisted = new Set([403, 404, 405, 410, 501]);

/** Whether this token, or this service, lists no keys: such an answer says nothing of an answer to a POST. */
function listsNone({ error }: Unavailable): boolean {
  return error?.verdict === "invalidAnswer" || unlisted.has(error?.status ?? 0);
}

/** What the workspace's list tells of a key whose answer was lost: it may be found, or else the user must look. */
async function recovered(
  creation: Creation,
  problem: string,
  accepted: string,
  advice?: string,
): Promise<ApiKeyRecord> {
  const { session, declared, existing, holder, doing, seen } = creation;
  const now = await seen.newcomers();
  if (existing !== undefined && !("problem" in now) && !("problem" in seen.before)) {
    // Another one whose answer was lost too may have been told the same list.
    const isFree = (key: Listed) => !session.known.has(declared, key.id);
    const [only, ...others] = now.filter((key) => fits(key, declared, existing) && isFree(key));
    if (only !== undefined && others.length === 0 && pathProblem(only.id) === undefined) {
      session.known.add(declared, only.id, holder);
      session.warn(
        `${doing}: ${problem}, but the workspace's list has one new key that fits, ${inWords(creation, [only])}, which is taken for it.`,
        [only.id],
      );
      return unread(only);
    }
  }
  const lost =
    existing === undefined ? "its secret is lost, and state does not hold it" : "state does not hold it";
  const message = sentences(`${doing}: ${problem}`, `${accepted}; ${lost}`, findings(creation, now), advice);
  throw new Failure(message, { unresolved: true });
}

/** What is wrong with the secret in the answer of create or migrate, if anything is (K5, K6). */
export function secretLine(declared: Properties, record: ApiKeyRecord): string | undefined {
  const existing = text(declared["existingKey"]);
  if (existing === undefined) {
    if (record.key !== undefined) return undefined;
    return `Creating ${label(declared)}: the service made ${record.id} but did not answer its secret. It is kept in state, and the next up replaces it.`;
  }
  const masked = record.key === record.maskedKey || /[*\u2022\u2026]/.test(record.key ?? "");
  if (record.key === undefined || record.key === existing || masked) return undefined;
  return `Taking over ${label(declared)}: the service made ${record.id}, but answered another secret than existingKey. It is kept in state with existingKey as its secret: check that this value works; if it does not, give the right one.`;
}
