/** The inputs and outputs of a workspace's settings, and state after a write. */
import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import type { WorkspaceRecord } from "../../client/service";
import { type Settled, stateAfter } from "../../core/converge";
import type { DraftOf, InputsOf, StateOf } from "../../core/definition";
import {
  aMap,
  aString,
  type Canonical,
  defaulted,
  isUnknown,
  number,
  optional,
  required,
  stable,
  string,
} from "../../core/fields";
import type { SecretPath } from "../../core/secrecy";
import {
  hiddenIn,
  type ManagedField,
  nonEmpty,
  observedKey,
  type Properties,
  pick,
  same,
} from "../../core/state";
import { optionalString, pathSegment } from "../fields/schemas";

// ---- Addresses -----------------------------------------------------------------------------------------------------

/** IP addresses and CIDR blocks, as a program declares them. An empty list is a value. */
export const addressesSchema = z.nullish(
  z.array(
    z.string().check(
      z.refine((value) => isUnknown(value) || parsed(value) !== undefined, {
        error: "must be an IP address or a CIDR block, such as 10.0.0.1 or 2001:db8::/32",
      }),
    ),
  ),
);

/**
 * Addresses in canonical form: a set, sorted, each spelled one way: a block of one address is that address, and what
 * lies below a block's prefix is 0. Anything else, and what is not known yet, comes last, untouched.
 */
export const canonicalAddresses: Canonical<readonly string[]> = (value) => {
  if (isUnknown(value)) return value as unknown as readonly string[];
  if (!Array.isArray(value)) return undefined;
  const spelled = value.map((entry) => (typeof entry === "string" ? parsed(entry) : undefined));
  const known = [...new Set(spelled.filter((entry) => entry !== undefined))].sort();
  return [...known, ...value.filter((_, place) => spelled[place] === undefined)];
};

function parsed(text: string): string | undefined {
  const [address, bits, ...rest] = text.trim().split("/");
  if (address === undefined || rest.length > 0 || !isAddress(address)) return undefined;
  const { length } = ipaddr.parse(address).toByteArray();
  if (bits === undefined || bits === String(length * 8)) return ipaddr.process(address).toString();
  if (!/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > length * 8) return undefined;
  const block = `${address}/${bits}`;
  const network =
    length === 4 ? ipaddr.IPv4.networkAddressFromCIDR(block) : ipaddr.IPv6.networkAddressFromCIDR(block);
  return `${network.toString()}/${bits}`;
}

/** Strict: not the short, octal and hexadecimal forms that some parsers take, nor a zone. */
function isAddress(text: string): boolean {
  if (text.includes(":")) return !text.includes("%") && ipaddr.IPv6.isValid(text);
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

// ---- Properties ----------------------------------------------------------------------------------------------------

const wholeNumber = z.nullish(z.int());
const update = { onChange: "update" } as const;

export const shape = {
  inputs: {
    workspaceId: required(pathSegment, { onChange: "replace", canonical: string }),
    defaultKeyPrefix: optional(optionalString, { ...update, canonical: string }),
    defaultAllowedIPs: optional(addressesSchema, { ...update, canonical: canonicalAddresses }),
    defaultRateLimitPerSecond: optional(wholeNumber, { ...update, canonical: number }),
    defaultExpiration: optional(wholeNumber, { ...update, canonical: number }),
    onDestroy: defaulted(z.nullish(z.enum(["retain", "restore"])), {
      ...update,
      local: true,
      canonical: string,
      default: "retain",
    }),
  },
  outputs: { name: stable(aString), teamId: stable(aString) },
  hidden: {
    /** The managed settings before this stack managed them, without those that had no value. */
    __before: aMap,
    /** Values that were sent, but whose result was not seen: the service may have them. */
    __sent: aMap,
    /** The values after the last write, of settings that were changed since, or may have been. */
    __last: aMap,
  },
};

export type Shape = typeof shape;
export type SettingsInputs = InputsOf<Shape>;
export type SettingsDraft = DraftOf<Shape>;
export type SettingsState = StateOf<Shape>;

export function follows(path: SecretPath): readonly SecretPath[] {
  return [observedKey, "__before", "__sent", "__last"].map((hidden) => [hidden, ...path]);
}

/** What a PATCH can set. */
export type Setting = ManagedField & { readonly name: keyof Settings };
export type Settings = Pick<
  SettingsState,
  "defaultKeyPrefix" | "defaultAllowedIPs" | "defaultRateLimitPerSecond" | "defaultExpiration"
>;

export const settings: readonly Setting[] = (
  ["defaultKeyPrefix", "defaultAllowedIPs", "defaultRateLimitPerSecond", "defaultExpiration"] as const
).map((name) => ({ name, canonical: shape.inputs[name].canonical }));

export function declaredIn(properties: Properties): readonly Setting[] {
  return settings.filter(({ name }) => properties[name] !== undefined);
}

/** Those of the properties that are named. */
export function only(fields: readonly Setting[], properties: Properties): Settings {
  return pick(
    properties,
    fields.map(({ name }) => name),
  );
}

/** The settings as the service has them, in canonical form; an absent list is empty, an absent number 0 (R2). */
export function observe(record: WorkspaceRecord): Settings {
  return {
    defaultKeyPrefix: record.defaultKeyPrefix,
    defaultAllowedIPs: canonicalAddresses(record.defaultAllowedIPs ?? []),
    defaultRateLimitPerSecond: record.defaultRateLimitPerSecond ?? 0,
    defaultExpiration: record.defaultExpiration ?? 0,
  };
}

export function outputs({ name, teamId }: WorkspaceRecord) {
  return { name, teamId };
}

/**
 * The values that a request can carry, exactly as they were read: nothing can be unset, so absent ones are left out,
 * and one of the numbers must be above 0. Above 2^53, such as a service's greatest number for "never", it would be
 * another number.
 */
export function sendable(fields: readonly Setting[], record: WorkspaceRecord): Settings {
  return Object.fromEntries(
    fields
      .map(({ name }) => [name, record[name]] as const)
      .filter(
        ([, value]) =>
          value !== undefined &&
          (typeof value !== "number" || (value > 0 && value <= Number.MAX_SAFE_INTEGER)),
      ),
  );
}

/** Whether there is anything that a resource could declare. */
export function hasSettings(record: WorkspaceRecord): boolean {
  return Object.keys(sendable(settings, record)).length > 0;
}

// ---- State ---------------------------------------------------------------------------------------------------------

/** A write of settings. */
export interface Change {
  readonly declared: SettingsInputs;
  /** The former values, to restore on destroy. */
  readonly remembered: Settings;
  /** The state before; of a create, only the outputs, as they were read. */
  readonly before: SettingsState;
  /** Settings that don't change: they may stay as the service rewrote them. */
  readonly unchanged: readonly Setting[];
  /** Settings to restore, because they are no longer declared. */
  readonly toRestore: Settings;
}

/** State after a write (R1). `target`: the declared values, and the former ones to restore. */
export function written(
  { declared, remembered, before }: Change,
  target: Settings,
  settled: Settled<WorkspaceRecord>,
): SettingsState {
  const { record, unseen } = settled;
  // A setting that did not go back to what it was stays in state, so that the next update tries again.
  const notApplied = settled.notApplied.filter(({ field }) => field in target);
  const open = settings.filter(({ name }) => notApplied.some(({ field }) => field === name));
  const state = stateAfter(settings, declared, { ...settled, notApplied }, observe);
  const managed = declaredIn(state);
  const last = managedIn(before)
    .filter((field) => open.includes(field))
    .map(({ name }) => [name, lastWritten(before, name) ?? ""]);
  const observed = state[observedKey];
  return {
    ...outputs(record),
    // Previews show them as unchanged: only a refresh reads them again (R18).
    ...pick(before, ["name", "teamId"]),
    ...state,
    [observedKey]: observed && nonEmpty(only(managed, observed)),
    __before: nonEmpty(only(managed, remembered)),
    ...(unseen && { __sent: nonEmpty(only(open, target)), __last: nonEmpty(Object.fromEntries(last)) }),
  };
}

/** The settings that this stack manages, also one that the last read did not show, or whose write had an unknown result. */
export function managedIn(state: SettingsState): readonly Setting[] {
  const hidden = { ...state.__last, ...state.__sent };
  return settings.filter(({ name }) => state[name] !== undefined || name in hidden);
}

/** The value of a setting after the last write. */
export function lastWritten(state: SettingsState, name: Setting["name"]): unknown {
  const { __last: last = {} } = state;
  if (name in last) return last[name];
  const observed = hiddenIn(state as Properties, observedKey);
  return name in observed ? observed[name] : state[name];
}

/** The settings that this stack has changed, or may have: they had another value before. */
export function replaced(state: SettingsState): readonly Setting[] {
  const { __before: before = {}, __sent: sent = {} } = state;
  return managedIn(state).filter((field) => {
    const { name } = field;
    const ours = name in sent ? sent[name] : lastWritten(state, name);
    return name in before && !same(field, before[name], ours);
  });
}

/** The values to restore: of settings that had one before, and that were not changed since (W5). */
export function restorable(
  state: SettingsState,
  fields: readonly Setting[],
  record: WorkspaceRecord,
): Settings {
  const observed = observe(record);
  return only(
    fields.filter((field) => isOurs(state, field, observed[field.name])),
    state.__before ?? {},
  );
}

function isOurs(state: SettingsState, field: Setting, value: unknown): boolean {
  const { __sent: sent = {} } = state;
  if (field.name in sent && same(field, sent[field.name], value)) return true;
  return same(field, lastWritten(state, field.name), value);
}

/** The settings whose last write had another value, or an unknown result: a read that shows the target value may be older. */
export function doubtful(state: SettingsState, target: Settings): readonly Setting[] {
  const { __sent: sent = {} } = state;
  return managedIn(state).filter(
    (field) => field.name in sent || !same(field, lastWritten(state, field.name), target[field.name]),
  );
}
