import { isUnknown, string } from "../../core/fields";
import type { Checked } from "../../core/registry";
import { isRecord, type Properties } from "../../core/state";
import { oneLine, spelled } from "../../core/text";
import type { KeyDraft } from "../apiKey/properties";
import { contradictions, fixedByExisting, type Problem, twins } from "../apiKey/rules";
import { type Entries, entriesIn, formerAlias, type SetDraft, withDefaults } from "./properties";

/** The rules that check applies to a set: an ApiKey's for each entry, and those about aliases. */

type Path = readonly string[];

export function rules(
  declared: SetDraft,
  before: SetDraft | undefined,
  { twinOf }: Checked,
): readonly string[] {
  const entries = entriesIn(declared).filter(([, entry]) => isRecord(entry) || isUnknown(entry));
  const earlier = new Map(before === undefined ? [] : entriesIn(before));
  const keys = entries.map(([alias, entry]) => ({ alias, entry, key: withDefaults(declared, alias, entry) }));
  const lines = keys.flatMap(({ alias, entry, key }) => {
    const path = ["keys", alias];
    const at = spelled(path);
    const own = isRecord(entry) ? entry : {};
    const former = earlierAlias(alias, entry, earlier);
    const earlierKey = earlier.has(former)
      ? withDefaults(before ?? {}, former, earlier.get(former))
      : undefined;
    return [
      ...aliasRules(at, alias),
      // Empty strings are reported by the schema.
      ...(key.customerId === undefined || key.customerId === null ? [`${at}.customerId: ${missing}`] : []),
      ...problemsOf(key, earlierKey).map((one) => inPlace(one, path, own, declared)),
      ...twins(key, twinOf).map(({ path: [field], message }) => `${at}.${field}: ${message}`),
    ];
  });
  // An error in defaults is reported once, not for each entry.
  return [
    ...new Set([
      ...lines,
      ...renameRules(entries, earlier),
      ...valueRules(entries, earlier),
      ...idRules(entries, earlier),
      ...sizeRules(keys),
    ]),
  ];
}

/** An ApiKey's. The earlier inputs may be those of a key that an interrupted update has not created yet (K5, K11). */
function problemsOf(key: KeyDraft, earlier: KeyDraft | undefined): readonly Problem[] {
  const lasting = fixedByExisting(key, earlier).map(({ path, message }) => ({
    path,
    message: `${message} ${notYet}`,
  }));
  return [...contradictions(key), ...lasting];
}

const notYet = "If no update has migrated or adopted it yet, run `pulumi up --refresh`.";
const failedHalfway = "If an update failed halfway since then, run `pulumi up --refresh`.";
const missing = "is missing: set it to the id of a customer, here or in defaults.";

function aliasRules(at: string, alias: string): readonly string[] {
  if (alias === "") return [`${at}: an alias can't be empty: choose one.`];
  if (!alias.startsWith("__")) return [];
  return [
    `${at}: an alias can't begin with "__", because Pulumi hides such names and does not compare them.`,
  ];
}

/** A line with the path of the input: in the entry, or in defaults if it comes from there. */
function inPlace({ path, message }: Problem, entry: Path, own: Properties, { defaults }: SetDraft): string {
  const [field] = path;
  if (field === "workspaceId") return `${spelled(entry)}: ${field} ${message}`;
  const at = spelled([...entry, ...path]);
  if (own[field] !== undefined || !isRecord(defaults) || defaults[field] === undefined) {
    return `${at}: ${message}`;
  }
  if (field === "scopes") return `${spelled(["defaults", ...path])}: ${message}`;
  return `${at}: ${message.replace(/\.$/, "")} (this value comes from defaults; override it in the entry, or set null there for no value).`;
}

/**
 * The engine accepts the state of a failed update up to 16 MiB of base64, and ends the connection for more. That is the old
 * keys beside the new ones, each with some 600 bytes from the service.
 */
function sizeRules(keys: readonly { readonly key: KeyDraft }[]): readonly string[] {
  const bytes = keys.length * 600 + Buffer.byteLength(JSON.stringify(keys));
  if (bytes <= 5 * 1_024 * 1_024) return [];
  return [
    `keys: these ${keys.length.toLocaleString("en")} keys are too large: the engine could not save the state of an update that fails halfway; split them into several sets.`,
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
        `${at}: this entry already has a key, and the key of the alias named here would be deleted; leave it out, or give that key an unused alias. ${failedHalfway}`,
      ];
    }
    return again
      ? [
          `${at}: another entry names the same alias, but one key can't have two entries; remove it from one of them.`,
        ]
      : [];
  });
}

/** The service can't have one value as two keys, and deleting one of them would revoke it (K5). */
function valueRules(entries: Entries, earlier: ReadonlyMap<string, unknown>): readonly string[] {
  return existingRules(
    entries,
    earlier,
    ["existingKey", "another entry has the same value"],
    (holder, alias, entry) => {
      const former = earlierAlias(alias, entry, earlier);
      if (holder === former) return undefined;
      // An update that failed halfway may have created this alias: the plan finds the key by its value.
      if (former !== alias && !earlier.has(former)) return undefined;
      const words = JSON.stringify(oneLine(holder));
      return `the entry ${words} has had this value, and deleting its key would revoke it; keep that key under an unused alias with renamedFrom: ${words}, or remove it in one update and declare its value in the next.`;
    },
  );
}

/** An entry that has a key can't take that of another (K11). */
function idRules(entries: Entries, earlier: ReadonlyMap<string, unknown>): readonly string[] {
  return existingRules(entries, earlier, ["existingId", "another entry has the same id"], (holder, alias) => {
    // The key of an alias that is new is found by its id.
    if (holder === alias || !earlier.has(alias)) return undefined;
    return `the key with this id belongs to the entry ${JSON.stringify(oneLine(holder))}; keep it there, or move it to an unused alias.`;
  });
}

/** Two entries can't name one existing key. `clash` says what is wrong if it was the key of the entry `holder` before. */
function existingRules(
  entries: Entries,
  earlier: ReadonlyMap<string, unknown>,
  [field, again]: readonly [field: string, again: string],
  clash: (holder: string, alias: string, entry: unknown) => string | undefined,
): readonly string[] {
  const valueIn = (entry: unknown): string | undefined => {
    const value = isRecord(entry) ? string(entry[field]) : undefined;
    return isUnknown(value) ? undefined : value;
  };
  const holders = new Map([...earlier].map(([alias, entry]) => [valueIn(entry), alias]));
  const seen = new Set<string>();
  return entries.flatMap(([alias, entry]) => {
    const value = valueIn(entry);
    if (value === undefined) return [];
    const at = `${spelled(["keys", alias])}.${field}`;
    if (seen.has(value)) {
      return [`${at}: ${again}, but one key can't have two entries; remove it from one of them.`];
    }
    seen.add(value);
    const holder = holders.get(value);
    const problem = holder === undefined ? undefined : clash(holder, alias, entry);
    return problem === undefined ? [] : [`${at}: ${problem} ${failedHalfway}`];
  });
}

/** The alias of this entry's key in the last update, if it had the key. */
function earlierAlias(alias: string, entry: unknown, earlier: ReadonlyMap<string, unknown>): string {
  return earlier.has(alias) ? alias : (formerAlias(entry) ?? alias);
}
