/** Questions that send GETs alone. */

import { randomInt, randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect } from "node:tls";
import { endpoints, isLoopback, isRecord, type Properties, pauseFor } from "../provider";
import { openQuestions } from "./question";
import { type Answer, type Request, type Service, unseen } from "./service";

/** Asked first. The others are asked if the service can be looked at. */
const first = openQuestions();
export const opening = first.all;
const { all, question, request } = openQuestions();
export const reading = all;

/** What an answer has under a name, as it came. */
export const inAnswer = ({ json }: Answer, name = "apiKey") => Object(json[name]) as Properties;
export const listIn = ({ pages }: Answer, name = "apiKeys"): readonly Properties[] =>
  pages.flatMap(({ [name]: list }) => (Array.isArray(list) ? list.filter(isRecord) : []));

/** The reads that most questions share, of the first listed key too. */
export const reads = first.request(async (s) => {
  const workspaces = await s.ask((call) => endpoints.listWorkspaces(call));
  s.options.workspaceId ??= String(listIn(workspaces, "workspaces")[0]?.["id"] ?? "") || undefined;
  if (s.options.workspaceId === undefined) return { workspaces };
  const { workspaceId } = s;
  const workspace = await s.ask((call) => endpoints.readWorkspace(call, { workspaceId }));
  if ((workspaces.record ?? workspace.record) === undefined) return { workspaces, workspace };
  const keys = await s.ask((call) => endpoints.listApiKeys(call, { workspaceId }));
  const scopes = await s.ask((call) => endpoints.listScopes(call, { workspaceId }));
  for (const { id } of [...listIn(workspaces, "workspaces"), ...listIn(keys), ...listIn(scopes, "scopes")])
    s.ids.add(String(id));
  const listed = listIn(keys).find(({ id, deleted }) => Boolean(id) && !deleted);
  const path = { workspaceId, keyId: String(listed?.["id"]) };
  const key = listed && (await s.ask((call) => endpoints.readApiKey(call, path)));
  return { workspaces, workspace, keys, scopes, listed, key };
});
/** Whether the service can be looked at: without it, nothing else is asked. */
export const isUsable = (s: Service): boolean => {
  const { workspaces, workspace } = s.if(reads) ?? {};
  return (workspaces?.record ?? workspace?.record) !== undefined;
};
const read = <Name extends "workspace" | "keys" | "scopes">(s: Service, name: Name) =>
  s.of(reads)[name] ?? unseen("no workspace is listed: give --workspace");

/** The new key as GET shows it first, and later beside its record in the list. The write questions fill them in. */
export const fresh: { key?: Request<Answer>; pair?: Request<{ listed: Properties; alone: Properties }> } = {};
const keyAnswer = (s: Service) => (fresh.key && s.if(fresh.key)) ?? s.if(reads)?.key;
const keyRecord = (s: Service) => inAnswer(keyAnswer(s) ?? unseen("there is no key to look at"));
const anyRecord = (s: Service) => (keyAnswer(s) ? keyRecord(s) : inAnswer(read(s, "workspace"), "workspace"));

// ---- Connection -----------------------------------------------------------------------------------------------------

first.question("Connection", "settings", "Settings", "", (s) => {
  const { baseUrlSource } = s.options.configuration;
  return { seen: `The base URL is ${baseUrlSource}; the access token is from APIKEYS_ACCESS_TOKEN` };
});

const route = first.request(async (s) => {
  const { hostname, port, protocol } = new URL(s.options.configuration.credentials.baseUrl);
  const isSet = (name: string) => process.env[name] || process.env[name.toLowerCase()];
  const proxies = ["HTTPS_PROXY", "HTTP_PROXY"].filter(isSet).join(" and ");
  if (proxies && !isLoopback(hostname)) return `${proxies}: a proxy is used, unless NO_PROXY has the host`;
  const host = hostname.replace(/^\[|\]$/g, "");
  const { length } = await lookup(host, { all: true }).catch(() => []);
  if (protocol !== "https:") return `No proxy; addresses of the host: ${length}; no TLS`;
  const socket = connect({ host, port: Number(port || 443), servername: host, timeout: 3_000 });
  socket.on("error", () => {});
  await Promise.race(
    ["secureConnect", "timeout", "close"].map((event) => once(socket, event).catch(() => {})),
  );
  const days = (Date.parse(socket.getPeerCertificate()?.valid_to) - Date.now()) / 86_400_000;
  socket.destroy();
  return `No proxy; addresses of the host: ${length}; its certificate is valid for ${Math.floor(days)} days`;
});
first.question("Connection", "route", "Route", "", (s) => ({ seen: s.of(route) }));

first.question("Connection", "service", "The service", "", (s) => {
  const { workspaces } = s.of(reads);
  if (isUsable(s)) return "answers as its interface says";
  const isPage = /^\s*<|^text.html/i.test(workspaces.text || String(workspaces.headers["content-type"]));
  const seen = `${isPage ? "A web page answers" : "It can't be read"}: ${s.words(workspaces)}`;
  const breaks = "Check APIKEYS_BASE_URL, which is the part before /api/v1, and the access token";
  return { value: "unusable", seen, does: "every operation fails", breaks };
});

question("Connection", "refused", "Reads that are refused", "", (s) => {
  const { listed: _, ...answers } = s.of(reads);
  const refused = Object.entries(answers).filter(([, answer]) => answer && !answer.record);
  if (refused.length === 0) return { value: "none", seen: `It can read: ${Object.keys(answers).join(", ")}` };
  const seen = refused.map(([name, answer]) => `${name}: ${answer && s.words(answer)}`).join("; ");
  const value = refused.map(([name]) => name).join(", ");
  const does = "what needs them fails";
  return { value, seen: `It can't read ${seen}`, does, helps: "Check the rights of the access token" };
});

question("Connection", "clock", "Clock", "", (s) => {
  const apartMs = Math.abs(s.startedAt - Date.parse(String(s.of(reads).workspaces.headers["date"])));
  if (Number.isNaN(apartMs)) unseen("answers have no Date header");
  if (apartMs < 60_000) return { seen: "The service's clock agrees with this machine's" };
  return {
    seen: `Clocks are ${Math.round(apartMs / 1_000)} s apart`,
    helps: "Set this machine's clock, by which rotating keys are due",
  };
});

// ---- Limits ---------------------------------------------------------------------------------------------------------

const isThrottled = ({ result }: Service["exchanges"][number]) =>
  result.kind === "answered" && result.status === 429;
const rate = request(async (s) => {
  const { workspaceId } = s;
  const get = () => s.ask((call) => endpoints.readWorkspace(call, { workspaceId }));
  const until = performance.now() + 2_000;
  for (let n = 0; n < 12 && performance.now() < until; n += 1) await get();
  if (!s.exchanges.some(isThrottled)) return 0;
  // Services count from one full second to the next.
  await pauseFor(1_050 - (Date.now() % 1_000));
  const from = s.exchanges.length;
  const counted = () => s.exchanges.slice(from);
  while (!counted().some(isThrottled) && counted().length < 60) await get();
  return counted().findIndex(isThrottled);
});
const fewer = { helps: "Set APIKEYS_CONCURRENCY to 4" } as const;

question("Limits", "rateLimitPerSecond", "Requests per second", "it waits as asked", (s) => {
  const value = s.of(rate);
  const headers = Object.keys(read(s, "workspace").headers).filter((name) => /rate-?limit/i.test(name));
  const more = headers.length > 0 ? `; headers: ${headers.join(", ")}` : "";
  if (value <= 0) unseen(`a dozen requests met no limit${more}`);
  return { value, seen: `Requests per second: ${value}, then 429${more}`, ...fewer };
});

question("Limits", "times", "Times", "", (s) => {
  const times = s.exchanges.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? unseen("nothing was answered");
  const seen = `${times.length} requests took ${median} ms (median) to ${times.at(-1)} ms (slowest)`;
  return { seen, ...(median > 2_000 && fewer) };
});

/** An id of the same form, so that it is not refused for that. */
function alike(id: string): string {
  if (/^\d+$/.test(id)) return String(randomInt(2 ** 46, 2 ** 47));
  const any = (of: string) => () => of.charAt(randomInt(of.length));
  const end = (text: string) => text.replace(/\d/g, any("0123456789")).replace(/[a-z]/g, any("abcdef"));
  return /\w{8}$/.test(id) ? id.replace(/[a-zA-Z0-9]+$/, end) : randomUUID();
}
const unknownKey = request(async (s) => {
  const keyId = alike(String(s.of(reads).listed?.["id"]));
  return s.ask((call) => endpoints.readApiKey(call, { workspaceId: s.workspaceId, keyId }));
});
question("Limits", "unknownKey", "An unknown key", "this alone never means that it is gone (R6)", (s) => {
  const { error, status: value } = s.of(unknownKey);
  const seen = `An unknown key: ${s.words(s.of(unknownKey))}`;
  if (error?.status === 404 || error?.status === 410) return { value, seen };
  if (value < 500 && !s.of(reads).listed)
    unseen(`${s.words(s.of(unknownKey))}, maybe for the form of the id`);
  const helps = "If a key was deleted outside Pulumi, run `pulumi state delete` for it";
  return { value, seen, does: "no key is found to be gone, and refresh fails (R6)", helps };
});

question("Limits", "errorBody", "The form of errors", "messages quote their text, masked", (s) => {
  const { status, text, json } = s.of(unknownKey);
  if (status < 400) unseen("no error was answered");
  const { errors, error, title, detail, message } = json;
  const [list, nested, problem] = [Array.isArray(errors), isRecord(error), title ?? detail];
  const forms = { list, nested, problem, message, error };
  const form = Object.entries(forms).find(([, isForm]) => isForm)?.[0];
  return form ?? (text === "" ? "empty" : Object.keys(json).length === 0 ? "text" : "other");
});
question("Limits", "errorEchoes", "Errors repeat", "secrets are masked", (s) => {
  const { status, text } = s.of(unknownKey);
  if (status < 400 || text === "") unseen("errors have no text");
  return [...s.secrets].some((secret) => text.includes(secret)) ? "request" : "nothing";
});

const invented = { workspaceId: randomUUID() };
const unknownWorkspace = request(async (s) => s.ask((call) => endpoints.listScopes(call, invented)));
question("Limits", "otherTenant", "Lists of unknown workspaces", "the workspace is read too (R6)", (s) => {
  const { record, status } = s.of(unknownWorkspace);
  return record ? "empty" : unseen(`${status}; other accounts' workspaces were not tried`);
});

// ---- Lists ----------------------------------------------------------------------------------------------------------

question("Lists", "keyLists", "The list of keys", "a list only confirms (R5)", (s) => {
  const { record, status: value } = read(s, "keys");
  if (record) return "answered";
  const helps = "For a key that no longer exists, set APIKEYS_NO_KEY_LIST=true for one command";
  return {
    value,
    seen: `The list of keys: ${s.words(read(s, "keys"))}`,
    does: "no key counts as gone (R6)",
    helps,
  };
});

const sign = /^(x-)?(next|total|.*page|.*cursor|has-?_?(more|next)|offset|limit|count)/i;
question("Lists", "listPages", "Signs of pages", "a key that it lacks is not gone (R6)", (s) => {
  const answer = read(s, "keys");
  const all = answer.record ? listIn(answer) : unseen("there is no list");
  const within = Object.assign({}, ...Object.values(answer.json).filter(isRecord));
  const signs = [
    ...Object.entries({ ...answer.json, ...answer.headers }).filter(([name]) => sign.test(name)),
    ...Object.entries(within).filter(([name]) => /^(next|has_?more|total|.*cursor)/i.test(name)),
  ];
  if (/rel="?[^"]*next/i.test(String(answer.headers["link"]))) signs.push(["link", true]);
  const isMore = ([name, value]: [string, unknown]) =>
    !/page|limit|offset/i.test(name) &&
    (/^\d+$/.test(String(value)) ? Number(value) > all.length : Boolean(value) && value !== "false");
  const isRound = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000].includes(all.length);
  const deleted = all.filter((key) => Boolean(key["deleted"])).length;
  const twice = all.length - new Set(all.map(({ id }) => id)).size;
  const value = signs.map(([name]) => name).join(", ") || "none";
  const counts = `${all.length}${isRound ? ", a round number" : ""} (${deleted} deleted, ${twice} twice)`;
  const seen = `Keys in the list: ${counts}; signs of pages: ${value}`;
  return {
    value,
    seen,
    ...((isRound || signs.some(isMore)) && { helps: "If it lacks keys, adopt with --key-id" }),
  };
});

question("Lists", "listRecords", "Records in the list", "a key is read, unless they agree (R5)", (s) => {
  const { listed, key } = s.of(reads);
  const pair = fresh.pair && s.if(fresh.pair);
  const alone = pair?.alone ?? inAnswer(key ?? unseen("there is no key to look at"));
  const record = pair?.listed ?? listed ?? {};
  if (["scopes", "enabled"].some((field) => field in alone && !(field in record))) return "brief";
  if (record["name"] !== alone["name"]) return "stale";
  return pair ? "full" : unseen("they may be older after an edit, which needs --write");
});

// ---- Records --------------------------------------------------------------------------------------------------------

question("Records", "ids", "Ids", "they are text in state", (s) => {
  const record = keyAnswer(s) ? keyRecord(s) : listIn(read(s, "scopes"), "scopes")[0];
  const id = record?.["id"] ?? unseen("there is no key and no scope to look at");
  return typeof id === "number" ? "numeric" : encodeURIComponent(String(id)) === id ? "text" : "odd";
});
question("Records", "timestamps", "Times", "outputs have them as they came", (s) => {
  const { createdAt } = anyRecord(s);
  if (createdAt === undefined || createdAt === "") unseen("records have no createdAt");
  if (createdAt === null) return "null";
  return Number.isNaN(Number(createdAt)) ? "iso" : Number(createdAt) > 1e11 ? "epochMillis" : "epochSeconds";
});
question("Records", "absent", "Fields without a value", "all of these are one (R2)", (s) => {
  const fields = keyAnswer(s) ? ["lastUsedAt", "billingId"] : ["defaultKeyPrefix", "defaultExpiration"];
  const values = fields.map((field) => anyRecord(s)[field]);
  if (values.every(Boolean)) unseen("all fields have values");
  if (values.includes(null)) return "null";
  return values.some((value) => value === "" || value === 0) ? "empty" : "omitted";
});
question("Records", "zeroValues", "false, 0 and []", "absent means the same (R2)", (s) =>
  keyRecord(s)["deleted"] === undefined ? "omitted" : "sent",
);
question("Records", "emptyLists", "Empty lists, unless left out", "null is an empty list (R2)", (s) => {
  const { keys, scopes } = s.of(reads);
  const ofKey = fresh.key && s.if(fresh.key) && keyRecord(s)["scopes"];
  const shown = [keys?.json["apiKeys"], scopes?.json["scopes"], ofKey];
  if (shown.includes(null)) return "null";
  const isLeftOut = [keys, scopes].some((one) => one?.record && Object.keys(one.json).length === 0);
  const isEmpty = shown.some((value) => Array.isArray(value) && value.length === 0);
  return isLeftOut || isEmpty ? "sent" : unseen("no list is empty");
});
const known = new Set(
  `id name maskedKey prefix expiresAt scopes enabled customerId deleted createdAt updatedAt lastUsedAt billingId key
  teamId defaultKeyPrefix defaultAllowedIPs defaultRateLimitPerSecond defaultExpiration`.split(/\s+/),
);
question("Records", "extraFields", "Fields that the interface lacks", "they are left alone", (s) => {
  const fields = Object.keys(anyRecord(s));
  return fields.length > 0 ? fields.some((field) => !known.has(field)) : unseen("no record was read");
});
