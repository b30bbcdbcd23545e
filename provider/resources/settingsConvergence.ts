import { type EditWorkspace, editWorkspace, readWorkspace } from "../client/endpoints";
import type { WorkspaceRecord } from "../client/responses";
import { number, type Session, text } from "../definition";
import { type ManagedField, type Properties, same } from "../state";
import { canonicalAddresses } from "./addresses";

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

/** The values that a request can carry: nothing can be unset, and one of the numbers must be above 0. */
export function sendable(fields: readonly ManagedField[], observed: Properties): Properties {
  return Object.fromEntries(
    fields
      .map(({ name }) => [name, observed[name]] as const)
      .filter(([, value]) => value !== undefined && !(typeof value === "number" && value <= 0)),
  );
}

export interface SettledSettings {
  readonly record: WorkspaceRecord;
  readonly unmet: readonly { readonly field: string; readonly words: string }[];
  readonly warnings: readonly string[];
}

/**
 * Makes the workspace hold `target`, and everything else stay as it was read: the PATCH repeats it, so that it means
 * the same whether the service merges or replaces. Sends nothing if all is so already (W1, W2). The `steady` settings
 * are not to change: they may stay as the service rewrote them before.
 */
export async function settle(
  session: Session,
  workspaceId: string,
  target: Properties,
  before: WorkspaceRecord,
  steady: readonly ManagedField[] = [],
): Promise<SettledSettings> {
  const wanted = declaredIn(target);
  const changing = wanted.filter((field) => !steady.includes(field));
  const old = observe(before);
  if (holds(wanted, target, old)) return { record: before, unmet: [], warnings: [] };
  const kept = sendable(
    settings.filter((field) => !wanted.includes(field)),
    old,
  );
  const keptFields = declaredIn(kept);
  const body = { ...kept, ...target } as EditWorkspace;
  const send = async () => {
    const { record } = await editWorkspace(session.call, { workspaceId }, body);
    const clear = record !== undefined && holds(settings, { ...observe(record), ...body }, observe(record));
    return clear ? record : readWorkspace(session.call, { workspaceId });
  };
  let record = await send();
  if (!holds(keptFields, old, observe(record))) record = await send();
  const now = observe(record);
  return {
    record,
    unmet: [
      ...changing.filter((field) => ignored(field, target, old, now)),
      ...keptFields.filter((field) => !same(field, old[field.name], now[field.name])),
    ].map(({ name }) => ({
      field: name,
      words: `${name}: ${name in target ? "declared" : "before"} ${inWords((name in target ? target : old)[name])}, the service ${name in target ? "still " : ""}has ${inWords(now[name])}`,
    })),
    warnings: changing
      .filter((field) => rounded(field, target, old, now))
      .map(
        ({ name }) =>
          `${name}: declared ${target[name]}, the service still has ${now[name]}; it may have rounded the value.`,
      ),
  };
}

function holds(fields: readonly ManagedField[], left: Properties, right: Properties): boolean {
  return fields.every((field) => same(field, left[field.name], right[field.name]));
}

/** A changed text or list that still has its old value was not applied, unless the service folds case or trims (R4). */
function ignored(field: ManagedField, target: Properties, old: Properties, now: Properties): boolean {
  if (typeof target[field.name] === "number" || !stayed(field, target, old, now)) return false;
  return folded(target[field.name]) !== folded(now[field.name]);
}

/** A changed number that still has its old value may have been rounded: accepted, and told. */
function rounded(field: ManagedField, target: Properties, old: Properties, now: Properties): boolean {
  return typeof target[field.name] === "number" && stayed(field, target, old, now);
}

function stayed(field: ManagedField, target: Properties, old: Properties, now: Properties): boolean {
  const { name } = field;
  return same(field, old[name], now[name]) && !same(field, target[name], now[name]);
}

function folded(value: unknown): unknown {
  return typeof value === "string" ? value.trim().toLowerCase() : value;
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "no addresses" : value.join(", ");
  return value === undefined ? "none" : typeof value === "string" ? `"${value}"` : String(value);
}
