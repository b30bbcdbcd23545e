import { type ApiKeyRecord, createApiKey, migrateApiKey } from "../../client/apiKeys";
import type { Written } from "../../client/call";
import { CallError } from "../../client/callError";
import { pathProblem } from "../../client/paths";
import type { Session } from "../../core/definition";
import { capitalised, Failure, ifRefused, sentences, toFailure } from "../../core/errors";
import { caseFolded } from "../../core/state";
import { isKeyOf, isOf, isOld, keysBefore, mayBe } from "./keysBefore";
import { type Creation, findings, inWords, leftover, unmanagedNamesakes, whatToLookFor } from "./lostAnswer";
import type { KeyInputs } from "./properties";
import { createBody, label, migrateBody } from "./state";

/** What a POST made: a record that can be used. */
export type Made = Written<ApiKeyRecord> & { readonly record: ApiKeyRecord };

/** Creates the key, or migrates an existing one; finds out what became of it where the answer is lost. */
export async function make(session: Session, declared: KeyInputs): Promise<Made> {
  const doing = `${declared.existingKey === undefined ? "Creating" : "Migrating"} ${label(declared)}`;
  const seen = await keysBefore(session, declared);
  const creation: Creation = { session, declared, doing, seen };
  const alike = unmanagedNamesakes(creation);
  if (alike.length > 0) {
    const ids = alike.map(({ id }) => id);
    session.warn(`${doing}: ${leftover(creation, alike)} ${replacing}`, ids);
  }
  const { record, problem, ...rest } = await post(creation, alike);
  if (record !== undefined) return { record, ...rest };
  return recover(creation, problem ?? "the answer can't be used", "The service accepted it");
}

/** For these the engine creates as for a new resource, and tells nothing of the key that state has. */
const replacing =
  "Nor is there anything to do if this update replaces it for `--target-replace` or `pulumi state taint`.";
const unknownOutcome = "Whether it was created is not known";

async function post(creation: Creation, alike: readonly ApiKeyRecord[]): Promise<Written<ApiKeyRecord>> {
  const { session, declared, doing, seen } = creation;
  const underWay = () =>
    sentences(
      `${doing}: this was under way when the run ended`,
      `${unknownOutcome}, and state does not hold it`,
      capitalised(whatToLookFor(creation)),
    );
  try {
    return await seen.posting(async () => {
      const call = { ...session.call, sending: () => session.onInterrupt(underWay) };
      const written =
        declared.existingKey === undefined
          ? await createApiKey(call, createBody(declared))
          : await migrateApiKey(call, migrateBody(declared));
      if (written.record === undefined) return written;
      session.hide(written.record.key);
      if (isAnother(creation, written.record)) {
        return {
          record: undefined,
          problem: `the service answered with a different key, ${written.record.id}`,
        };
      }
      session.registry.add(declared.workspaceId, written.record.id);
      return written;
    });
  } catch (error) {
    const held =
      declared.existingKey === undefined || alike.length === 0
        ? ""
        : ` If the service holds this key already, as ${inWords(creation, alike)}, ${session.importKey}.`;
    const advice = `Check that the access token may create keys in ${declared.workspaceId}, and that the service accepts the declared values.${held}`;
    if (error instanceof CallError && error.verdict === "ambiguous") {
      return recover(creation, error.message, unknownOutcome, ifRefused(error, advice));
    }
    session.onInterrupt(undefined);
    throw toFailure(error, session, { doing, notDone: "Nothing was created", advice });
  }
}

/** Whether an answer is another key's. */
function isAnother(creation: Creation, record: ApiKeyRecord): boolean {
  const { session, declared, doing, seen } = creation;
  const { existingKey, workspaceId } = declared;
  const { registry } = session;
  const isEcho = existingKey !== undefined && record.key === existingKey;
  const isNamed = record.name === undefined || caseFolded(record.name) === caseFolded(declared.name);
  const wasListed =
    "has" in seen.before && seen.before.has(record.id) && !registry.isDropped(workspaceId, record.id);
  const isKnown = registry.has(workspaceId, record.id) || wasListed;
  if (isKnown || isOld(record, seen.since)) {
    if (existingKey !== undefined && (isEcho || mayBe(record, declared, existingKey))) {
      session.warn(
        `Migrating ${label(declared)}: the service answered with ${record.id}, which existed before. If another resource or stack manages this key too, the first of them that is destroyed may delete it.`,
        [record.id],
      );
      return false;
    }
    // By a clock that is days ahead, every new key is old.
    const isWhole = existingKey === undefined && record.key !== undefined;
    if (isKnown || !isWhole || !isNamed || !isOf(record, declared)) return true;
    session.warn(
      `${doing}: the service answered with ${inWords(creation, [record])}, which is more than two days old by the clock of this machine. Check the clock; if it is right, another resource or stack may manage this key.`,
      [record.id],
    );
    return false;
  }
  // A service may rewrite both. Where a list that others get was not there to show what was before, nothing else tells.
  const isNew = "has" in seen.before || unlisted.has(seen.before.error?.status ?? 0);
  return !isEcho && !isOf(record, declared) && !(isNamed && isNew);
}

/** To such a token, or on such a service, keys are never listed. */
const unlisted = new Set([403, 405, 501]);

/** What the workspace's list tells of a key whose answer was lost: it may be found, or else the user must look. */
async function recover(
  creation: Creation,
  problem: string,
  accepted: string,
  advice?: string,
): Promise<Made> {
  const { session, declared, doing, seen } = creation;
  const { existingKey, workspaceId } = declared;
  const now = await seen.newKeys();
  if (existingKey !== undefined && !("problem" in now) && !("problem" in seen.before)) {
    // Another one whose answer was lost too may have been told the same list.
    const isFree = ({ id }: ApiKeyRecord) => !session.registry.has(workspaceId, id);
    const [only, ...others] = now.filter((key) => isKeyOf(key, declared, existingKey) && isFree(key));
    if (only !== undefined && others.length === 0 && pathProblem(only.id) === undefined) {
      session.registry.add(workspaceId, only.id);
      session.warn(
        `${doing}: ${problem}, but the workspace's list has one new key that fits, ${inWords(creation, [only])}, which is kept in state as the migrated key.`,
        [only.id],
      );
      // What a list shows has to be seen in the key itself.
      return { record: only, deferred: true };
    }
  }
  const lost =
    existingKey === undefined ? "its secret is lost, and state does not hold it" : "state does not hold it";
  const message = sentences(`${doing}: ${problem}`, `${accepted}; ${lost}`, findings(creation, now), advice);
  throw new Failure(message, { unresolved: true });
}

/** What is wrong with the secret in the answer of create or migrate, if anything is (K5, K6). */
export function secretProblem(declared: KeyInputs, { id, key, maskedKey }: ApiKeyRecord): string | undefined {
  const { existingKey } = declared;
  if (existingKey === undefined) {
    if (key !== undefined) return undefined;
    return `Creating ${label(declared)}: the service created ${id} but did not return the secret. It is kept in state, and the next update replaces it.`;
  }
  const isMasked = key === maskedKey || /[*\u2022\u2026]/.test(key ?? "");
  if (key === undefined || key === existingKey || isMasked) return undefined;
  return `Migrating ${label(declared)}: the service created ${id}, but returned a secret that differs from existingKey. It is kept in state with existingKey as its secret: check that this value works; if it does not, correct existingKey.`;
}
