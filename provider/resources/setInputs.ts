import * as z from "zod";
import { canonicalInputs, spelled } from "../check";
import { facts, fieldsOf, text } from "../definition";
import { oneLine } from "../errors";
import { isRecord, type Properties } from "../state";
import { encodedBytes, mostKept } from "../stateSize";
import { isUnknown } from "../unknown";
import { requiredText } from "./fields";
import { inputs as keyInputs, rules as keyRules } from "./keyInputs";
import { scopeNames } from "./keyScopes";

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
export const keyFields = fieldsOf(keyInputs);
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

type Entries = readonly (readonly [string, unknown])[];

/** Entries by alias; none where the map is not known yet, or is none. */
export function entriesIn(declared: Properties): Entries {
  return isRecord(declared["keys"]) ? Object.entries(declared["keys"]) : [];
}

/** The inputs of the ApiKey that an entry stands for, in canonical form; where the entry is not known, none is. */
export function merged(declared: Properties, alias: string, entry: unknown): Properties {
  return canonicalInputs(keyFields, together(declared, alias, entry));
}

/** The same as the program spells it. */
function together(declared: Properties, alias: string, entry: unknown): Properties {
  const { workspaceId, defaults } = declared;
  const given = (field: string): unknown => {
    if (field === "workspaceId") return workspaceId;
    if (isUnknown(entry)) return entry;
    const own = isRecord(entry) ? entry[field] : undefined;
    if (own !== undefined || field === "existingKey") return own;
    return isRecord(defaults) ? defaults[field] : isUnknown(defaults) ? defaults : undefined;
  };
  const bag = Object.fromEntries(keyFields.map((field) => [field.name, given(field.name)]));
  return { ...bag, name: bag["name"] || alias };
}

/** The alias that an entry had before. */
export function formerAlias(entry: unknown): string | undefined {
  const former = isRecord(entry) ? entry["renamedFrom"] : undefined;
  return typeof former === "string" && former !== "" && !isUnknown(former) ? former : undefined;
}

/** What concerns more than one input: an ApiKey's rules for each entry, and those of aliases. */
export function rules(declared: Properties, before: Properties | undefined): readonly string[] {
  const entries = entriesIn(declared).filter(([, entry]) => isRecord(entry) || isUnknown(entry));
  const earlier = new Map(before === undefined ? [] : entriesIn(before));
  const lines = entries.flatMap(([alias, entry]) => {
    const at = spelled(["keys", alias]);
    const own = isRecord(entry) ? entry : {};
    const key = together(declared, alias, entry);
    const former = earlier.has(alias) ? alias : (formerAlias(entry) ?? alias);
    const held = earlier.has(former) ? together(before ?? {}, former, earlier.get(former)) : undefined;
    return [
      ...aliasRules(at, alias),
      ...(text(key["customerId"]) === undefined ? [`${at}.customerId: ${missing}`] : []),
      ...entryRules(key, held).map((line) => placed(line, at, own, declared)),
    ];
  });
  // What stands in defaults is wrong once, not for each entry.
  return [
    ...new Set([
      ...lines,
      ...renameRules(entries, earlier),
      ...valueRules(entries, earlier),
      ...sizeRules(declared, entries.length),
    ]),
  ];
}

/** An ApiKey's rules. `held` are inputs, which a set has also of a key that its create did not come to (K5). */
function entryRules(key: Properties, held: Properties | undefined): readonly string[] {
  const all = keyRules(key, held);
  if (all.length === 0 || held === undefined) return all;
  const standing = keyRules(key, undefined).length;
  return all.map((line, place) => (place < standing ? line : `${line} ${untaken}`));
}

const untaken = "If no up has taken it over yet, run `pulumi up --refresh`.";
const failedHalfway = "If an up failed halfway since then, run `pulumi up --refresh`.";
const missing = "is missing: write the id of a customer, here or in defaults.";

function aliasRules(at: string, alias: string): readonly string[] {
  if (alias === "") return [`${at}: an alias can't be empty: give the key a name of your own.`];
  if (!alias.startsWith("__")) return [];
  return [`${at}: an alias can't begin with "__", since the engine shows and compares no such names.`];
}

/** A rule's line with the path of the entry, or of defaults where the field stands there. */
function placed(line: string, at: string, own: Properties, { defaults }: Properties): string {
  const [field = ""] = /^[A-Za-z]+/.exec(line) ?? [];
  if (field === "workspaceId") return `${at}: ${line.replace(":", "")}`;
  if (own[field] !== undefined || !isRecord(defaults) || defaults[field] === undefined)
    return `${at}.${line}`;
  if (field === "scopes") return `defaults.${line}`;
  return `${at}.${line.replace(/\.$/, "")} (it stands in defaults; write here what this key is to have, null for nothing).`;
}

/** What state holds of a key besides its entry, with all that a service may answer. */
const bytesOfKey = 512;

/** An update that fails halfway must not lose what it has made. */
function sizeRules({ keys }: Properties, count: number): readonly string[] {
  if (encodedBytes(keys) + count * bytesOfKey <= mostKept) return [];
  return [
    `keys: these ${count.toLocaleString("en")} keys are more than the engine can keep of an update that fails halfway; split them into several sets.`,
  ];
}

function renameRules(entries: Entries, earlier: ReadonlyMap<string, unknown>): readonly string[] {
  const aliases = new Set(entries.map(([alias]) => alias));
  const seen = new Set<string>();
  return entries.flatMap(([alias, entry]) => {
    const former = formerAlias(entry);
    if (former === undefined) return [];
    const at = `${spelled(["keys", alias])}.renamedFrom`;
    const again = seen.has(former);
    seen.add(former);
    if (aliases.has(former)) {
      return [
        `${at}: must name an alias that is no longer declared; leave it out, or remove the other entry.`,
      ];
    }
    if (earlier.has(alias) && earlier.has(former)) {
      return [
        `${at}: this entry has a key of its own already, and the key of the alias named here would be deleted; leave it out, or give that key an alias that is new. ${failedHalfway}`,
      ];
    }
    return again
      ? [`${at}: another entry names the same alias, but one key can't become two; leave one out.`]
      : [];
  });
}

/** The service can't hold one value as two keys, and deleting one of them would end it (K5). */
function valueRules(entries: Entries, earlier: ReadonlyMap<string, unknown>): readonly string[] {
  const holders = new Map([...earlier].map(([alias, entry]) => [valueIn(entry), alias]));
  const seen = new Set<string>();
  return entries.flatMap(([alias, entry]) => {
    const value = valueIn(entry);
    if (value === undefined) return [];
    const at = `${spelled(["keys", alias])}.existingKey`;
    if (seen.has(value)) {
      return [`${at}: another entry has the same value, but one key can't become two; leave one out.`];
    }
    seen.add(value);
    const holder = holders.get(value);
    const former = earlier.has(alias) ? alias : (formerAlias(entry) ?? alias);
    if (holder === undefined || holder === former) return [];
    // An alias that an update which failed halfway may have made: the plan finds the key by its value.
    if (former !== alias && !earlier.has(former)) return [];
    const words = JSON.stringify(oneLine(holder));
    return [
      `${at}: the entry ${words} had this value until now, and its key's end would end it; keep that key with renamedFrom: ${words} under an alias that is new, or remove it in one up and declare its value in the next. ${failedHalfway}`,
    ];
  });
}

function valueIn(entry: unknown): string | undefined {
  const value = isRecord(entry) ? text(entry["existingKey"]) : undefined;
  return typeof value === "string" && !isUnknown(value) ? value : undefined;
}
