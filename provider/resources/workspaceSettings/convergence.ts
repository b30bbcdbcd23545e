import { CallError } from "../../client/callError";
import { type EditWorkspace, editWorkspace, readWorkspace, recordOf } from "../../client/endpoints";
import type { WorkspaceRecord } from "../../client/responses";
import { number, type Session, text } from "../../core/definition";
import { lookAgain } from "../../core/polling";
import { isSecret, mask } from "../../core/secrecy";
import { extended, folded, type ManagedField, type Properties, same } from "../../core/state";
import { canonicalAddresses } from "../fields/addresses";

/** Whether a workspace's settings are as declared after a write, and what to do when they are not (R4, W1). */

export const settings: readonly ManagedField[] = [
  { name: "defaultKeyPrefix", canonical: text },
  { name: "defaultAllowedIPs", canonical: canonicalAddresses },
  { name: "defaultRateLimitPerSecond", canonical: number },
  { name: "defaultExpiration", canonical: number },
];

/** The settings as the service has them, in canonical form; an absent list is empty, an absent number 0 (R2). */
export function observe(record: WorkspaceRecord): Properties {
  return {
    defaultKeyPrefix: record.defaultKeyPrefix,
    defaultAllowedIPs: canonicalAddresses(record.defaultAllowedIPs ?? []),
    defaultRateLimitPerSecond: record.defaultRateLimitPerSecond ?? 0,
    defaultExpiration: record.defaultExpiration ?? 0,
  };
}

export function declaredIn(properties: Properties): readonly ManagedField[] {
  return settings.filter(({ name }) => properties[name] !== undefined);
}

/**
 * The values that a request can carry, exactly as they were read: nothing can be unset, so what is absent is left out,
 * and one of the numbers must be above 0.
 */
export function sendable(fields: readonly ManagedField[], record: WorkspaceRecord): Properties {
  const read: Properties = { ...record };
  return Object.fromEntries(
    fields
      .map(({ name }) => [name, read[name]] as const)
      .filter(([, value]) => value !== undefined && !(typeof value === "number" && value <= 0)),
  );
}

/** The settings that a PATCH carries; addresses in the spelling that the service has for them, where it has one. */
function bodyOf(target: Properties, kept: Properties, record: WorkspaceRecord): EditWorkspace {
  const addresses = target["defaultAllowedIPs"];
  if (!Array.isArray(addresses)) return { ...kept, ...target };
  const canonical = (address: string) => String(canonicalAddresses([address]));
  const theirs = new Map(record.defaultAllowedIPs?.map((address) => [canonical(address), address]));
  const spelled = addresses.map((address) => theirs.get(canonical(address)) ?? address);
  return { ...kept, ...target, defaultAllowedIPs: spelled };
}

export interface SettledSettings {
  /** What was seen last: after the write unless `unseen`. */
  readonly record: WorkspaceRecord;
  readonly unmet: readonly { readonly field: string; readonly words: string }[];
  readonly warnings: readonly string[];
  /** What stopped it after something was sent. */
  readonly error?: unknown;
  /** Whether nothing was seen since the first PATCH was sent, so that `unmet` holds all that it was to change. */
  readonly unseen?: boolean;
}

export interface SettleOptions {
  /** Not to change: these settings may stay as the service rewrote them before. */
  readonly steady?: readonly ManagedField[];
  /** To go back to what the service had itself: a GET must show these settings just so (W5). */
  readonly exact?: readonly ManagedField[];
  /** By which a setting may be secret: no words then hold its value. */
  readonly secrecies?: readonly Properties[];
}

/**
 * Makes the workspace hold `target`, and everything else stay as it was read: the PATCH repeats it, so that it means
 * the same whether the service merges or replaces. Sends nothing if all is so already (W1, W2). Throws only where
 * nothing was sent, or the first PATCH was refused.
 */
export async function settle(
  session: Pick<Session, "call" | "pause" | "signal" | "tell">,
  workspaceId: string,
  target: Properties,
  before: WorkspaceRecord,
  { steady = [], exact = [], secrecies = [] }: SettleOptions = {},
): Promise<SettledSettings> {
  const wanted = declaredIn(target);
  const changing = wanted.filter((field) => !steady.includes(field));
  const old = observe(before);
  if (holds(wanted, target, old)) return { record: before, unmet: [], warnings: [] };
  const kept = sendable(
    settings.filter((field) => !wanted.includes(field)),
    before,
  );
  const keptFields = declaredIn(kept);
  const body = bodyOf(target, kept, before);
  let seen: WorkspaceRecord | undefined;
  let answered = false;
  const send = async (from: Properties): Promise<Properties> => {
    let answer = recordOf(await editWorkspace(session.call, { workspaceId }, body));
    answered = true;
    const look = async () => {
      const proof = exact.length === 0 && answer !== undefined && shows(answer, body) ? answer : undefined;
      answer = undefined;
      seen = proof ?? (await readWorkspace(session.call, { workspaceId }));
      return observe(seen);
    };
    // What is just as it was may still be on its way: nothing says when the service carries out what it accepts.
    return lookAgain(
      session,
      `workspace ${workspaceId} to show the change`,
      look,
      (now) => !holds(settings, from, now) || holds([...changing, ...keptFields], { ...old, ...target }, now),
    );
  };
  const say = saying(secrecies);
  const judged = (record: WorkspaceRecord) =>
    verdict({ target, changing, exact, kept: keptFields }, before, record, say);
  try {
    const now = await send(old);
    if (!holds(keptFields, old, now)) await send(now);
    return judged(seen ?? before);
  } catch (error) {
    if (!answered && !(error instanceof CallError && error.verdict === "ambiguous")) throw error;
    if (seen !== undefined) return { ...judged(seen), error };
    const open = changing.filter((field) => !same(field, target[field.name], old[field.name]));
    const unmet = open.map(({ name }) => ({ field: name, words: `${name}: ${say(name, old[name])} before` }));
    return { record: before, unmet, warnings: [], error, unseen: true };
  }
}

/** Whether an answer to a PATCH proves what was sent. What it leaves out is not known from it. */
function shows(record: WorkspaceRecord, body: EditWorkspace): boolean {
  const answered: Properties = { ...record };
  const whole = Object.keys(body).every((name) => answered[name] !== undefined);
  return whole && holds(settings, { ...observe(record), ...body }, observe(record));
}

interface Aim {
  readonly target: Properties;
  readonly changing: readonly ManagedField[];
  readonly exact: readonly ManagedField[];
  readonly kept: readonly ManagedField[];
}

/** What of a workspace is not as it is to be. */
function verdict(
  { target, changing, exact, kept }: Aim,
  before: WorkspaceRecord,
  record: WorkspaceRecord,
  say: Say,
): SettledSettings {
  const [old, now] = [observe(before), observe(record)];
  const declared = changing.filter((field) => !exact.includes(field));
  const other = (fields: readonly ManagedField[], than: Properties) =>
    fields.filter((field) => !same(field, than[field.name], now[field.name]));
  const lost = (than: Properties) => (field: ManagedField) => ({
    field: field.name,
    words: `${field.name}: before ${say(field.name, than[field.name])}, the service has ${say(field.name, now[field.name])}`,
  });
  return {
    record,
    unmet: [
      ...declared
        .filter((field) => ignored(field, target, old, now))
        .map(({ name }) => ({
          field: name,
          words: `${name}: declared ${say(name, target[name])}, the service still has ${say(name, now[name])}`,
        })),
      ...other(exact, target).map(lost(target)),
      ...other(kept, old).map(lost(old)),
    ],
    warnings: declared
      .filter((field) => rewrittenBefore(field, target, old, now))
      .map(({ name }) => {
        const why =
          typeof target[name] === "number"
            ? "it may have rounded the value"
            : "it may have rewritten the value";
        return `${name}: declared ${say(name, target[name])}, the service still has ${say(name, now[name])}; ${why}.`;
      }),
  };
}

function holds(fields: readonly ManagedField[], left: Properties, right: Properties): boolean {
  return fields.every((field) => same(field, left[field.name], right[field.name]));
}

/** A changed text or list that still has its old value was not applied, unless the service may have rewritten it (R4). */
function ignored(field: ManagedField, target: Properties, old: Properties, now: Properties): boolean {
  if (!stayed(field, target, old, now) || rewrittenBefore(field, target, old, now)) return false;
  return folded(target[field.name]) !== folded(now[field.name]);
}

/** A changed number or text that still has its old value may be what the service makes of it: accepted, and told. */
function rewrittenBefore(field: ManagedField, target: Properties, old: Properties, now: Properties): boolean {
  const { name } = field;
  if (!stayed(field, target, old, now)) return false;
  return (
    typeof target[name] === "number" ||
    (typeof target[name] === "string" && extended(target[name], now[name]))
  );
}

function stayed(field: ManagedField, target: Properties, old: Properties, now: Properties): boolean {
  const { name } = field;
  return same(field, old[name], now[name]) && !same(field, target[name], now[name]);
}

/** A setting's value in words, unless it is secret. */
type Say = (name: string, value: unknown) => string;

export function saying(secrecies: readonly Properties[]): Say {
  return (name, value) => (secrecies.some((one) => isSecret(one, name)) ? mask : inWords(value));
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "no addresses" : value.join(", ");
  return value === undefined ? "none" : typeof value === "string" ? `"${value}"` : String(value);
}
