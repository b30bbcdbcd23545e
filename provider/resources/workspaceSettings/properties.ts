/** The inputs and outputs of a workspace's settings. */
import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import type { WorkspaceRecord } from "../../client/service";
import type { DraftOf, InputsOf, StateOf } from "../../core/definition";
import {
  aList,
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
  updatableFields,
} from "../../core/fields";
import type { SecretPath } from "../../core/secrecy";
import { observedKey, type Properties } from "../../core/state";
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
    defaultAllowedIPs: optional(addressesSchema, { ...update, canonical: canonicalAddresses, ifAbsent: [] }),
    defaultRateLimitPerSecond: optional(wholeNumber, { ...update, canonical: number, ifAbsent: 0 }),
    defaultExpiration: optional(wholeNumber, { ...update, canonical: number, ifAbsent: 0 }),
    onDestroy: defaulted(z.nullish(z.enum(["retain", "restore"])), {
      ...update,
      local: true,
      canonical: string,
      default: "retain",
    }),
  },
  outputs: { name: stable(aString), teamId: stable(aString) },
  hidden: {
    /** The declared settings before this stack managed them, without those that had no value. */
    __before: aMap,
    /** The settings that a refresh found changed since our last write: they are not restored. */
    __changed: aList,
  },
};

export type Shape = typeof shape;
export type SettingsInputs = InputsOf<Shape>;
export type SettingsDraft = DraftOf<Shape>;
export type SettingsState = StateOf<Shape>;

export function follows(path: SecretPath): readonly SecretPath[] {
  return [observedKey, "__before"].map((hidden) => [hidden, ...path]);
}

/** What a PATCH can set. */
export const settings = updatableFields(shape.inputs);
export type Setting = (typeof settings)[number];

/** The settings as the service has them, in canonical form; an absent list is empty, an absent number 0 (R2). */
export function observe(record: WorkspaceRecord): Properties {
  const shown: Properties = record;
  return Object.fromEntries(
    settings.map(({ name, canonical, ifAbsent }) => [name, canonical(shown[name] ?? ifAbsent)]),
  );
}

export function outputs({ name, teamId }: WorkspaceRecord) {
  return { name, teamId };
}

/**
 * The values that a request can carry, exactly as they were read: nothing can be unset, so absent ones are left out,
 * and one of the numbers must be above 0. Above 2^53, such as a service's greatest number for "never", it would be
 * another number.
 */
export function sendable(fields: readonly Setting[], record: WorkspaceRecord): Properties {
  const shown: Properties = record;
  return Object.fromEntries(
    fields
      .map(({ name }) => [name, shown[name]] as const)
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
