import type { Field } from "../../core/definition";
import type { SecretPath } from "../../core/secrecy";
import {
  defined,
  hiddenIn,
  isRecord,
  nonEmpty,
  observedKey,
  type Properties,
  pick,
  secretsKey,
} from "../../core/state";
import { follows as followsOfKey, holderKey, holderOf, keyLost, lost } from "../apiKey/state";
import { equal } from "../fields/schemas";
import { entriesIn, keyFields, keySecrets, merged } from "./inputs";

/** Projections between a set's state and the ApiKeys that its entries stand for. */

/** One key: its id, and what the state of an ApiKey holds of it. */
export interface Entry {
  readonly id: string;
  readonly state: Properties;
  /**
   * The alias that the engine's inputs have it under, where an update that failed halfway gave it another one; "" where
   * they have none, since that update made it.
   */
  readonly was?: string;
}

/** A key that is to be deleted still. */
export interface LeftKey {
  readonly id: string;
  /** What messages call it: its name or, where that is secret, its id. */
  readonly name: string;
  /** The alias whose new key is to be as declared before it goes: until then it may be the one that serves. */
  readonly alias?: string;
}

/** What a set's state says: the entries by alias, and what it no longer has but the service does. */
export interface Holding {
  /** Holds those keys of the set that have no holder of their own: the set's id. */
  readonly holder: string;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly left: readonly LeftKey[];
}

/** What the service chose for a key, by alias; aliases whose secret is lost, or was given; and what is left to delete. */
const chosenKey = "__chosen";
const takenKey = "__taken";
const leftKey = "__left";
/** By alias, `Entry.was`. */
const wasKey = "__was";
const effective = ["effectivePrefix", "effectiveExpiresAt"] as const;
const chosen = [...effective, holderKey] as const;

/** The set's own id goes without saying. */
function chosenIn(state: Properties, holder: string): Properties {
  return pick(state, state[holderKey] === holder ? effective : chosen);
}

/**
 * A default stands in the entries too, once a key differs from it; the values of a key are parted among the set's outputs
 * and hidden properties by what they are.
 */
export function follows([name, ...rest]: SecretPath): readonly SecretPath[] {
  if (name !== "keys" && name !== "defaults") return [];
  const [field, ...deeper] = name === "keys" ? rest.slice(1) : rest;
  if (field === undefined) return [["keys"], ["maskedKeys"], [observedKey], [chosenKey]];
  const ofKeys = followsOfKey([field, ...deeper]).map(([at, ...below]): SecretPath => {
    if (at === "maskedKey") return ["maskedKeys"];
    return at === observedKey ? [observedKey, "*", ...below] : [chosenKey, "*", at, ...below];
  });
  return [["keys", "*", field, ...deeper], ...ofKeys];
}

/** What a message calls the keys of a set. */
export function label({ workspaceId }: Properties): string {
  return `keys of workspace ${workspaceId}`;
}

const mostNamed = 20;

/** Names of keys as a message has them: the first ones, and how many more. */
export function listed(names: readonly string[]): string {
  const few = names.slice(0, mostNamed).map((name) => JSON.stringify(name));
  const more = names.length - few.length;
  return (more > 0 ? [...few, `and ${more.toLocaleString("en")} more`] : few).join(", ");
}

export function holdingOf(state: Properties, holder = ""): Holding {
  const of = (name: string) => {
    const all = hiddenIn(state, name);
    return (alias: string) => (Object.hasOwn(all, alias) ? all[alias] : undefined);
  };
  const [maskedKey, secret, observed, extras, was] = [
    of("maskedKeys"),
    of("secrets"),
    of(observedKey),
    of(chosenKey),
    of(wasKey),
  ];
  const [without, taken] = [aliasesIn(state, keyLost), aliasesIn(state, takenKey)];
  const spellings = new Map(entriesIn(state));
  const ids = Object.entries(hiddenIn(state, "ids")).filter(([alias]) => spellings.has(alias));
  const entries = ids.map(([alias, id]): [string, Entry] => {
    const key = secret(alias);
    const [seen, picked, former] = [observed(alias), extras(alias), was(alias)];
    return [
      alias,
      {
        id: String(id),
        state: defined({
          ...merged(state, alias, spellings.get(alias)),
          existingKey: taken.has(alias) ? key : undefined,
          key,
          maskedKey: maskedKey(alias),
          ...(isRecord(picked) ? pick(picked, chosen) : {}),
          [holderKey]: (isRecord(picked) && holderOf(picked)) || holder || undefined,
          [observedKey]: isRecord(seen) ? seen : undefined,
          [keyLost]: without.has(alias) ? true : undefined,
        }),
        ...(typeof former === "string" ? { was: former } : {}),
      },
    ];
  });
  return { holder, entries: new Map(entries), left: leftIn(state) };
}

/** State that says this of the keys, each spelled as declared as far as that is true of it. */
export function stateOf(declared: Properties, { holder, entries, left }: Holding): Properties {
  const { workspaceId, defaults } = declared;
  const spellings = new Map(entriesIn(declared));
  const all = [...entries];
  const by = (pick: (entry: Entry) => unknown) =>
    Object.fromEntries(
      all.flatMap(([alias, entry]) => {
        const value = pick(entry);
        return value === undefined ? [] : [[alias, value]];
      }),
    );
  const those = (has: (state: Properties) => boolean) =>
    all.flatMap(([alias, { state }]) => (has(state) ? [alias] : []));
  return {
    ...defined({ workspaceId, defaults, [secretsKey]: declared[secretsKey] }),
    keys: Object.fromEntries(
      all.map(([alias, { state }]) => [alias, spelledAs(declared, alias, spellings.get(alias), state)]),
    ),
    ids: by(({ id }) => id),
    maskedKeys: by(({ state }) => state["maskedKey"]),
    secrets: by(({ state }) => state["key"]),
    ...defined({
      [observedKey]: nonEmpty(by(({ state }) => state[observedKey])),
      [chosenKey]: nonEmpty(by(({ state }) => nonEmpty(chosenIn(state, holder)))),
      [keyLost]: nonEmpty(those(lost)),
      [takenKey]: nonEmpty(those((state) => state["existingKey"] !== undefined)),
      [leftKey]: nonEmpty(left),
      [wasKey]: nonEmpty(by(({ was }) => was)),
    }),
  };
}

/**
 * The entry as declared, with what is not so of the key written out; what it has not is left out, or taken away. Its
 * secret stands among the secrets alone.
 */
function spelledAs(declared: Properties, alias: string, entry: unknown, state: Properties): Properties {
  const { existingKey: _, ...own } = isRecord(entry) ? entry : ({} as Properties);
  const meant = merged(declared, alias, own);
  const differs = (field: Field, of: Properties) =>
    !equal(field.canonical(state[field.name]), of[field.name]);
  const different = spelledFields.filter((field) => differs(field, meant));
  if (different.length === 0) return own;
  const usual = merged(declared, alias, {});
  const written = Object.entries(own).filter(([name]) => !different.some((field) => field.name === name));
  const others = different.filter(
    (field) => field.canonical(state[field.name]) !== undefined || differs(field, usual),
  );
  // No name at all is not the alias.
  const nothing = (name: string) => (name === "name" ? "" : null);
  const explicit = others.map(({ name, canonical }) => [name, canonical(state[name]) ?? nothing(name)]);
  return { ...Object.fromEntries(written), ...Object.fromEntries(explicit) };
}

const spelledFields = keyFields.filter(({ name }) => name !== "workspaceId" && name !== "existingKey");

/** The inputs that a set's state stands for. */
export function inputsOf(state: Properties): Properties {
  const secrets = hiddenIn(state, "secrets");
  const taken = aliasesIn(state, takenKey);
  const keys = entriesIn(state).map(([alias, entry]) => [
    alias,
    taken.has(alias) && isRecord(entry) ? { ...entry, existingKey: secrets[alias] } : entry,
  ]);
  const { workspaceId, defaults } = state;
  return defined({ workspaceId, keys: Object.fromEntries(keys), defaults });
}

/** Whether the state alone asks for an update: a secret is lost, a key is still to be deleted, or an entry has none. */
export function isPending(state: Properties): boolean {
  return aliasesIn(state, keyLost).size > 0 || leftIn(state).length > 0 || strays(state).keys.length > 0;
}

/** Aliases of which only `ids` or only `keys` knows, as somebody wrote them who imported the set. */
export function strays(state: Properties): Readonly<Record<"ids" | "keys", readonly string[]>> {
  const [ids, keys] = [hiddenIn(state, "ids"), hiddenIn(state, "keys")];
  const beyond = (all: Properties, others: Properties) =>
    Object.keys(all).filter((alias) => !Object.hasOwn(others, alias));
  return { ids: beyond(ids, keys), keys: beyond(keys, ids) };
}

function aliasesIn(state: Properties, name: string): ReadonlySet<string> {
  const value = state[name];
  return new Set(Array.isArray(value) ? value.filter((alias) => typeof alias === "string") : []);
}

function leftIn(state: Properties): readonly LeftKey[] {
  const value = state[leftKey];
  if (!Array.isArray(value)) return [];
  const isUnnamed = keySecrets(state).some(([field]) => field === "name");
  return value.filter(isRecord).map(({ id, name, alias }) => ({
    id: String(id),
    name: String(isUnnamed ? id : name),
    ...(typeof alias === "string" ? { alias } : {}),
  }));
}

/** In the order of the aliases, whichever was done first; each with the alias that it was, where that is told. */
export function inOrder(
  entries: ReadonlyMap<string, Entry>,
  aliases: Iterable<string>,
  origins: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, Entry> {
  return new Map(
    [...aliases].flatMap((alias) => {
      const entry = entries.get(alias);
      if (entry === undefined) return [];
      const { id, state } = entry;
      const was = origins.get(alias);
      return [[alias, was === undefined ? { id, state } : { id, state, was }] as const];
    }),
  );
}
