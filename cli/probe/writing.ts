/** Questions about a throwaway key, in the order of its life, and how it is deleted. */
import { randomBytes } from "node:crypto";
import { type ApiKeyRecord, type Call, endpoints, type Properties, type Written } from "../provider";
import { openQuestions } from "./question";
import { fresh, inAnswer, listIn, reads } from "./reading";
import { type Answer, type Request, reasonOf, type Service, unseen } from "./service";

const { all, question, request } = openQuestions();
export const writing = all;

/** The names of the keys. White space and capitals show what the service makes of them. */
export const keyName = (s: Service, of = "") =>
  s.isPlain ? `pulumi-probe-${s.token}-delete-me${of}` : ` Pulumi probe ${s.token}: delete me${of}`;

const plain = (text: unknown) => String(text).trim().toLowerCase();
const firstId = (s: Service) => s.left.get(keyName(s)) ?? unseen("there is no new key");
const pathOf = ({ workspaceId }: Service, keyId: string) => ({ workspaceId, keyId });
const get = (s: Service, id = firstId(s)) => s.ask((call) => endpoints.readApiKey(call, pathOf(s, id)));
const drop = (s: Service, id = firstId(s)) =>
  s.ask((call) => endpoints.deleteApiKey(call, pathOf(s, id)), true);
const patch = (s: Service, body: Properties) =>
  s.ask((call) => endpoints.editApiKey(call, pathOf(s, firstId(s)), body), true);
const list = (s: Service) => s.ask((call) => endpoints.listApiKeys(call, { workspaceId: s.workspaceId }));
const inList = (s: Service, answer: Answer) => listIn(answer).find(({ id }) => String(id) === firstId(s));
const isAccepted = ({ error }: Answer) => error === undefined;
/** Whether GET says that there is no such key, or shows it as deleted. */
const isGone = ({ record, error }: Awaited<ReturnType<typeof get>>) =>
  record?.deleted ?? [404, 410].includes(error?.status ?? 0);

/** Sends one POST for a key, and again with other fields where the service refuses their values. */
async function make(s: Service, name: string, more: readonly Properties[], isMigration = false) {
  const { workspaceId, customerId } = s.options;
  let last: Answer<Written<ApiKeyRecord>> | undefined;
  for (const fields of more) {
    const body = { ...{ name, workspaceId, customerId, scopes: [], enabled: false }, ...fields };
    const send = (call: Call) => {
      s.left.set(name, undefined);
      return isMigration
        ? endpoints.migrateApiKey(call, { key: "", ...body })
        : endpoints.createApiKey(call, body);
    };
    last = await s.ask(send, true);
    const { id, key } = inAnswer(last);
    if (typeof key === "string") s.secrets.add(key);
    if (id) s.left.set(name, String(id));
    if (isAccepted(last)) return { ...last, body };
    // A 409 is about the value, which another key has, and after a 501 nothing was done.
    if (last.error?.verdict !== "ambiguous" || [409, 501].includes(last.status)) s.left.delete(name);
    if (![400, 415, 422].includes(last.status)) break;
  }
  return unseen(last ? s.words(last) : "nothing was sent");
}

// ---- Creating -------------------------------------------------------------------------------------------------------

export const created = request(async (s) => {
  const expiresAt = Math.floor(Date.now() / 60_000) * 60 + 86_417;
  const prefixed = [expiresAt, expiresAt * 1_000].map((at) => ({ prefix: "probe", expiresAt: at }));
  const bodies = [...prefixed, { expiresAt }, { expiresAt: expiresAt * 1_000 }, {}];
  const made = await make(s, keyName(s), bodies).catch(reasonOf);
  if (!("reason" in made)) return made;
  if (s.left.size > 0 || s.options.run.closed.aborted) unseen(made.reason);
  s.isPlain = true;
  return make(s, keyName(s), bodies);
});
question("Creating", "createStatus", "The status of a create", "", (s) => s.of(created).status);
question("Creating", "createAnswer", "The answer to a create", "the secret comes from it alone (K6)", (s) => {
  const { record, problem = "it has no secret" } = s.of(created).record ?? {};
  if (record?.key) return inAnswer(s.of(created))["name"] === undefined ? "brief" : "withKey";
  const seen = `The answer to a create: ${record ? "it has no secret" : problem}`;
  const breaks = "Every create fails. Use existingKey or existingId";
  return { value: record ? "withoutKey" : "unusable", seen, breaks };
});

const found = request((s) => s.until(() => get(s), isAccepted));
question("Creating", "newKeys", "A new key can be read", "", (s) => {
  const { looks, isDone, tookMs } = s.of(found);
  const value = !isDone ? "never" : looks === 1 ? "atOnce" : "later";
  if (isDone)
    return { value, seen: `A new key can be read: ${looks > 1 ? `after ${tookMs} ms` : "at once"}` };
  return {
    value,
    seen: "A new key can't be read in 8 s",
    breaks: "Don't refresh right after an update (R6)",
  };
});
fresh.key = request(async (s) => {
  const { isDone, last } = s.of(found);
  return isDone ? last : unseen("the new key can't be read");
});
const shown = (s: Service, field: string) => fresh.key && inAnswer(s.of(fresh.key))[field];

const listed = request(async (s) => {
  if (!s.of(reads).keys?.record) unseen("there is no list");
  const isListed = (answer: Answer) => inList(s, answer) !== undefined;
  return s.until(() => list(s), isListed);
});
question("Lists", "listLimit", "The most records in the list", "", (s) => {
  const { isDone, looks, tookMs, last } = s.of(listed);
  if (last.pages.length > 1) return listIn({ ...last, pages: last.pages.slice(0, 1) }).length;
  const when = looks > 1 ? `after ${tookMs} ms` : "at once";
  if (isDone) return { value: 0, seen: `A new key is in the list: ${when}` };
  const { length: value } = listIn(last);
  const seen = `A new key is not among the ${value} in the list`;
  return {
    value,
    seen,
    does: "nothing names a key whose create had no answer (K6)",
    breaks: "Adopt with --key-id",
  };
});

question("Creating", "names", "Names", "what becomes of one is no drift (R3, R4)", (s) => {
  const name = s.isPlain ? unseen("names with white space are refused") : keyName(s);
  const forms = { asSent: name, trimmed: name.trim(), lowerCased: plain(name) };
  return Object.entries(forms).find(([, form]) => form === shown(s, "name"))?.[0] ?? "other";
});
question("Creating", "prefix", "Prefixes", "what becomes of it never replaces a key (K2)", (s) => {
  const { prefix = unseen("a prefix is refused") } = s.of(created).body as Properties;
  const forms = { asSent: prefix, underscored: `${prefix}_` };
  return Object.entries(forms).find(([, form]) => form === shown(s, "prefix"))?.[0] ?? "other";
});
question("Creating", "expiresAt", "expiresAt", "what becomes of it never replaces a key (K2)", (s) => {
  const { expiresAt = unseen("expiresAt is refused") } = s.of(created).body as Properties;
  const [sent, now] = [Number(expiresAt), Number(shown(s, "expiresAt"))];
  if (sent === now) unseen("it is kept; a key without it was not tried");
  return now === sent - 17 ? "rounded" : "other";
});
question("Creating", "enabledOnCreate", "enabled: false in a create", "it is edited (R4)", (s) =>
  [true, 1, "true"].some((yes) => yes === shown(s, "enabled")) ? "ignored" : "used",
);

// ---- Editing --------------------------------------------------------------------------------------------------------

/** Sends a PATCH with a new name, and waits until GET shows that. */
async function edit(s: Service, number: number, body: Properties) {
  const before = s.of(fresh.key as Request<Answer>) && (await get(s));
  const name = keyName(s, `-${number}`);
  const answer = await patch(s, { name, ...body });
  if (!isAccepted(answer)) unseen(s.words(answer));
  const isShown = (seen: Answer) => plain(inAnswer(seen)["name"]) === plain(name);
  const { last: after, isDone, looks, tookMs } = await s.until(() => get(s), isShown);
  if (!isDone) unseen("an edit had no effect in 8 s");
  return { before, answer, after, lateMs: looks > 1 ? tookMs : 0 };
}
const scopesIn = (answer: Answer): readonly Properties[] =>
  Object.values(inAnswer(answer)["scopes"] ?? {}).map((entry) => Object(entry));

const enabled = request((s) => edit(s, 1, { enabled: true }));
question("Editing", "writes", "An edit takes effect", "it is awaited for 8 s (R4)", (s) => {
  const { lateMs, answer } = s.of(enabled);
  return lateMs === 0 ? "atOnce" : answer.status === 202 ? "queued" : "behind";
});
question("Editing", "laterMs", "Milliseconds until then", "", (s) => {
  const { looks, tookMs } = s.of(found);
  return Math.max(s.if(enabled)?.lateMs ?? 0, looks > 1 ? tookMs : 0) || unseen("nothing is late");
});

/** The form of the answer to a write, and the record in it. */
function formOf(s: Service, answer: Answer): "nothing" | "emptyBody" | Properties {
  const isEmpty = answer.text === "";
  const isLate = s.if(enabled)?.lateMs !== 0;
  if (isLate && (isEmpty ? answer.status === 202 : answer.json["apiKey"])) unseen("it is late");
  return answer.status === 204 ? "nothing" : isEmpty ? "emptyBody" : inAnswer(answer);
}
question("Editing", "patchAnswer", "The answer to an edit", "without the record, GETs decide (R4)", (s) => {
  const { answer, after, before } = s.of(enabled);
  const form = formOf(s, answer);
  if (typeof form === "string") return form;
  const has = (other: Answer) => form["name"] === inAnswer(other)["name"];
  return has(after) ? "after" : has(before) ? "before" : "emptyObject";
});

const partial = request(async (s) => s.of(enabled) && edit(s, 2, {}));
question("Editing", "patchFields", "Fields that an edit leaves out", "it sends all (K1)", (s) => {
  const { before, after } = s.of(partial);
  if (!inAnswer(before)["enabled"]) unseen("enabled can't be changed");
  return inAnswer(after)["enabled"] ? "merges" : "replaces";
});

const flags = { create: false, read: false, update: false, del: false };
const scoped = request(async (s) => {
  const own = s.of(enabled) && s.of(reads).scopes;
  const invented = ["a", "b", "c"].map((letter) => `pulumi-apikeys-probe-${letter}`);
  const real = own ? listIn(own, "scopes").map((scope) => String(scope["representation"])) : [];
  const { after: disabled } = await edit(s, 3, { enabled: false });
  for (const names of [invented, real.slice(0, 3)]) {
    // A key that works gets no real scope.
    if (names !== invented && (names.length < 2 || inAnswer(disabled)["enabled"])) break;
    const rights = [{ read: true }, { read: true, update: true }, { create: true }];
    const scopes = names.map((representation, at) => ({ ...flags, representation, ...rights[at] }));
    const done = await edit(s, 4, { enabled: false, scopes }).catch(reasonOf);
    if ("reason" in done || scopesIn(done.after).length < scopes.length) continue;
    const answers = [done.after];
    for (let n = 0; n < 5; n += 1) answers.push(await get(s));
    const isSecond = (one: Properties) => one["representation"] === names[1];
    const entry = (answer: Answer) => scopesIn(answer).find(isSecond) ?? {};
    return { names, answers, entry, first: entry(done.after) };
  }
  return unseen("a key's scopes can't be changed");
});
const narrowed = request(async (s) => {
  const { first, names } = s.of(scoped);
  const entry = { ...flags, representation: names[1] };
  const id = first["id"] == null ? {} : { id: String(first["id"]) };
  const { after: withId } = await edit(s, 5, { enabled: false, scopes: [{ ...entry, ...id, read: true }] });
  const { after: withoutId } = await edit(s, 6, { enabled: false, scopes: [{ ...entry, create: true }] });
  return { withId, withoutId };
});
question("Editing", "patchScopes", "An edit of scopes", "it verifies what is taken away (K4)", (s) => {
  const [{ names, entry }, { withId, withoutId }] = [s.of(scoped), s.of(narrowed)];
  if (scopesIn(withId).length < names.length) return "replaces";
  if (!entry(withoutId)["read"]) return "upserts";
  if (!entry(withId)["update"]) return "merges";
  return { value: "neverNarrows", helps: "To take a permission away, replace the key: change keepers" };
});
question("Editing", "scopeOrder", "The order of scopes", "they are a set (K3)", (s) => {
  const { names, answers } = s.of(scoped);
  const isSame = (answer: Answer) => scopesIn(answer).every((one, at) => one["representation"] === names[at]);
  return answers.every(isSame) ? "asSent" : "shuffled";
});
question("Editing", "scopeIds", "Ids of scope entries", "an edit has those that were just read (K1)", (s) => {
  const { answers, entry, first } = s.of(scoped);
  if (first["id"] == null) return "none";
  if (answers.some((answer) => entry(answer)["id"] !== first["id"])) return "newEachTime";
  return entry(s.of(narrowed).withId)["id"] === first["id"] ? "stable" : "newEachWrite";
});
question("Editing", "scopeFlags", "Flags of scope entries", "absent means false (K3)", (s) => {
  if (shown(s, "deleted") === undefined) unseen("false is left out everywhere");
  return Object.keys(flags).every((flag) => flag in s.of(scoped).first) ? "all" : "onlyTrue";
});
fresh.pair = request(async (s) => {
  if (!s.of(listed).isDone) unseen("the new key is not listed");
  const alone = inAnswer(await get(s));
  const isUpToDate = (answer: Answer) => inList(s, answer)?.["name"] === alone["name"];
  const { last } = await s.until(() => list(s), isUpToDate);
  return { alone, listed: inList(s, last) ?? unseen("the key is no longer listed") };
});

// ---- Deleting -------------------------------------------------------------------------------------------------------

const deleted = request(async (s) => {
  const answer = await drop(s);
  if (!isAccepted(answer)) unseen(s.words(answer));
  const gone = await s.until(() => get(s), isGone);
  const isUnlisted = (seen: Answer) => Boolean((inList(s, seen) ?? { deleted: true })["deleted"]);
  return {
    answer,
    gone,
    unlisted: s.if(listed)?.isDone ? await s.until(() => list(s), isUnlisted) : undefined,
  };
});
question("Deleting", "delete", "A delete", "GET and the list decide (R6, R7)", (s) => {
  const { gone, unlisted } = s.of(deleted);
  const breaks = "Destroy fails (R7). Check in the service whether its keys are deleted";
  if (!gone.isDone) return { value: "other", seen: "A deleted key is still shown after 8 s", breaks };
  const isRead = gone.last.record !== undefined;
  // Without a list that shows it, nothing more can be seen.
  const isListed = unlisted?.isDone && inList(s, unlisted.last) !== undefined;
  return isRead ? (isListed ? "marksAndLists" : "marks") : isListed ? "marksAndOnlyLists" : "removes";
});
question("Lists", "listLag", "Outdated lists after a delete", "they are asked again (R6, K6)", (s) => {
  const { looks, isDone } = s.of(deleted).unlisted ?? unseen("the new key is not listed");
  const breaks = "Keys that a list lags behind for more than 8 s can't be confirmed as deleted";
  return isDone ? looks - 1 : { value: looks, seen: "Lists have a deleted key for more than 8 s", breaks };
});
question(
  "Deleting",
  "deleteAnswer",
  "The answer to a delete",
  "without the record, GETs decide (R7)",
  (s) => {
    const form = formOf(s, s.of(deleted).answer);
    return typeof form === "string" ? form : form["deleted"] ? "record" : "before";
  },
);

const again = request(async (s) => {
  if (!s.of(deleted).gone.isDone) unseen("the key is still there");
  return { deletion: await drop(s), edit: await patch(s, { enabled: false }) };
});
question("Deleting", "deleteAgain", "A second delete", "the key is looked up (R6)", (s) => {
  const { status } = s.of(again).deletion;
  return status < 300 ? 200 : status;
});
question("Deleting", "readDeleted", "An edit of a deleted key", "the update fails (R6)", (s) => {
  const { status } = s.of(again).edit;
  return status < 300 ? "null" : status;
});

// ---- Migrating ------------------------------------------------------------------------------------------------------

const migrated = request(async (s) => {
  const key = `probe_${randomBytes(24).toString("hex")}`;
  s.secrets.add(key);
  const once = (of: string) => make(s, keyName(s, of), [{ key, metadata: {} }, { key }], true);
  return [await once("-7"), await once("-8").catch(reasonOf)] as const;
});
question("Migrating", "duplicateKey", "A value that is migrated twice", "it is sent once (K5)", (s) => {
  const [one, two] = s.of(migrated);
  if ("reason" in two) return { value: 409, seen: `A value that is migrated twice: ${two.reason}` };
  return inAnswer(one)["id"] === inAnswer(two)["id"] ? "returned" : "created";
});

// ---- Clean-up -------------------------------------------------------------------------------------------------------

/** Deletes the keys that may exist. Returns the names of those that may be left. */
export async function cleanUp(s: Service): Promise<readonly string[]> {
  s.isCleaning = true;
  const stays: string[] = [];
  const done = new Set(s.if(deleted)?.gone.isDone ? [firstId(s)] : []);
  for (const [name, known] of s.left) {
    // Without an id, the answer to its create was lost.
    const find = async () => listIn(await list(s)).filter((key) => plain(key["name"]) === plain(name));
    const keys =
      known === undefined ? (await s.until(find, ({ length }) => length > 0)).last : [{ id: known }];
    if (keys.length === 0) stays.push(name);
    for (const id of keys.map((key) => String(key["id"]))) {
      if (done.has(id) || (await isDeleted(s, id))) done.add(id);
      else stays.push(`${name} (${id})`);
    }
  }
  return stays;
}

async function isDeleted(s: Service, id: string): Promise<boolean> {
  let isSent = false;
  const look = async () => {
    isSent = isAccepted(await drop(s, id)) || isSent;
    const seen = await get(s, id);
    return isGone(seen) && (isSent || seen.record !== undefined);
  };
  return (await s.until(look, Boolean)).isDone;
}
