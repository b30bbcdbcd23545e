import type { LoggedRequest } from "../../standin";
import type { Operation } from "./engine";
import { type Finding, releasedIn } from "./findings";
import { declaredKeys, idsIn } from "./heldKeys";
import type { CommandRecord, Trace } from "./play";
import { isCut } from "./schedule";
import type { MadeKey } from "./stage";

/** Keys that were made and live, although no state holds them and nothing that a user reads names them. */
export function lostKeys(trace: Trace): readonly Finding[] {
  const { commands, made } = trace;
  const told = commands.flatMap((command) => [command.told, ...failures(command)]).join("\n");
  const last = commands.at(-1);
  const held = new Set<unknown>([
    ...(last?.state.flatMap(idsIn) ?? []),
    ...commands.flatMap((command) => [...releasedIn(command)]),
  ]);
  return made
    .filter(
      ({ key }) => last?.live.some(({ id }) => id === key.id) && !held.has(key.id) && !names(told, key.id),
    )
    .map((one): Finding => {
      const makers = makersOf(trace, one);
      const isSilent = !makers.some((making) => isDoubtful(making, one));
      const apart =
        mistakable(trace, one, makers) ??
        sentTwice(trace, one) ??
        (isSilent ? tooShort(trace, one) : unnameable(trace, one, makers));
      return {
        column: isSilent ? "lostSilently" : "unnamed",
        what: `${one.key.id} by request ${one.request}`,
        apart,
      };
    });
}

/** After a 409, a list that is cut without a sign doesn't show that the key was made, so another one is (K6). */
function tooShort({ requests, schedule }: Trace, { request }: MadeKey): string | undefined {
  const made = requests.find(({ n }) => n === request);
  return made?.status === 409 && isCut(schedule.variant) ? "a list that is cut" : undefined;
}

function failures({ operations }: CommandRecord): readonly string[] {
  return operations.filter(({ ended }) => ended === "failed").map(({ message }) => message);
}

/** Whether an id stands in a text, and not as a part of another. */
function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + id.length] ?? " "}`;
    if (!/[\p{L}\p{N}_]/u.test(around)) return true;
  }
  return false;
}

interface Making extends Operation {
  /** Whether it ended with the provider's process. */
  readonly killed: boolean;
}

/** The operations that may make keys. */
function makings({ commands }: Trace): readonly Making[] {
  return commands.flatMap(({ interruption, operations }) =>
    operations
      .filter(({ name }) => name === "create" || name === "update")
      .map((operation) => ({ ...operation, killed: interruption === "hostKilled" })),
  );
}

/** The operations in whose time a key was made for their customer. */
function makersOf(trace: Trace, { key, request }: MadeKey): readonly Making[] {
  return makings(trace).filter(
    (making) => making.from < request && request <= making.until && namesakes(making, key).length > 0,
  );
}

/** The keys of a resource that are to have this customer, and this name if any of them is to have it. */
function namesakes({ resource, kind, inputs }: Operation, key: MadeKey["key"]) {
  const keys = declaredKeys({ name: resource, kind, inputs }).filter(
    (one) => one.inputs["customerId"] === key.customerId,
  );
  const alike = keys.filter((one) => folded(one.inputs["name"]) === folded(key.name));
  return alike.length > 0 ? alike : keys;
}

/** Whether an operation left a doubt: nobody waited for it, or its error is about the key and doesn't deny it. */
function isDoubtful(operation: Operation, { key }: MadeKey): boolean {
  const { ended, message } = operation;
  if (ended === "dropped") return true;
  const aliases = namesakes(operation, key).flatMap(({ alias }) =>
    alias === undefined ? [] : JSON.stringify(alias),
  );
  // A set's error has a line for each of its keys that failed, or for several of them, or else is about them all.
  const own = message.split("\n").filter((line) => /^\s*("|For each of )/.test(line));
  const texts =
    own.length === 0 ? [message] : own.filter((line) => aliases.some((one) => line.includes(one)));
  return ended === "failed" && texts.some((text) => !text.includes("Nothing was created"));
}

/** Why another record's answer to a create can't be told from the new key's: ids are known from lists alone. */
function mistakable({ requests }: Trace, made: MadeKey, makers: readonly Making[]): string | undefined {
  const isMistaken = requests.some(({ n, fault }) => n === made.request && fault === "otherRecord");
  const isListed = makers.some(({ from }) => requests.slice(from, made.request).some(isWholeList));
  return isMistaken && !isListed ? "another record's answer to a create, and no list before it" : undefined;
}

/**
 * Why nobody could name the second key of a create that was sent twice: no refresh has taken the other one from a list that
 * has both.
 */
function sentTwice(
  { requests, made, commands, schedule }: Trace,
  { key, request }: MadeKey,
): string | undefined {
  if (!requests.some(({ n, fault }) => n === request && fault === "twice")) return undefined;
  const twins = made.filter((other) => other.request === request && other.key.id !== key.id);
  const isNameable = commands.some(({ name, green, before, live, from, until }) => {
    const asked = requests.slice(from, until);
    const alive = (id: string) => live.find((one) => one.id === id);
    const isTwin = (id: string) =>
      before.flatMap(idsIn).includes(id) &&
      !asked.some(
        ({ endpoint, path }) => endpoint === "readApiKey" && path.endsWith(encodeURIComponent(id)),
      ) &&
      alive(id)?.name === alive(key.id)?.name &&
      alive(id)?.customerId === alive(key.id)?.customerId;
    return name === "refresh" && green && from >= request && twins.some((twin) => isTwin(twin.key.id));
  });
  const { listLag } = schedule.variant;
  return isNameable && listLag === 0 && !isCut(schedule.variant) ? undefined : "a create that was sent twice";
}

/** Why a stack may have taken another key for a new one. */
export function mistakenCreate(trace: Trace): string | undefined {
  const reasons = trace.made.map((one) => mistakable(trace, one, makersOf(trace, one)));
  return reasons.find((reason) => reason !== undefined);
}

function isWholeList({ endpoint, status, fault }: LoggedRequest): boolean {
  return endpoint === "listApiKeys" && status === 200 && fault === undefined;
}

/**
 * Why nobody could name a key: its host was killed, and nobody made a key of its name and customer later; or whenever such
 * a key was being made from then on, the list was asked for in vain. A provider that did not ask has no excuse.
 */
function unnameable(trace: Trace, { key, request }: MadeKey, makers: readonly Making[]): string | undefined {
  const { requests, schedule } = trace;
  const resources = new Set(makers.map(({ resource }) => resource));
  const isOfIt = ({ endpoint, body }: LoggedRequest) => {
    const { customerId, name } = Object(body) as Readonly<Record<string, unknown>>;
    const isCreate = endpoint === "createApiKey" || endpoint === "migrateApiKey";
    return isCreate && customerId === key.customerId && folded(name) === folded(key.name);
  };
  const later = makings(trace)
    .filter(({ resource, until, killed }) => !killed && resources.has(resource) && until >= request)
    .map(({ from, until, message }) => ({ message, asked: requests.slice(from, until) }));
  const posting = later.filter(({ asked }) => asked.some(isOfIt));
  if (posting.length === 0 && makers.some(({ killed }) => killed)) return "the host was killed";
  const isAsked = later.some(
    ({ asked, message }) =>
      asked.some(({ n, endpoint }) => endpoint === "listApiKeys" && n > request) ||
      /connection was refused/.test(message),
  );
  if (!isAsked) return undefined;
  // An outage may cut an answer that the log has as sent.
  const readers = posting.filter(({ message }) => !message.includes("list of keys could not be read"));
  const legible = readers.flatMap(({ asked }) => {
    // Once it has its key, a list is read for something else.
    const end = asked.findIndex((one) => isOfIt(one) && one.carriedOut && one.fault === undefined);
    return (end < 0 ? asked : asked.slice(0, end)).filter((one) => one.n > request && isWholeList(one));
  });
  const { listLag } = schedule.variant;
  if (isCut(schedule.variant)) return "a list that is cut";
  return legible.length <= listLag ? "no list was answered while it was declared" : undefined;
}

function folded(name: unknown): string {
  return String(name).trim().toLowerCase();
}
