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
import { type KeyToDelete, type OwnedKey, type OwnedKeys, toDeleteIn } from "../keys/owned";
import {
  entriesIn,
  inputsOfEntry,
  keySecrets,
  type SetDraft,
  type SetInputs,
  type SetState,
} from "./properties";

/** Turns a set's state into ApiKey states, and back. */

const chosen = ["effectivePrefix", "effectiveExpiresAt"] as const;

/** A default can also be in `keys`: if a key differs from the defaults, state has all that differs in its entry. */
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

/** The ids of the keys that entries have. */
export function idsIn({ ids = {}, keys = {} }: SetState): readonly (readonly [alias: string, id: string])[] {
  return Object.entries(ids).filter(([alias]) => Object.hasOwn(keys, alias));
}

export function ownedKeys(state: SetState): OwnedKeys {
  const at = (all: Properties | undefined, alias: string) =>
    all !== undefined && Object.hasOwn(all, alias) ? all[alias] : undefined;
  const [lost, migrated] = [aliasesIn(state.__keyLost), aliasesIn(state.__migrated)];
  const unconfirmed = aliasesIn(state.__unconfirmed);
  const entries = new Map(entriesIn(state));
  const keys = idsIn(state).map(([alias, id]): [string, OwnedKey] => {
    const key = at(state.secrets, alias);
    const observed = at(hiddenIn(state, observedKey), alias);
    const chosenByService = at(state.__chosen, alias);
    const ofKey = {
      ...inputsOfEntry(state, alias, entries.get(alias)),
      existingKey: migrated.has(alias) ? key : undefined,
      key,
      maskedKey: at(state.maskedKeys, alias),
      ...(isRecord(chosenByService) ? pick(chosenByService, chosen) : {}),
      [observedKey]: isRecord(observed) ? observed : undefined,
      [failedKey]: unconfirmed.has(alias) ? true : undefined,
      __keyLost: lost.has(alias) ? true : undefined,
    };
    return [alias, { id, state: defined(ofKey) as KeyState }];
  });
  return { byAlias: new Map(keys), toDelete: toDelete(state) };
}

export function stateOf(declared: SetInputs | SetState, { byAlias, toDelete: left }: OwnedKeys): SetState {
  const { workspaceId, defaults } = declared;
  const entries = new Map(entriesIn(declared));
  const all = [...byAlias];
  const by = <T>(pick: (state: KeyState, id: string) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      all.flatMap(([alias, { id, state }]) => {
        const value = pick(state, id);
        return value === undefined ? [] : [[alias, value]];
      }),
    );
  const aliasesWith = (has: (state: KeyState) => unknown) =>
    all.flatMap(([alias, { state }]) => (has(state) ? [alias] : []));
  return {
    ...defined({ workspaceId, defaults, [secretsKey]: declared[secretsKey] }),
    keys: Object.fromEntries(
      all.map(([alias, { state }]) => [alias, entryOf(declared, alias, entries.get(alias), state)]),
    ),
    ids: by((_state, id) => id),
    maskedKeys: by(({ maskedKey }) => maskedKey),
    secrets: by(({ key }) => key),
    ...defined({
      [observedKey]: nonEmpty(by((state) => state[observedKey])),
      __chosen: nonEmpty(by((state) => nonEmpty(pick(state, chosen)))),
      __keyLost: nonEmpty(aliasesWith(isLost)),
      __migrated: nonEmpty(aliasesWith(({ existingKey }) => existingKey)),
      __toDelete: nonEmpty(left),
      __unconfirmed: nonEmpty(aliasesWith((state) => state[failedKey])),
    }),
  };
}

const spelledFields = keyFields.filter(({ name }) => name !== "workspaceId" && name !== "existingKey");

/**
 * The entry as the program has it, if the key matches it. Otherwise, each field that differs has the key's value or, if
 * a default would apply instead, null. The secret is only in `secrets`.
 */
function entryOf(declared: SetDraft, alias: string, entry: unknown, state: Properties): Properties {
  const { existingKey: _, ...own } = isRecord(entry) ? entry : ({} as Properties);
  const wanted: Properties = inputsOfEntry(declared, alias, own);
  const differs = (field: Field, of: Properties) =>
    !isDeepStrictEqual(field.canonical(state[field.name]), of[field.name]);
  const different = spelledFields.filter((field) => differs(field, wanted));
  if (different.length === 0) return own;
  const defaults: Properties = inputsOfEntry(declared, alias, {});
  const same = Object.entries(own).filter(([name]) => !different.some((field) => field.name === name));
  const explicit = different
    .filter((field) => field.canonical(state[field.name]) !== undefined || differs(field, defaults))
    // Null would mean the alias.
    .map(({ name, canonical }) => [name, canonical(state[name]) ?? (name === "name" ? "" : null)]);
  return Object.fromEntries([...same, ...explicit]);
}

export function inputsOf(state: SetState): SetDraft {
  const { workspaceId, defaults, secrets = {} } = state;
  const migrated = aliasesIn(state.__migrated);
  const keys = entriesIn(state).map(([alias, entry]) => [
    alias,
    migrated.has(alias) && isRecord(entry) ? { ...entry, existingKey: secrets[alias] } : entry,
  ]);
  return defined({ workspaceId, keys: Object.fromEntries(keys), defaults });
}

/** Whether state needs an update whatever the program says. */
export function isPending(state: SetState): boolean {
  return (
    aliasesIn(state.__keyLost).size > 0 ||
    aliasesIn(state.__unconfirmed).size > 0 ||
    toDelete(state).length > 0
  );
}

function aliasesIn(value: readonly unknown[] = []): ReadonlySet<string> {
  return new Set(value.filter((alias) => typeof alias === "string"));
}

/** The keys that no entry has any more, but the service still has. */
export function toDelete(state: Pick<SetState, "__toDelete" | typeof secretsKey>): readonly KeyToDelete[] {
  return toDeleteIn(
    state.__toDelete,
    keySecrets(state).some(([field]) => field === "name"),
  );
}
