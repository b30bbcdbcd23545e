import * as z from "zod";
import type { DraftOf, InputsOf, StateOf } from "../../core/definition";
import {
  aList,
  aMap,
  type Canonical,
  canonicalInputs,
  optional,
  required,
  secret,
  strings,
} from "../../core/fields";
import { type SecretPath, secretsOf, withSecrets } from "../../core/secrecy";
import { isRecord, type Properties } from "../../core/state";
import { isUnknown } from "../../core/unknown";
import {
  type KeyDraft,
  type KeyInputs,
  fields as keyFields,
  inputs as keyInputs,
} from "../apiKey/properties";
import { scopeNames } from "../apiKey/scopes";
import { requiredString } from "../fields/schemas";

/** The inputs and outputs of a set of keys: an ApiKey's inputs by alias, and their defaults. */

const { workspaceId, customerId, name, existingKey, existingId, ...rest } = keyInputs;
const schemasOf = <I extends Readonly<Record<string, { readonly schema: z.ZodType }>>>(inputs: I) =>
  Object.fromEntries(Object.entries(inputs).map(([key, { schema }]) => [key, schema])) as {
    readonly [Name in keyof I]: I[Name]["schema"];
  };
const shared = { customerId: customerId.schema.nullish(), name: name.schema.nullish(), ...schemasOf(rest) };
const ofEntry = {
  ...shared,
  existingKey: existingKey.schema,
  existingId: existingId.schema,
  renamedFrom: requiredString("the former alias of the key").nullish(),
};

const mapOf =
  (what: string) =>
  ({ code }: { readonly code: string }) =>
    code === "invalid_type" ? `must be ${what}` : undefined;

const canonicalOf = new Map(keyFields.map((field) => [field.name, field.canonical]));
/** What an ApiKey has no such input for stays as it is, for check to refuse. */
const canonicalIn = (field: string, value: unknown) => {
  const canonical = canonicalOf.get(field);
  return canonical === undefined ? value : canonical(value);
};

const namesIn =
  (own: object, depth: number) =>
  (path: readonly PropertyKey[]): readonly string[] => {
    if (path.length === depth) return Object.keys(own);
    return path.length === depth + 2 && path[depth] === "scopes" ? scopeNames : [];
  };

/** Entries by alias, each with its own spelling of an ApiKey's inputs. */
export type Keys = Readonly<Record<string, Properties>>;

export const shape = {
  inputs: {
    workspaceId,
    keys: required(
      z.record(
        z.string(),
        z.strictObject(ofEntry, { error: mapOf("the inputs of a key: {customerId, scopes, …}") }),
        {
          error: ({ input }) =>
            input === undefined
              ? "is missing: set it to a map of keys by alias, or {} for none"
              : "must be a map of keys by alias",
        },
      ),
      {
        onChange: "update",
        canonical: canonicalKeys as Canonical<Keys>,
        secret: ["*", "existingKey"],
        names: namesIn(ofEntry, 1),
      },
    ),
    defaults: optional(
      z.strictObject(shared, { error: mapOf("the defaults of all keys: {customerId, scopes, …}") }).nullish(),
      { onChange: "update", canonical: canonicalDefaults, names: namesIn(shared, 0) },
    ),
  },
  outputs: { ids: strings, maskedKeys: strings, secrets: secret(strings) },
  hidden: {
    /** What the service chose for a key, by alias. */
    __chosen: aMap,
    /** Aliases of keys whose secret is lost (K6). */
    __keyLost: aList,
    /** Aliases of keys whose secret was given as existingKey. */
    __migrated: aList,
    /** Keys that are still to be deleted. */
    __toDelete: aList,
  },
};

export type Shape = typeof shape;
export type SetInputs = InputsOf<Shape>;
export type SetDraft = DraftOf<Shape>;
export type SetState = StateOf<Shape>;

/** Field by field; what an entry leaves empty on purpose takes a default away, and stays. */
function canonicalKeys(value: unknown): Keys | undefined {
  if (!isRecord(value)) return isUnknown(value) ? (value as Keys) : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([alias, entry]) => [alias, isRecord(entry) ? canonicalEntry(entry) : entry]),
  ) as Keys;
}

function canonicalEntry(entry: Properties): Properties {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([field, value]) => {
      if (value === undefined) return [];
      if (field === "renamedFrom") return value === null || value === "" ? [] : [[field, value]];
      // No name at all is not the alias.
      if (field === "name" && value === "") return [[field, value]];
      return [[field, canonicalIn(field, value) ?? null]];
    }),
  );
}

function canonicalDefaults(value: unknown): Properties | undefined {
  if (!isRecord(value)) return isUnknown(value) ? (value as Properties) : undefined;
  const all = Object.entries(value).flatMap(([field, one]) => {
    if (one === null || one === undefined) return [];
    const given = canonicalIn(field, one);
    return given === undefined ? [] : [[field, given]];
  });
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

export type Entries = readonly (readonly [string, unknown])[];

/** Entries by alias; none where the map is not known yet, or is none. */
export function entriesIn({ keys }: SetDraft): Entries {
  return isRecord(keys) ? Object.entries(keys) : [];
}

/** The inputs of the ApiKey that an entry declares, in canonical form; all unknown if the entry is. */
export function merged(declared: SetDraft, alias: string, entry: unknown): KeyInputs {
  const key = canonicalInputs(keyFields, mergedAsWritten(declared, alias, entry));
  const secrets = keySecrets(declared);
  return (secrets.length === 0 ? key : withSecrets(key, secrets)) as KeyInputs;
}

/** The secret fields of each key: a field that is secret in one entry is secret in all. */
export function keySecrets(declared: Properties): readonly SecretPath[] {
  return secretsOf(declared).flatMap(ofKey);
}

function ofKey([name, ...rest]: SecretPath): readonly SecretPath[] {
  const [field, ...deeper] = name === "keys" ? rest.slice(1) : name === "defaults" ? rest : [name, ...rest];
  return field === undefined ? keyFields.map((one) => [one.name]) : [[field, ...deeper]];
}

/** The same as the program spells it. */
export function mergedAsWritten(declared: SetDraft, alias: string, entry: unknown): KeyDraft {
  const { workspaceId, defaults } = declared;
  const given = (field: string): unknown => {
    if (field === "workspaceId") return workspaceId;
    if (isUnknown(entry)) return entry;
    const own = isRecord(entry) ? entry[field] : undefined;
    if (own !== undefined || field === "existingKey") return own;
    return isRecord(defaults) ? defaults[field] : isUnknown(defaults) ? defaults : undefined;
  };
  const bag = Object.fromEntries(keyFields.map((field) => [field.name, given(field.name)]));
  return { ...bag, name: bag["name"] ?? alias };
}

/** What of each entry names a key that exists. */
export function existingIn(declared: SetDraft): readonly KeyDraft[] {
  const { workspaceId } = declared;
  return entriesIn(declared).map(([, entry]) => {
    if (!isRecord(entry)) return {};
    const { existingKey, existingId } = entry;
    return { workspaceId, existingKey, existingId };
  });
}

/** The alias that an entry had before. */
export function formerAlias(entry: unknown): string | undefined {
  const former = isRecord(entry) ? entry["renamedFrom"] : undefined;
  return typeof former === "string" && former !== "" && !isUnknown(former) ? former : undefined;
}
