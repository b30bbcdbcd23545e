/** Creates or migrates a key. Its secret is in no other answer, so what can't be used is looked for in the workspace's list. */

import { CallError } from "../../client/send";
import { type ApiKeyRecord, createApiKey, maskedEnd, migrateApiKey } from "../../client/service";
import type { Session } from "../../core/definition";
import { explain, Failure, ifElsewhere, ifRefused } from "../../core/errors";
import {
  type Created,
  type Creation,
  createObject,
  type FoundObjects,
  findCreated,
  isDoubtful,
} from "../../core/existence";
import { objectIdentity } from "../../core/registry";
import { caseFolded } from "../../core/state";
import { listed, quoted, sentences } from "../../core/text";
import { type Listing, type Reading, sharedReads } from "../../reads";
import { createBody, isNamed, type KeyDraft, type KeyInputs, label, migrateBody } from "./model";

interface KeyCreation extends Creation<ApiKeyRecord> {
  readonly session: Session;
  readonly declared: KeyInputs;
  readonly doing: string;
  /** The minute in which it began, so that the keys of a set share a message. */
  readonly since: string;
}

/** The way to deal with a key that is not in state. */
function remedyFor({ existingKey }: Pick<KeyDraft, "existingKey">): string {
  return existingKey === undefined
    ? "delete it, because nobody has its secret"
    : "declare its id as existingId too (don't delete it: its value may be in use)";
}

export async function createOrMigrate(session: Session, declared: KeyInputs): Promise<Created<ApiKeyRecord>> {
  const { existingKey, workspaceId } = declared;
  const doing = `${existingKey === undefined ? "Creating" : "Migrating"} ${label(declared)}`;
  const list = sharedReads(session.call).keys(workspaceId);
  const since = `${new Date().toISOString().slice(0, 16)}Z`;
  const before = await list.recent();
  if (before.kind === "known") warnOfNamesakes(session, before.value, declared);
  // Its answer could most likely not be read either. But some services have no list, or not for this token.
  else if (!session.setup.withoutKeyList && ![403, 404, 405, 410, 501].includes(before.error.status ?? 0)) {
    const notDone = "Nothing was created: a key whose answer is lost could not be found";
    throw explain(before.error, session, { doing: `${doing}: listing the keys first`, notDone });
  }
  const creation: KeyCreation = { session, declared, workspaceId, doing, before, since };
  const candidates = (listing: Listing<ApiKeyRecord>) => namesakesIn(listing, declared);
  for (let isAgain = false; ; isAgain = true) {
    const answer = await post(creation, isAgain);
    if (answer.kind === "known") return answer.value;
    const { error } = answer;
    const now = await findCreated(session, creation, list, candidates, error);
    const showsNone = now.kind === "known" && now.value.all.length === 0;
    const isAlike = now.kind === "unavailable" && now.error.status === error.status;
    const isUnsure = now.kind === "unavailable" || !now.value.isWhole;
    if (!isAgain && isDoubtful(error) && (showsNone || isAlike)) throw refusal(creation, error, isUnsure);
    // The service may have been busy with another change.
    if (isAgain || !isRefusal(error) || !showsNone) throw lostKey(creation, now, error);
  }
}

/** The error of a POST that the service refused. `isUnsure`: the list, which could contradict it, is refused too, or cut. */
function refusal({ session, declared, doing }: KeyCreation, error: unknown, isUnsure = false): Failure {
  const unsure = "Most likely nothing was created, but the workspace's list of keys can't confirm it";
  const notDone = isUnsure ? unsure : "Nothing was created";
  return explain(error, session, { doing, notDone, advice: adviceFor(declared) });
}

/** Whether the service most likely refused the POST, or a repetition of it. */
function isRefusal({ verdict, status }: CallError): boolean {
  return verdict === "refused" || status === 409;
}

/** Throws if nothing was created. `isAgain`: whether an earlier POST may have created the key. */
async function post(creation: KeyCreation, isAgain: boolean): Promise<Reading<Created<ApiKeyRecord>>> {
  const { session, declared, doing } = creation;
  const { existingKey } = declared;
  const send = async () => {
    const written = await (existingKey === undefined
      ? createApiKey(session.call, createBody(declared))
      : migrateApiKey(session.call, migrateBody(declared)));
    session.mask(written.record?.key);
    return written;
  };
  // From a cache, or because the service returns an existing record (K6).
  const acceptExisting = (record: ApiKeyRecord, said: string) => {
    if (existingKey === undefined || !hasValue(record, existingKey)) return false;
    session.warn(
      `${doing}: ${said}. If another resource or stack manages this key too, destroying either of them may delete it.`,
    );
    return true;
  };
  try {
    return await createObject(session, creation, send, acceptExisting);
  } catch (error) {
    if (isAgain && error instanceof CallError) return { kind: "unavailable", error };
    throw refusal(creation, error);
  }
}

/** Whether the record repeats the value, or a masked form that ends like it. */
function hasValue({ key, maskedKey }: ApiKeyRecord, value: string): boolean {
  const end = maskedEnd(maskedKey);
  return key === value || (end !== "" && value.endsWith(end));
}

function adviceFor({ workspaceId, existingKey }: KeyInputs): string {
  const ifTaken =
    existingKey &&
    "If it already has this value, declare the id of that key as existingId too or, if the resource was renamed, use the option aliases";
  const check = `Check that workspace ${workspaceId} exists, that the access token is allowed to create keys in it, and that the service accepts the values`;
  return sentences(check, ifTaken);
}

const ifNameTaken =
  "If it allows a name only once, a replacement needs another name, or the option deleteBeforeReplace; a RotatingApiKey can't rotate there.";

/** The error of a create whose answer can't be used. It names the keys that may be the new one. */
function lostKey(creation: KeyCreation, now: Reading<FoundObjects<ApiKeyRecord>>, error: CallError): Failure {
  const { session, declared, doing, since } = creation;
  const found = now.kind === "known" ? inWords(now.value.all) : "";
  const seen = now.kind === "known" ? "shows no such key so far" : `could not be read (${now.error.message})`;
  const look = found
    ? `If one of the keys below was created since ${since}, and by no other stack or person`
    : `The workspace's list of keys ${seen}. If there is a key with this name and customer, created since ${since}`;
  return new Failure(
    "keyLost",
    [
      error.message,
      "It is not known whether the key was created; if it was, it is not in state",
      `${look}, ${remedyFor(declared)}. Then run \`pulumi up\` again`,
      isRefusal(error) ? ifRefused(`${adviceFor(declared)} ${ifNameTaken}`) : ifElsewhere(session),
      found && "Keys that may be the new one:",
    ],
    { subject: `${doing}:`, unresolved: true, found },
  );
}

/**
 * Tells, once, of keys with the name and customer of a new key, or just those of the record `own` in state: a killed run, or
 * one whose answer was lost, may have left them behind, or something that sent a create twice.
 */
export function warnOfNamesakes(
  session: Session,
  listing: Listing<ApiKeyRecord>,
  key: KeyDraft,
  own?: ApiKeyRecord,
): void {
  const { registry } = session;
  const { workspaceId } = key;
  const news = namesakesIn(listing, key).filter(({ id, name, customerId }) => {
    const isManaged = registry.has(workspaceId, id) || registry.isDropped(workspaceId, id);
    const isTwin = own === undefined || (name === own.name && customerId === own.customerId);
    return isTwin && !isManaged && !registry.told.has(objectIdentity(workspaceId, id));
  });
  if (news.length === 0) return;
  for (const { id } of news) registry.told.add(objectIdentity(workspaceId, id));
  const of = own === undefined ? "a new one" : "one in state";
  // For `--replace` and `pulumi state taint`, the engine doesn't tell the provider which key is in state.
  const what = `Workspace ${workspaceId} already has a key with the name and customer of ${of}. If another resource or stack manages it, or this update replaces it, do nothing; if a failed or interrupted run left it behind, or a proxy sent a create twice, ${remedyFor(key)}. In the workspace's list:`;
  const name = isNamed(key) ? `${quoted(String(key.name))}: ` : "";
  session.warn(what, `${name}${inWords(news)}`);
}

function inWords(keys: readonly ApiKeyRecord[]): string {
  return listed(
    keys.map(({ id, createdAt }) => (createdAt ? `${id} (created ${createdAt})` : id)),
    10,
  );
}

type NameAndCustomer = Pick<KeyDraft, "name" | "customerId">;

/** Both as one text, however the service may have spelled them. */
function nameAndCustomer({ name, customerId }: NameAndCustomer): string {
  return JSON.stringify([caseFolded(name), caseFolded(customerId)]);
}

const indexes = new WeakMap<object, ReadonlyMap<string, readonly ApiKeyRecord[]>>();

/** The keys that have the declared name and customer. The index is made once for each list, because many creates share it. */
function namesakesIn(listing: Listing<ApiKeyRecord>, declared: NameAndCustomer): readonly ApiKeyRecord[] {
  const alive = () => listing.all.filter(({ deleted }) => !deleted);
  const index = indexes.get(listing) ?? Map.groupBy(alive(), nameAndCustomer);
  indexes.set(listing, index);
  return index.get(nameAndCustomer(declared)) ?? [];
}

/** The problem with the secret in the answer of create or migrate, if there is one (K5, K6). */
export function secretProblem({ existingKey }: KeyInputs, { key }: ApiKeyRecord): string | undefined {
  if (existingKey === undefined) {
    if (key !== undefined) return undefined;
    return "the service did not return the secret. The next update replaces the key.";
  }
  if (key === undefined || key === existingKey) return undefined;
  return "the service returned a secret that differs from existingKey, which the provider keeps. Check that this value works; if it does not, correct existingKey.";
}
