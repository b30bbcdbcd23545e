/** Creates or migrates a key. Its secret is in no other answer, so what can't be used is looked for in the workspace's list. */

import { CallError, type Written } from "../../client/send";
import { type ApiKeyRecord, createApiKey, migrateApiKey } from "../../client/service";
import type { Session } from "../../core/definition";
import { explain, Failure, ifElsewhere, ifRefused } from "../../core/errors";
import { findCreated, wasThere } from "../../core/existence";
import { caseFolded } from "../../core/state";
import { capitalised, listed } from "../../core/text";
import { type Listing, type Reading, type SharedRead, sharedReads } from "../../reads";
import { createBody, endOf, type KeyInputs, label, migrateBody } from "./model";

/** A new key, with a record that can be used. */
export type NewKey = Written<ApiKeyRecord> & { readonly record: ApiKeyRecord };

interface Creation {
  readonly session: Session;
  readonly declared: KeyInputs;
  readonly doing: string;
  readonly list: SharedRead<Listing<ApiKeyRecord>>;
  /** The list before the POST. */
  readonly before: Reading<Listing<ApiKeyRecord>>;
  readonly since: string;
}

export async function createOrMigrate(session: Session, declared: KeyInputs): Promise<NewKey> {
  const { existingKey, workspaceId } = declared;
  const doing = `${existingKey === undefined ? "Creating" : "Migrating"} ${label(declared)}`;
  const list = sharedReads(session.call).keys(workspaceId);
  const since = new Date().toISOString();
  const before = await list.recent();
  const creation: Creation = { session, declared, doing, list, before, since };
  warnOfNamesakes(creation);
  for (let isAgain = false; ; isAgain = true) {
    const answer = await post(creation, isAgain);
    if (answer.record !== undefined) return answer;
    const now = await findCreated(session, {
      ...{ workspaceId, list, before },
      candidates: (listing) => namesakesIn(listing, declared),
    });
    // The service may have been busy with another change.
    const showsNone = now.kind === "known" && now.value.length === 0;
    if (isAgain || answer.outcome !== "refused" || !showsNone) throw lostKey(creation, now, answer);
  }
}

/** A POST that may have created a key, without an answer that can be used. */
interface Lost {
  readonly record: undefined;
  readonly problem: string;
  readonly advice?: string | undefined;
  /** Its outcome: a 2xx, no answer or a 5xx, or a refusal, as which a 409 counts. */
  readonly outcome: "answered" | "failed" | "refused";
}

/** Throws if nothing was created. `isAgain`: whether an earlier POST may have created the key. */
async function post(creation: Creation, isAgain: boolean): Promise<NewKey | Lost> {
  const { session, declared, doing } = creation;
  try {
    const written = await (declared.existingKey === undefined
      ? createApiKey(session.call, createBody(declared))
      : migrateApiKey(session.call, migrateBody(declared)));
    const { record, problem = "the answer can't be used", ...rest } = written;
    if (record === undefined) return { record, problem, advice: ifElsewhere(session), outcome: "answered" };
    session.mask(record.key);
    if (isAnothers(creation, record)) {
      const problem = `the service answered with a different key, ${record.id}`;
      return { record: undefined, problem, outcome: "answered" };
    }
    session.registry.add(declared.workspaceId, record.id);
    return { ...rest, record };
  } catch (error) {
    const ifExisting =
      declared.existingKey === undefined
        ? ""
        : " If it already has this value, declare the id of that key as existingId instead or, if the resource was renamed, use the option aliases.";
    const advice = `Check that workspace ${declared.workspaceId} exists, that the access token is allowed to create keys in it, and that the service accepts the values.${ifExisting}`;
    if (!(error instanceof CallError && (isAgain || error.verdict === "ambiguous")))
      throw explain(error, session, { doing, notDone: "Nothing was created", advice });
    const { message: problem, status, verdict } = error;
    const whole = `${advice} If it allows a name only once, a replacement needs another name, or the option deleteBeforeReplace; a RotatingApiKey can't rotate there.`;
    const told = verdict === "refused" ? whole : ifRefused(error, whole);
    const outcome = verdict === "refused" || status === 409 ? "refused" : "failed";
    return { record: undefined, problem, advice: told, outcome };
  }
}

/** A cache, or a service that returns an existing record, may answer with a key that existed before (K6). */
function isAnothers({ session, declared, before }: Creation, record: ApiKeyRecord): boolean {
  const { existingKey, workspaceId } = declared;
  const { id } = record;
  if (!wasThere(session, workspaceId, before, id)) return false;
  if (existingKey === undefined || !hasValue(record, existingKey)) return true;
  session.warn(
    `Migrating ${label(declared)}: the service answered with ${id}, which existed before. If another resource or stack manages this key too, destroying either of them may delete it.`,
  );
  return false;
}

/** Whether the record repeats the value, or a masked form that ends like it. */
function hasValue({ key, maskedKey }: ApiKeyRecord, value: string): boolean {
  const end = endOf(maskedKey);
  return key === value || (end !== "" && value.endsWith(end));
}

/** The error of a create whose answer can't be used. It names the keys that may be the new one. */
function lostKey(
  creation: Creation,
  now: Reading<readonly ApiKeyRecord[]>,
  { problem, advice, outcome }: Lost,
): Failure {
  const { declared, doing, before, since } = creation;
  const found = now.kind === "known" ? inWords(now.value) : "";
  const wanted = `a key with this name and customer, created since ${since}`;
  const remedy = remedyOf(creation);
  const again = "run `pulumi up` again";
  const ofSecret = declared.existingKey === undefined ? ", and its secret is lost" : "";
  const [where, ifNew] =
    before.kind === "known"
      ? ["New in the workspace's list:", "If"]
      : ["Perhaps new in the workspace's list:", `If it was created since ${since}, and`];
  let known = `It is not known whether the key was created; if it was, it is not in state${ofSecret}`;
  let todo = `${ifNew} no other stack or person created the key below, ${remedy}; then ${again}`;
  if (now.kind === "unavailable") {
    const unread = `The workspace's list of keys could not be read (${now.error.message})`;
    todo = `${unread}: look for ${wanted}; if there is one, ${remedy}; then ${again}`;
  } else if (now.value.length === 0) {
    const unseen = "the workspace's list shows no new key with this name and customer";
    if (outcome !== "answered") known = `Most likely nothing was created: ${unseen}`;
    todo = `The list may lag or be truncated: if ${wanted} shows up later, ${remedy}`;
    if (outcome !== "refused") todo = `${capitalised(again)}. ${todo}`;
  }
  // After a refusal, the reason for it comes first.
  const parts = outcome === "refused" ? [known, advice, todo] : [known, todo, advice];
  const options = { subject: `${doing}:`, unresolved: true, found };
  return new Failure("keyLost", [problem, ...parts, found && where], options);
}

/** Tells of keys that a killed run, or one whose answer was lost, may have left behind. */
function warnOfNamesakes(creation: Creation): void {
  const { session, declared, before } = creation;
  const { registry } = session;
  const { workspaceId } = declared;
  if (before.kind === "unavailable") return;
  const unmanaged = namesakesIn(before.value, declared).filter(
    ({ id }) => !registry.has(workspaceId, id) && !registry.isDropped(workspaceId, id),
  );
  if (unmanaged.length === 0) return;
  // For `--replace` and `pulumi state taint`, the engine doesn't tell the provider which key is in state.
  const what = `Workspace ${workspaceId} already has a key with the name and customer of a new one. If another resource or stack manages it, or this update replaces it, do nothing; if a failed or interrupted run left it behind, ${remedyOf(creation)}. In the workspace's list:`;
  session.warn(what, inWords(unmanaged));
}

function remedyOf({ declared }: Creation): string {
  return declared.existingKey === undefined
    ? "delete it, because nobody has its secret"
    : "declare its id as existingId (don't delete it: its value may be in use)";
}

function inWords(keys: readonly ApiKeyRecord[]): string {
  return listed(
    keys.map(({ id, createdAt }) => (createdAt ? `${id} (created ${createdAt})` : id)),
    10,
  );
}

type NameAndCustomer = Pick<ApiKeyRecord, "name" | "customerId">;

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
    return "the service did not return the secret. The key is in state, and the next update replaces it.";
  }
  const isMasked = /[*\u2022\u2026]/.test(key ?? "");
  if (key === undefined || key === existingKey || isMasked) return undefined;
  return "the service returned a secret that differs from existingKey. The key is in state with existingKey as its secret: check that this value works; if it does not, correct existingKey.";
}
