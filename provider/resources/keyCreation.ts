import { CallError } from "../client/callError";
import { createApiKey, migrateApiKey, type Written } from "../client/endpoints";
import type { ApiKeyRecord } from "../client/responses";
import { type Session, text } from "../definition";
import { Failure, sentences } from "../errors";
import { told } from "../outcome";
import type { Properties } from "../state";
import { type Birth, findings, inWords, leftover, sought, strangers } from "./keyCandidates";
import { createBody, label, migrateBody } from "./keyState";
import { agrees, fits, type Listed, unread, witness } from "./keyWitness";

/** Creates the key, or takes an existing one over; finds out what became of it where the answer is lost. */
export async function make(session: Session, declared: Properties): Promise<ApiKeyRecord> {
  const existing = text(declared["existingKey"]) as string | undefined;
  const doing = `${existing === undefined ? "Creating" : "Taking over"} ${label(declared)}`;
  const seen = await witness(session, declared);
  const birth: Birth = { session, declared, existing, doing, since: new Date(), seen };
  const alike = "alike" in seen.before ? strangers(birth, seen.before.alike(declared)) : [];
  if (alike.length > 0) session.warn(`${doing}: ${leftover(birth, alike)}`);
  session.leaves(
    sentences(`${doing}: this was under way when the run ended`, unknownOutcome, `${sought(birth)}.`),
  );
  const { record, problem } = await posted(birth, alike);
  if (record !== undefined) return record;
  return recovered(birth, problem ?? "the answer can't be used", "The service accepted it");
}

const unknownOutcome = "Whether it was created is not known, and state does not hold it";

async function posted(birth: Birth, alike: readonly Listed[]): Promise<Written<ApiKeyRecord>> {
  const { session, declared, existing, doing, seen } = birth;
  try {
    return await seen.posting(async () => {
      const answer =
        existing === undefined
          ? await createApiKey(session.call, createBody(declared))
          : await migrateApiKey(session.call, migrateBody(declared));
      const problem = answer.record && foreign(birth, answer.record);
      if (problem !== undefined) return { record: undefined, problem };
      if (answer.record !== undefined) session.known.add(declared, answer.record.id);
      return answer;
    });
  } catch (error) {
    if (error instanceof CallError && error.verdict === "ambiguous") {
      return { record: await recovered(birth, error.message, "Whether it was created is not known") };
    }
    session.leaves(undefined);
    const held =
      existing === undefined || alike.length === 0
        ? ""
        : ` If the service holds this key already, as ${inWords(birth, alike)}, take it in with \`pulumi import --file\`.`;
    throw told(session, error, {
      doing,
      notDone: "Nothing was created",
      advice: `Check that the access token may create keys in ${declared["workspaceId"]}, and that the service accepts the declared values.${held}`,
    });
  }
}

/** Why an answer is another key's, if it is: a new key has an id that none had before. */
function foreign({ session, declared, existing, seen }: Birth, record: ApiKeyRecord): string | undefined {
  const old = "has" in seen.before && seen.before.has(record.id);
  if (!old && !session.known.has(declared, record.id)) return undefined;
  if (existing === undefined || !agrees(record, declared, existing)) {
    return `the answer is that of another key, ${record.id}, which was there before`;
  }
  session.warn(
    `Taking over ${label(declared)}: the service answered with ${record.id}, which it held before. If another resource or stack manages this key too, the first of them that is destroyed ends it.`,
  );
  return undefined;
}

/** What the workspace's list tells of a key whose answer was lost: it may be found, or else the user must look. */
async function recovered(birth: Birth, problem: string, accepted: string): Promise<ApiKeyRecord> {
  const { session, declared, existing, doing, seen } = birth;
  const now = await seen.newcomers();
  if (existing !== undefined && !("problem" in now) && !("problem" in seen.before)) {
    const [only, ...others] = now.filter((key) => fits(key, declared, existing));
    if (only !== undefined && others.length === 0) {
      session.known.add(declared, only.id);
      session.warn(
        `${doing}: ${problem}, but the workspace's list has one new key that fits, ${inWords(birth, [only])}, which is taken for it.`,
      );
      return unread(only);
    }
  }
  const lost =
    existing === undefined ? "its secret is lost, and state does not hold it" : "state does not hold it";
  throw new Failure(sentences(`${doing}: ${problem}`, `${accepted}; ${lost}`, findings(birth, now)), {
    unresolved: true,
  });
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
