import * as z from "zod/mini";
import type { DraftOf, InputsOf, StateOf } from "../../core/definition";
import {
  aList,
  aMap,
  type Canonical,
  canonicalInputs,
  isUnknown,
  optional,
  required,
  secret,
  strings,
} from "../../core/fields";
import { type SecretPath, secretsOf, withSecrets } from "../../core/secrecy";
import { isRecord, type Properties } from "../../core/state";
import {
  type KeyDraft,
  type KeyInputs,
  fields as keyFields,
  inputs as keyInputs,
} from "../apiKey/properties";
import { requiredString } from "../fields/schemas";

/** The inputs and outputs of a set of keys: an ApiKey's inputs by alias, and their defaults. */

const { workspaceId, customerId, name, existingKey, existingId, ...rest } = keyInputs;
const schemasOf = <I extends Readonly<Record<string, { readonly schema: z.ZodMiniType }>>>(inputs: I) =>
  Object.fromEntries(Object.entries(inputs).map(([key, { schema }]) => [key, schema])) as {
    readonly [Name in keyof I]: I[Name]["schema"];
  };
const defaultsSchemas = {
  customerId: z.nullish(customerId.schema),
  name: z.nullish(name.schema),
  ...schemasOf(rest),
};
const entrySchemas = {
  ...defaultsSchemas,
  existingKey: existingKey.schema,
  existingId: existingId.schema,
  renamedFrom: z.nullish(requiredString),
};

const canonicalOf = new Map(keyFields.map((field) => [field.name, field.canonical]));
/** What is no input of an ApiKey stays as it is, for check to refuse. */
const canonicalIn = (field: string, value: unknown) => {
  const canonical = canonicalOf.get(field);
  return canonical === undefined ? value : canonical(value);
};

type Keys = Readonly<Record<string, Properties>>;

export const shape = {
  inputs: {
    workspaceId,
    keys: required(z.record(z.string(), z.strictObject(entrySchemas)), {
      onChange: "update",
      canonical: canonicalKeys as Canonical<Keys>,
      secret: ["*", "existingKey"],
    }),
    defaults: optional(z.nullish(z.strictObject(defaultsSchemas)), {
      onChange: "update",
      canonical: canonicalDefaults,
    }),
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
    /** Aliases of keys that were written, but not seen to match the program. */
    __unconfirmed: aList,
  },
};

export type Shape = typeof shape;
export type SetInputs = InputsOf<Shape>;
export type SetDraft = DraftOf<Shape>;
export type SetState = StateOf<Shape>;

/** An empty value in an entry stays, as null, because it overrides a default. */
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
      // Null would mean the alias.
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

/** None while `keys` is unknown or wrong. */
export function entriesIn({ keys }: SetDraft): Entries {
  return isRecord(keys) ? Object.entries(keys) : [];
}

/** The inputs of the ApiKey that an entry declares, as the program spells them; all unknown if the entry is. */
export function withDefaults({ workspaceId, defaults }: SetDraft, alias: string, entry: unknown): KeyDraft {
  const key: KeyDraft = { ...propertiesIn(defaults, defaultsSchemas), ...propertiesIn(entry, entrySchemas) };
  return { ...key, workspaceId, name: key.name ?? alias };
}

function propertiesIn(value: unknown, schemas: object): Properties {
  if (isUnknown(value)) return Object.fromEntries(Object.keys(schemas).map((name) => [name, value]));
  return isRecord(value) ? value : {};
}

/** The same in canonical form. */
export function inputsOfEntry(declared: SetDraft, alias: string, entry: unknown): KeyInputs {
  const key = canonicalInputs(keyFields, withDefaults(declared, alias, entry));
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

/** The inputs of each entry that name an existing key. */
export function existingIn(declared: SetDraft): readonly KeyDraft[] {
  const { workspaceId } = declared;
  return entriesIn(declared).map(([, entry]) => {
    if (!isRecord(entry)) return {};
    const { existingKey, existingId } = entry;
    return { workspaceId, existingKey, existingId };
  });
}

export function formerAlias(entry: unknown): string | undefined {
  const former = isRecord(entry) ? entry["renamedFrom"] : undefined;
  return typeof former === "string" && former !== "" && !isUnknown(former) ? former : undefined;
}
