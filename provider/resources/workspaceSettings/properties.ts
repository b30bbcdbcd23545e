import * as z from "zod/mini";
import type { WorkspaceRecord } from "../../client/service";
import type { DraftOf, InputsOf, StateOf } from "../../core/definition";
import { aMap, aString, defaulted, number, optional, required, stable, string } from "../../core/fields";
import type { SecretPath } from "../../core/secrecy";
import { type ManagedField, observedKey, type Properties, pick } from "../../core/state";
import { addressesSchema, canonicalAddresses } from "../fields/addresses";
import { optionalString, pathSegment } from "../fields/schemas";

/** The inputs and outputs of a workspace's settings. */

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
