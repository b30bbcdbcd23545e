import { createApiKey, migrateApiKey, type Written } from "../client/endpoints";
import type { ApiKeyRecord } from "../client/responses";
import { type Session, text } from "../definition";
import { Failure, sentences } from "../errors";
import { told } from "../outcome";
import type { Properties } from "../state";
import { createBody, label, migrateBody } from "./keyState";

/** Creates the key, or takes an existing one over. */
export async function make(session: Session, declared: Properties, existing: boolean): Promise<ApiKeyRecord> {
  const doing = `${existing ? "Taking over" : "Creating"} ${label(declared)}`;
  const wayOut = lostRecord(existing, new Date());
  let answer: Written<ApiKeyRecord>;
  try {
    answer = existing
      ? await migrateApiKey(session.call, migrateBody(declared))
      : await createApiKey(session.call, createBody(declared));
  } catch (error) {
    throw told(session, error, {
      doing,
      notDone: "Nothing was created",
      unclear: `Whether it was created is not known, and state does not hold it: ${wayOut}`,
      advice: `Check that the access token may create keys in ${declared["workspaceId"]}, and that the service accepts the declared values.`,
    });
  }
  if (answer.record !== undefined) return answer.record;
  const reason = answer.problem ?? "the answer can't be used";
  throw new Failure(
    sentences(`${doing}: ${reason}`, `The service accepted it, but state does not hold it: ${wayOut}`),
  );
}

/** The secret of a new key is lost with the answer; that of an existing one is known, and may be in use. */
function lostRecord(existing: boolean, since: Date): string {
  const look = `look for a key of this name and customer made since ${since.toISOString()}`;
  return existing
    ? `${look}. If there is one, don't delete it, since its value may be in use: take it in with \`pulumi import --file\`. If there is none, run up again.`
    : `${look} and delete it, since its secret is lost; then run up again.`;
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
