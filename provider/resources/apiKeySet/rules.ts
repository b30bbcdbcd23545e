import { spelled } from "../../core/check";
import { text } from "../../core/definition";
import { oneLine } from "../../core/errors";
import { isRecord, type Properties } from "../../core/state";
import { encodedBytes, mostKept } from "../../core/stateSize";
import { isUnknown } from "../../core/unknown";
import { contradictions, type Problem, takenOver } from "../apiKey/inputs";
import { type Entries, entriesIn, formerAlias, mergedAsWritten } from "./inputs";

/** What check refuses of a set as a whole. */

type Path = readonly string[];

/** What concerns more than one input: an ApiKey's rules for each entry, and those of aliases. */
export function rules(declared: Properties, before: Properties | undefined): readonly string[] {
  const entries = entriesIn(declared).filter(([, entry]) => isRecord(entry) || isUnknown(entry));
  const earlier = new Map(before === undefined ? [] : entriesIn(before));
  const lines = entries.flatMap(([alias, entry]) => {
    const path = ["keys", alias];
    const at = spelled(path);
    const own = isRecord(entry) ? entry : {};
    const key = mergedAsWritten(declared, alias, entry);
    const former = earlierAlias(alias, entry, earlier);
    const held = earlier.has(former) ? mergedAsWritten(before ?? {}, former, earlier.get(former)) : undefined;
    return [
      ...aliasRules(at, alias),
      // What is empty is told of as such.
      ...(text(key["customerId"]) === undefined && key["customerId"] !== ""
        ? [`${at}.customerId: ${missing}`]
        : []),
      ...problemsOf(key, held).map((one) => placed(one, path, own, declared)),
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

/** An ApiKey's. `held` are inputs, which a set has also of a key that its create did not come to (K5). */
function problemsOf(key: Properties, held: Properties | undefined): readonly Problem[] {
  const lasting = takenOver(key, held).map(({ path, message }) => ({
    path,
    message: `${message} ${untaken}`,
  }));
  return [...contradictions(key), ...lasting];
}

const untaken = "If no up has taken it over yet, run `pulumi up --refresh`.";
const failedHalfway = "If an up failed halfway since then, run `pulumi up --refresh`.";
const missing = "is missing: write the id of a customer, here or in defaults.";

function aliasRules(at: string, alias: string): readonly string[] {
  if (alias === "") return [`${at}: an alias can't be empty: give the key a name of your own.`];
  if (!alias.startsWith("__")) return [];
  return [`${at}: an alias can't begin with "__", since the engine shows and compares no such names.`];
}

/** As a line, with the path in the entry, or in defaults where the field stands there. */
function placed({ path, message }: Problem, entry: Path, own: Properties, { defaults }: Properties): string {
  const [field] = path;
  if (field === "workspaceId") return `${spelled(entry)}: ${field} ${message}`;
  const at = spelled([...entry, ...path]);
  if (own[field] !== undefined || !isRecord(defaults) || defaults[field] === undefined) {
    return `${at}: ${message}`;
  }
  if (field === "scopes") return `${spelled(["defaults", ...path])}: ${message}`;
  return `${at}: ${message.replace(/\.$/, "")} (it stands in defaults; write here what this key is to have, null for nothing).`;
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
    const former = earlierAlias(alias, entry, earlier);
    if (holder === undefined || holder === former) return [];
    // An alias that an update which failed halfway may have made: the plan finds the key by its value.
    if (former !== alias && !earlier.has(former)) return [];
    const words = JSON.stringify(oneLine(holder));
    return [
      `${at}: the entry ${words} had this value until now, and its key's end would end it; keep that key with renamedFrom: ${words} under an alias that is new, or remove it in one up and declare its value in the next. ${failedHalfway}`,
    ];
  });
}

/** The alias that the last up had this entry's key under, if it had it. */
function earlierAlias(alias: string, entry: unknown, earlier: ReadonlyMap<string, unknown>): string {
  return earlier.has(alias) ? alias : (formerAlias(entry) ?? alias);
}

function valueIn(entry: unknown): string | undefined {
  const value = isRecord(entry) ? text(entry["existingKey"]) : undefined;
  return typeof value === "string" && !isUnknown(value) ? value : undefined;
}
