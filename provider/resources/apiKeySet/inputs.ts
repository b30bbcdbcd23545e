import * as z from "zod";
import { canonicalInputs } from "../../core/check";
import { facts } from "../../core/definition";
import { type SecretPath, secretsOf, withSecrets } from "../../core/secrecy";
import { isRecord, type Properties } from "../../core/state";
import { isUnknown } from "../../core/unknown";
import { fields as keyFields, inputs as keyInputs } from "../apiKey/inputs";
import { scopeNames } from "../apiKey/scopes";
import { requiredText } from "../fields/schemas";

/** What a set of keys is declared with: an ApiKey's inputs by alias, and what stands under all of them. */

const { workspaceId, customerId, name, existingKey, ...rest } = keyInputs.shape;
const shared = { customerId: customerId.nullish(), name: name.nullish(), ...rest };
const ofEntry = {
  ...shared,
  existingKey,
  renamedFrom: requiredText("the alias that the key had before").nullish(),
};

const mapOf =
  (what: string) =>
  ({ code }: { readonly code: string }) =>
    code === "invalid_type" ? `must be ${what}` : undefined;

/** An ApiKey's fields, which each entry stands for. */
export { keyFields };

const fieldOf = new Map(keyFields.map((field) => [field.name, field]));

const namesIn =
  (own: object, depth: number) =>
  (path: readonly PropertyKey[]): readonly string[] => {
    if (path.length === depth) return Object.keys(own);
    return path.length === depth + 2 && path[depth] === "scopes" ? scopeNames : [];
  };

export const inputs = z.strictObject({
  workspaceId,
  keys: z
    .record(
      z.string(),
      z.strictObject(ofEntry, { error: mapOf("what a key is declared with: {customerId, scopes, …}") }),
      {
        error: ({ input }) =>
          input === undefined
            ? "is missing: write a map of keys by alias, {} for none"
            : "must be a map of keys by alias",
      },
    )
    .register(facts, {
      onChange: "update",
      canonical: canonicalKeys,
      secret: ["*", "existingKey"],
      names: namesIn(ofEntry, 1),
    }),
  defaults: z
    .strictObject(shared, { error: mapOf("what stands under every key: {customerId, scopes, …}") })
    .nullish()
    .register(facts, { onChange: "update", canonical: canonicalDefaults, names: namesIn(shared, 0) }),
});

export type ApiKeySetInputs = z.input<typeof inputs>;

/** Field by field; what an entry leaves empty on purpose takes a default away, and stays. */
function canonicalKeys(value: unknown): unknown {
  if (!isRecord(value)) return value ?? undefined;
  return Object.fromEntries(
    Object.entries(value).map(([alias, entry]) => [alias, isRecord(entry) ? canonicalEntry(entry) : entry]),
  );
}

function canonicalEntry(entry: Properties): Properties {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([field, value]) => {
      if (value === undefined) return [];
      if (field === "renamedFrom") return value === null || value === "" ? [] : [[field, value]];
      const known = fieldOf.get(field);
      return [[field, known === undefined ? value : (known.canonical(value) ?? null)]];
    }),
  );
}

function canonicalDefaults(value: unknown): unknown {
  if (!isRecord(value)) return value ?? undefined;
  const given = Object.entries(value).flatMap(([field, one]) => {
    if (one === null || one === undefined) return [];
    const known = fieldOf.get(field);
    const canonical = known === undefined ? one : known.canonical(one);
    return canonical === undefined ? [] : [[field, canonical]];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

export type Entries = readonly (readonly [string, unknown])[];

/** Entries by alias; none where the map is not known yet, or is none. */
export function entriesIn(declared: Properties): Entries {
  return isRecord(declared["keys"]) ? Object.entries(declared["keys"]) : [];
}

/** The inputs of the ApiKey that an entry stands for, in canonical form; where the entry is not known, none is. */
export function merged(declared: Properties, alias: string, entry: unknown): Properties {
  const key = canonicalInputs(keyFields, mergedAsWritten(declared, alias, entry));
  const secrets = keySecrets(declared);
  return secrets.length === 0 ? key : withSecrets(key, secrets);
}

/** What is secret of each key: of a field that is so in one entry it is in all. */
export function keySecrets(declared: Properties): readonly SecretPath[] {
  return secretsOf(declared).flatMap(ofKey);
}

function ofKey([name, ...rest]: SecretPath): readonly SecretPath[] {
  const [field, ...deeper] = name === "keys" ? rest.slice(1) : name === "defaults" ? rest : [name, ...rest];
  return field === undefined ? keyFields.map((one) => [one.name]) : [[field, ...deeper]];
}

/** The same as the program spells it. */
export function mergedAsWritten(declared: Properties, alias: string, entry: unknown): Properties {
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

/** The alias that an entry had before. */
export function formerAlias(entry: unknown): string | undefined {
  const former = isRecord(entry) ? entry["renamedFrom"] : undefined;
  return typeof former === "string" && former !== "" && !isUnknown(former) ? former : undefined;
}
