import { isUnknown, string } from "../../core/fields";
import type { Checked } from "../../core/registry";
import { isRecord, type Properties } from "../../core/state";
import { spelled } from "../../core/text";
import type { KeyDraft } from "../apiKey/model";
import { contradictions, fixedByExisting, type Problem, twins } from "../apiKey/rules";
import { type Entries, entriesIn, formerAlias, type SetDraft, withDefaults } from "./entries";

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
  return [...new Set([...lines, ...uniqueRules(entries), ...sizeRules(keys)])];
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

/** One key can't have two entries (K5, K11). */
function uniqueRules(entries: Entries): readonly string[] {
  const aliases = new Set(entries.map(([alias]) => alias));
  const seen = new Set<string>();
  return entries.flatMap(([alias, entry]) =>
    (["renamedFrom", "existingKey", "existingId"] as const).flatMap((field) => {
      const value = isRecord(entry) ? string(entry[field]) : undefined;
      if (value === undefined || isUnknown(value)) return [];
      const at = `${spelled(["keys", alias])}.${field}`;
      const own = `${field} ${value}`;
      if (seen.has(own))
        return [
          `${at}: another entry has the same value, but one key can't have two entries; remove it from one of them.`,
        ];
      seen.add(own);
      return field === "renamedFrom" && aliases.has(value)
        ? [`${at}: must name an alias that is no longer declared; leave it out, or remove the other entry.`]
        : [];
    }),
  );
}

/** The alias of this entry's key in the last update, if it had the key. */
function earlierAlias(alias: string, entry: unknown, earlier: ReadonlyMap<string, unknown>): string {
  return earlier.has(alias) ? alias : (formerAlias(entry) ?? alias);
}
