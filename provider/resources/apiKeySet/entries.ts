import { isDeepStrictEqual } from "node:util";
import type { Field } from "../../core/fields";
import type { SecretPath } from "../../core/secrecy";
import {
  defined,
  failedKey,
  hiddenIn,
  isRecord,
  nonEmpty,
  observedKey,
  type Properties,
  pick,
  secretsKey,
} from "../../core/state";
import { type KeyState, fields as keyFields } from "../apiKey/properties";
import { follows as followsOfKey, isLost, workspaceIn } from "../apiKey/state";
import { entriesIn, keySecrets, merged, type SetDraft, type SetInputs, type SetState } from "./properties";

/** Projections between a set's state and the ApiKeys that its entries are. */

/** One key: its id, and what the state of an ApiKey holds of it. */
export interface Entry {
  readonly id: string;
  readonly state: KeyState;
}

/** A key that is still to be deleted. */
export interface KeyToDelete {
  readonly id: string;
  /** What messages call it: its name or, where that is secret, its id. */
  readonly name: string;
  /** What the line of a failed deletion begins with. Default: `name`. */
  readonly calledAs?: string;
  /** The alias whose new key is to be as declared before it goes: until then it may be the one in use. */
  readonly alias?: string;
}

/** What a set's state says: the keys by alias, and those that no entry has any more but the service does. */
export interface Holding {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly toDelete: readonly KeyToDelete[];
  /** Whether an update failed halfway since the engine's inputs were written. */
  readonly isHalfDone?: boolean;
}

const chosen = ["effectivePrefix", "effectiveExpiresAt"] as const;

/**
 * A default is in the entries too, once a key differs from it; the values of a key are parted among the set's outputs and
 * hidden properties by what they are.
 */
export function follows([name, ...rest]: SecretPath): readonly SecretPath[] {
  if (name !== "keys" && name !== "defaults") return [];
  const [field, ...deeper] = name === "keys" ? rest.slice(1) : rest;
  if (field === undefined) return [["keys"], ["maskedKeys"], [observedKey], ["__chosen"]];
  const ofKeys = followsOfKey([field, ...deeper]).map(([at, ...below]): SecretPath => {
    if (at === "maskedKey") return ["maskedKeys"];
    return at === observedKey ? [observedKey, "*", ...below] : ["__chosen", "*", at, ...below];
  });
  return [["keys", "*", field, ...deeper], ...ofKeys];
}

/** What a message calls the keys of a set. */
export function label(properties: SetDraft): string {
  return `keys of ${workspaceIn(properties)}`;
}

export function quoted(names: readonly string[]): readonly string[] {
  return names.map((name) => JSON.stringify(name));
}

/** A key that is still to be deleted, as an entry. */
export function entryOf(
  { workspaceId }: { readonly workspaceId?: unknown },
  { id, name }: KeyToDelete,
): Entry {
  return { id, state: { workspaceId, name } as KeyState };
}

/** The ids of the keys that entries have. */
export function idsIn({ ids = {}, keys = {} }: SetState): readonly (readonly [alias: string, id: string])[] {
  return Object.entries(ids).filter(([alias]) => Object.hasOwn(keys, alias));
}

export const nothing: Holding = { entries: new Map(), toDelete: [] };

export function holdingOf(state: SetState): Holding {
  const at = (all: Properties | undefined, alias: string) =>
    all !== undefined && Object.hasOwn(all, alias) ? all[alias] : undefined;
  const [lost, migrated] = [aliasesIn(state.__keyLost), aliasesIn(state.__migrated)];
  const spellings = new Map(entriesIn(state));
  const entries = idsIn(state).map(([alias, id]): [string, Entry] => {
    const key = at(state.secrets, alias);
    const [observed, picked] = [at(hiddenIn(state, observedKey), alias), at(state.__chosen, alias)];
    const ofKey = {
      ...merged(state, alias, spellings.get(alias)),
      existingKey: migrated.has(alias) ? key : undefined,
      key,
      maskedKey: at(state.maskedKeys, alias),
      ...(isRecord(picked) ? pick(picked, chosen) : {}),
      [observedKey]: isRecord(observed) ? observed : undefined,
      [failedKey]: state[failedKey],
      __keyLost: lost.has(alias) ? true : undefined,
    };
    return [alias, { id, state: defined(ofKey) as KeyState }];
  });
  return { entries: new Map(entries), toDelete: toDeleteIn(state), isHalfDone: state[failedKey] === true };
}

/** State that says this of the keys, each spelled as declared as far as that is true of it. */
export function stateOf(declared: SetInputs | SetState, { entries, toDelete }: Holding): SetState {
  const { workspaceId, defaults } = declared;
  const spellings = new Map(entriesIn(declared));
  const all = [...entries];
  const by = <T>(pick: (state: KeyState, id: string) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      all.flatMap(([alias, { id, state }]) => {
        const value = pick(state, id);
        return value === undefined ? [] : [[alias, value]];
      }),
    );
  const those = (has: (state: KeyState) => unknown) =>
    all.flatMap(([alias, { state }]) => (has(state) ? [alias] : []));
  return {
    ...defined({ workspaceId, defaults, [secretsKey]: declared[secretsKey] }),
    keys: Object.fromEntries(
      all.map(([alias, { state }]) => [alias, spelledAs(declared, alias, spellings.get(alias), state)]),
    ),
    ids: by((_state, id) => id),
    maskedKeys: by(({ maskedKey }) => maskedKey),
    secrets: by(({ key }) => key),
    ...defined({
      [observedKey]: nonEmpty(by((state) => state[observedKey])),
      __chosen: nonEmpty(by((state) => nonEmpty(pick(state, chosen)))),
      __keyLost: nonEmpty(those(isLost)),
      __migrated: nonEmpty(those(({ existingKey }) => existingKey)),
      __toDelete: nonEmpty(toDelete),
    }),
  };
}

const spelledFields = keyFields.filter(({ name }) => name !== "workspaceId" && name !== "existingKey");

/**
 * The entry as declared, with what is not so of the key written out; what it has not is left out, or taken away. Its
 * secret is among the secrets alone.
 */
function spelledAs(declared: SetDraft, alias: string, entry: unknown, state: Properties): Properties {
  const { existingKey: _, ...own } = isRecord(entry) ? entry : ({} as Properties);
  const meant: Properties = merged(declared, alias, own);
  const differs = (field: Field, of: Properties) =>
    !isDeepStrictEqual(field.canonical(state[field.name]), of[field.name]);
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

/** The inputs that a set's state means. */
export function inputsOf(state: SetState): SetDraft {
  const { workspaceId, defaults, secrets = {} } = state;
  const migrated = aliasesIn(state.__migrated);
  const keys = entriesIn(state).map(([alias, entry]) => [
    alias,
    migrated.has(alias) && isRecord(entry) ? { ...entry, existingKey: secrets[alias] } : entry,
  ]);
  return defined({ workspaceId, keys: Object.fromEntries(keys), defaults });
}

/** Whether the state alone asks for an update: a secret is lost, a key is still to be deleted, or an entry has none. */
export function isPending(state: SetState): boolean {
  return (
    aliasesIn(state.__keyLost).size > 0 ||
    toDeleteIn(state).length > 0 ||
    mismatchedAliases(state).keys.length > 0
  );
}

/** Aliases of which only `ids` or only `keys` knows, as somebody wrote them who imported the set. */
export function mismatchedAliases({
  ids = {},
  keys = {},
}: SetState): Readonly<Record<"ids" | "keys", readonly string[]>> {
  const beyond = (all: Properties, others: Properties) =>
    Object.keys(all).filter((alias) => !Object.hasOwn(others, alias));
  return { ids: beyond(ids, keys), keys: beyond(keys, ids) };
}

function aliasesIn(value: readonly unknown[] = []): ReadonlySet<string> {
  return new Set(value.filter((alias) => typeof alias === "string"));
}

export function toDeleteIn(state: Pick<SetState, "__toDelete" | typeof secretsKey>): readonly KeyToDelete[] {
  const isUnnamed = keySecrets(state).some(([field]) => field === "name");
  return (state.__toDelete ?? []).filter(isRecord).map(({ id, name, alias }) => ({
    id: String(id),
    name: String(isUnnamed ? id : name),
    ...(typeof alias === "string" ? { alias } : {}),
  }));
}
