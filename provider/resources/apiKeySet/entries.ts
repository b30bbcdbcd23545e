/** The inputs and outputs of a set of keys: an ApiKey's inputs by alias, and their defaults. */

import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { type DraftOf, type InputsOf, ofEachResource, type StateOf } from "../../core/definition";
import {
  announced,
  type Canonical,
  canonicalInputs,
  isUnknown,
  knownString,
  list,
  maps,
  optional,
  parsed,
  required,
  type StoredProperties,
  secret,
  strings,
} from "../../core/fields";
import { type SecretPath, secretsOf, withSecrets } from "../../core/secrecy";
import { defined, isRecord, nonEmpty, type Properties, pick, secretsKey } from "../../core/state";
import { numeral, spelled } from "../../core/text";
import type { KeyDraft, KeyInputs, KeyState, OwnedKey } from "../apiKey/model";
import * as keyModel from "../apiKey/model";
import { contradictions, fixedByExisting, type Problem } from "../apiKey/rules";
import { hasOutput, optionalFlag, requiredString } from "../fields/schemas";
import { type OwnedKeys, toDeleteIn, toDeleteOf } from "../keys/operations";

const { workspaceId, customerId, name, existingKey, existingId, ...rest } = keyModel.inputs;
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
  release: optionalFlag,
};

const canonicalOf = new Map(keyModel.fields.map((field) => [field.name, field.canonical]));

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
  announced: { toDelete: announced(list) },
  outputs: { ids: strings, maskedKeys: strings, secrets: secret(strings) },
  hidden: {
    /** By alias, what of an ApiKey's state is neither in `keys` nor in the outputs (`hiddenOfKey`). */
    __keys: maps,
  },
};

export type Shape = typeof shape;
export type SetInputs = InputsOf<Shape>;
export type SetDraft = DraftOf<Shape>;
export type SetState = StateOf<Shape>;
type Declared = SetInputs | SetState;

/** An empty value in an entry stays, as null, because it overrides a default. */
function canonicalKeys(value: unknown): Keys | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).map(([alias, entry]) => [
    alias,
    isRecord(entry) ? canonicalFields(entry, defaultsSchemas) : entry,
  ]);
  return Object.fromEntries(entries);
}

function canonicalDefaults(value: unknown): Properties | undefined {
  return isRecord(value) ? nonEmpty(canonicalFields(value, {})) : undefined;
}

/** `overriding`: the fields that keep an empty value. */
function canonicalFields(given: Properties, overriding: object): Properties {
  const all = Object.entries(defined(given)).map(([field, value]) => {
    // Properties that an ApiKey doesn't have stay as they are, for check to refuse.
    const canonical = canonicalOf.get(field) ?? ((other: unknown) => other || undefined);
    return [field, canonical(value) ?? (field in overriding ? null : undefined)];
  });
  return defined(Object.fromEntries(all));
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
  const key = canonicalInputs(keyModel.allFields, withDefaults(declared, alias, entry));
  const secrets = secretsOf(declared).flatMap(ofKey);
  return (secrets.length === 0 ? key : withSecrets(key, secrets)) as KeyInputs;
}

/** The secret fields of each key: a field that is secret in one entry is secret in all. */
function ofKey([name, ...rest]: SecretPath): readonly SecretPath[] {
  const [field, ...deeper] = name === "keys" ? rest.slice(1) : [name, ...rest];
  return field === undefined ? keyModel.fields.map((one) => [one.name]) : [[field, ...deeper]];
}

/** Whether the program gives up the entry's key, which stays in the service (E2). */
export function isReleased(entry: unknown): boolean {
  return isRecord(entry) && entry["release"] === true;
}

export function formerAlias(entry: unknown): string | undefined {
  return isRecord(entry) ? knownString(entry["renamedFrom"]) : undefined;
}

// ---- State ----------------------------------------------------------------------------------------------------------

const hiddenOfKey = {
  ...pick(keyModel.shape.outputs, ["effectivePrefix", "effectiveExpiresAt"]),
  ...keyModel.shape.hidden,
  ...ofEachResource,
} as StoredProperties;

export function label(properties: SetDraft): string {
  return `keys of ${keyModel.workspaceIn(properties)}`;
}

export function ownedKeys(state: SetState): OwnedKeys {
  const entries = new Map(entriesIn(state));
  const [keys, masked] = [own(state.secrets), own(state.maskedKeys)];
  const hidden = own(state.__keys);
  const all = Object.entries(state.ids ?? {}).map(([alias, id]): [string, OwnedKey] => {
    const properties = {
      ...inputsOfEntry(state, alias, entries.get(alias)),
      ...parsed(hiddenOfKey, hidden.get(alias) ?? {}),
      key: keys.get(alias),
      maskedKey: masked.get(alias),
    };
    return [alias, { id, state: defined(properties) as KeyState }];
  });
  return { byAlias: new Map(all), toDelete: toDeleteIn(state) };
}

function own<T>(all: Readonly<Record<string, T>> = {}): ReadonlyMap<string, T> {
  return new Map(Object.entries(all));
}

export function stateOf(declared: Declared, owned: OwnedKeys): SetState {
  const { workspaceId, defaults } = declared;
  const entries = new Map(entriesIn(declared));
  const by = <T>(ofKey: (key: OwnedKey, alias: string) => T | undefined) =>
    defined(
      Object.fromEntries(Array.from(owned.byAlias, ([alias, key]) => [alias, ofKey(key, alias)])),
    ) as Readonly<Record<string, T>>;
  const released = [...entries].filter(([, entry]) => isReleased(entry));
  return {
    ...defined({ workspaceId, defaults, [secretsKey]: declared[secretsKey] }),
    keys: {
      ...(Object.fromEntries(released) as Keys),
      ...by(({ state }, alias) => entryOf(declared, alias, entries.get(alias), state)),
    },
    ids: by(({ id }) => id),
    maskedKeys: by(({ state }) => state.maskedKey),
    secrets: by(({ state }) => state.key),
    ...defined({
      __keys: nonEmpty(by(({ state }) => nonEmpty(pick(state, Object.keys(hiddenOfKey))))),
      toDelete: toDeleteOf(owned),
    }),
  };
}

/**
 * The entry as the program has it, if the key matches it. Otherwise, each field that differs has the key's value or, if
 * a default would apply instead, null.
 */
function entryOf(declared: Declared, alias: string, entry: unknown, state: Properties): Properties {
  const own = isRecord(entry) ? entry : {};
  const wanted: Properties = inputsOfEntry(declared, alias, own);
  const different = keyModel.allFields.flatMap(({ name, canonical }) => {
    const value = canonical(state[name]);
    if (isDeepStrictEqual(value, wanted[name])) return [];
    return [[name, value ?? (declared.defaults?.[name] === undefined ? undefined : null)]];
  });
  return defined({ ...own, ...Object.fromEntries(different), isLost: keyModel.isLost(state) || undefined });
}

// ---- Rules: an ApiKey's for each entry, and those about aliases -----------------------------------------------------

export function rules(declared: SetDraft, before: SetDraft | undefined): readonly string[] {
  const entries = entriesIn(declared).filter(([, entry]) => isRecord(entry) || isUnknown(entry));
  const earlier = new Map(entriesIn(before ?? {}));
  const keys = entries.map(([alias, entry]) => ({ alias, entry, key: withDefaults(declared, alias, entry) }));
  const lines = keys.flatMap(({ alias, entry, key }) => {
    const former = earlier.has(alias) ? alias : (formerAlias(entry) ?? alias);
    const earlierKey = earlier.has(former)
      ? withDefaults(before ?? {}, former, earlier.get(former))
      : undefined;
    const at = (...path: readonly PropertyKey[]) => spelled(["keys", alias, ...path]);
    const inWords = (problems: readonly Problem[], advice: string) =>
      problems.map(({ path, message }) => `${at(...path)}: ${message} ${advice}`);
    return [
      ...(isAlias(alias) ? [] : [`${at()}: ${wrongAlias}`]),
      // Empty strings are reported by the schema.
      ...(key.customerId === undefined || key.customerId === null ? [`${at("customerId")}: ${missing}`] : []),
      ...inWords(contradictions(key), ifDefault),
      ...inWords(fixedByExisting(key, earlierKey), notYet),
    ];
  });
  return [...lines, ...uniqueRules(entries), ...sizeRules(keys)];
}

const missing = "is missing: set it to the id of a customer, here or in defaults.";
const ifDefault = "A value in defaults counts too, unless the entry has its own, or null.";
/** The earlier inputs may be those of a key that an interrupted update has not created yet (K5, K11). */
const notYet = "If no update has migrated or adopted it yet, run `pulumi up --refresh`.";
const wrongAlias =
  'can\'t be an alias: an alias is not empty, has no Output in it, and does not begin with "__".';

function isAlias(name: string): boolean {
  return name !== "" && !name.startsWith("__") && !hasOutput(name);
}

/**
 * The engine accepts the state of a failed update up to 16 MiB of base64, and ends the connection for more. That is the old
 * keys beside the new ones, each with some 600 bytes from the service.
 */
function sizeRules(keys: readonly { readonly key: KeyDraft }[]): readonly string[] {
  const bytes = keys.length * 600 + Buffer.byteLength(JSON.stringify(keys));
  if (bytes <= 5 * 1_024 * 1_024) return [];
  return [
    `keys: these ${numeral(keys.length)} keys are too large. The engine could not save the state of an update that fails halfway: split them into several sets.`,
  ];
}

/** One key can't have two entries (K5, K11). */
function uniqueRules(entries: Entries): readonly string[] {
  const taken = new Set(entries.map(([alias]) => `renamedFrom ${alias}`));
  return entries.flatMap(([alias, entry]) =>
    ["renamedFrom", "existingKey", "existingId"].flatMap((field) => {
      const value = isRecord(entry) ? knownString(entry[field]) : undefined;
      if (value === undefined) return [];
      const key = `${field} ${value}`;
      if (taken.has(key)) return [`${spelled(["keys", alias, field])}: ${twice}`];
      taken.add(key);
      return [];
    }),
  );
}

export const twice =
  "an entry has or names this key already, and one key can't have two entries; leave it out here, or remove the other entry.";
