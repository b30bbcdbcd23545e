import { CallError, type Written } from "../../client/send";
import { type ApiKeyRecord, createApiKey, migrateApiKey, pathProblem } from "../../client/service";
import type { Session } from "../../core/definition";
import { Failure, ifElsewhere, ifRefused, toFailure } from "../../core/errors";
import { caseFolded } from "../../core/state";
import { capitalised, sentences } from "../../core/text";
import { type Creation, isAdded, isNeverListed, keysBefore, newKeys, posting } from "./keysBefore";
import { findings, inWords, leftover, unmanagedNamesakes, whatToLookFor } from "./lostAnswer";
import { isLikelyKeyOf, isOfCustomer, isOld, mayHaveValue } from "./matching";
import type { KeyInputs } from "./properties";
import { createBody, label, migrateBody } from "./state";

/** A new key, with a record that can be used. */
export type NewKey = Written<ApiKeyRecord> & { readonly record: ApiKeyRecord };

export async function createOrMigrate(session: Session, declared: KeyInputs): Promise<NewKey> {
  const doing = `${declared.existingKey === undefined ? "Creating" : "Migrating"} ${label(declared)}`;
  const seen = await keysBefore(session, declared);
  const creation: Creation = { session, declared, doing, seen };
  const namesakes = unmanagedNamesakes(creation);
  if (namesakes.length > 0) {
    const ids = namesakes.map(({ id }) => id);
    const { named, general } = leftover(creation, namesakes);
    session.warn(`${doing}: ${named} ${replacing}`, ids, `${general} ${replacing}`);
  }
  const { record, problem = "the answer can't be used", ...rest } = await post(creation, namesakes);
  if (record !== undefined) return { record, ...rest };
  return recover(creation, problem, ifElsewhere(session));
}

/** For these replacements, the engine doesn't tell the provider which key is in state. */
const replacing =
  "Also do nothing if this update replaces it, for example because of `--replace` or `pulumi state taint`.";
const unknownOutcome = "It is not known whether the key was created";

async function post(creation: Creation, namesakes: readonly ApiKeyRecord[]): Promise<Written<ApiKeyRecord>> {
  const { session, declared, doing, seen } = creation;
  const underWay = () =>
    sentences(
      `${doing}: the run ended before the service answered`,
      `${unknownOutcome}, and it is not in state`,
      capitalised(whatToLookFor(creation)),
    );
  try {
    return await posting(seen, async () => {
      const call = { ...session.call, sending: () => session.onInterrupt(underWay) };
      const written =
        declared.existingKey === undefined
          ? await createApiKey(call, createBody(declared))
          : await migrateApiKey(call, migrateBody(declared));
      if (written.record === undefined) return written;
      session.maskEverywhere(written.record.key);
      const whose = classify(creation, written.record);
      if (whose === "another's" || (whose === "unclear" && !(await takeIfNew(creation, written.record)))) {
        const age = isOld(written.record, seen.since) ? `, which ${oldByClock}` : "";
        return {
          record: undefined,
          problem: `the service answered with a different key, ${written.record.id}${age}`,
        };
      }
      session.registry.add(declared.workspaceId, written.record.id);
      return written;
    });
  } catch (error) {
    const importHint =
      declared.existingKey === undefined || namesakes.length === 0
        ? ""
        : ` If the service already has this key, as ${inWords(creation, namesakes)}, ${session.importKey}.`;
    const advice = `Check that workspace ${declared.workspaceId} exists, that the access token is allowed to create keys in it, and that the service accepts the values.${importHint}`;
    if (error instanceof CallError && error.verdict === "ambiguous") {
      const nameAdvice =
        "If it allows a name only once, a replacement needs another name, or the option deleteBeforeReplace.";
      return recover(creation, error.message, ifRefused(error, `${advice} ${nameAdvice}`));
    }
    session.onInterrupt(undefined);
    throw toFailure(error, session, { doing, notDone: "Nothing was created", advice });
  }
}

const oldByClock = "is more than two days old by the clock of this machine";

/** Whose key an answer has. */
function classify(creation: Creation, record: ApiKeyRecord): "own" | "another's" | "unclear" {
  const { session, declared, seen } = creation;
  const { existingKey, workspaceId } = declared;
  const { registry } = session;
  const isEcho = existingKey !== undefined && record.key === existingKey;
  const isNamed = record.name === undefined || caseFolded(record.name) === caseFolded(declared.name);
  const wasListed =
    seen.before.kind === "known" &&
    seen.before.value.has(record.id) &&
    !registry.isDropped(workspaceId, record.id);
  const isKnown = registry.has(workspaceId, record.id) || wasListed;
  if (isKnown || isOld(record, seen.since)) {
    if (existingKey !== undefined && (isEcho || mayHaveValue(record, declared, existingKey))) {
      session.warn(
        `Migrating ${label(declared)}: the service answered with ${record.id}, which existed before. If another resource or stack manages this key too, destroying either of them may delete it.`,
        [record.id],
      );
      return "own";
    }
    const isOurs =
      existingKey === undefined && record.key !== undefined && isNamed && isOfCustomer(record, declared);
    return isKnown || !isOurs ? "another's" : "unclear";
  }
  // A service may rewrite both. Without a list of the keys before, nothing else distinguishes a new key.
  const isSure = seen.before.kind === "known" || isNeverListed(seen.before);
  return isEcho || isOfCustomer(record, declared) || (isNamed && isSure) ? "own" : "another's";
}

/**
 * A key looks old if this machine's clock is days ahead, or if a proxy has repeated the answer to an earlier create, whose
 * key may be deleted. Only a new key appears in the list after the POST.
 */
async function takeIfNew(creation: Creation, record: ApiKeyRecord): Promise<boolean> {
  const { session, declared, doing } = creation;
  const { id } = record;
  if (!(await isAdded(creation, id))) return false;
  // Another create may have got the same answer.
  if (session.registry.has(declared.workspaceId, id)) return false;
  session.registry.add(declared.workspaceId, id);
  session.warn(
    `${doing}: the service answered with ${inWords(creation, [record])}, which ${oldByClock}. Check the clock; if it is right, another resource or stack may manage this key.`,
    [id],
  );
  return true;
}

/** Looks for the key in the workspace's list after a lost answer. Unless it is certain which key it is, the user must decide. */
async function recover(creation: Creation, problem: string, advice?: string): Promise<NewKey> {
  const { session, declared, doing, seen } = creation;
  const { existingKey, workspaceId } = declared;
  const now = await newKeys(creation);
  if (existingKey !== undefined && now.kind === "known" && seen.before.kind === "known") {
    // Another create whose answer was lost may see the same list.
    const isFree = ({ id }: ApiKeyRecord) => !session.registry.has(workspaceId, id);
    const [only, ...others] = now.value.filter(
      (key) => isLikelyKeyOf(key, declared, existingKey) && isFree(key),
    );
    if (only !== undefined && others.length === 0 && pathProblem(only.id) === undefined) {
      session.registry.add(workspaceId, only.id);
      session.warn(
        `${doing}: ${problem}, but the workspace's list has one new key that matches, ${inWords(creation, [only])}, which is now in state as the migrated key.`,
        [only.id],
      );
      // The list may be incomplete, so the key is read too.
      return { record: only, deferred: true };
    }
  }
  const lost =
    existingKey === undefined ? "the key is not in state, and its secret is lost" : "the key is not in state";
  const { found, say } = findings(creation, now);
  const reason = (all: string) => sentences(problem, `${unknownOutcome}; ${lost}`, say(all), advice);
  throw new Failure(`${doing}: ${reason(found)}`, { unresolved: true, reason, found });
}

/** What is wrong with a key that exists, with its name (`failure`) and without (`reason`). */
export type KeyProblem = Readonly<Record<"failure" | "reason", string>>;

/** The problem with the secret in the answer of create or migrate, if there is one (K5, K6). */
export function secretProblem(declared: KeyInputs, { id, key }: ApiKeyRecord): KeyProblem | undefined {
  const { existingKey } = declared;
  if (existingKey === undefined) {
    if (key !== undefined) return undefined;
    const why = (it: string) =>
      `the service created ${it} but did not return the secret. The key is in state, and the next update replaces it.`;
    return { failure: `Creating ${label(declared)}: ${why(id)}`, reason: why("it") };
  }
  const isMasked = /[*\u2022\u2026]/.test(key ?? "");
  if (key === undefined || key === existingKey || isMasked) return undefined;
  const why = (it: string) =>
    `the service created ${it}, but returned a secret that differs from existingKey. The key is in state with existingKey as its secret: check that this value works; if it does not, correct existingKey.`;
  return { failure: `Migrating ${label(declared)}: ${why(id)}`, reason: why("it") };
}
