import { isTypeOf } from "../sdk/types";
import { Failure, isMarked, isRecord, nameIn, type Properties } from "./provider";

/** The keys that a stack manages, by the output of `pulumi stack export`. */
export interface ManagedKeys {
  readonly ids: readonly string[];
  /** The names of the resources that manage them. */
  readonly names: readonly string[];
}

/** Finds the ids of keys in a resource's state, including keys that are still to be deleted. */
const idsOf: Readonly<Record<string, (id: unknown, state: Properties) => readonly unknown[]>> = {
  ApiKey: (id) => [id],
  ApiKeySet: (_id, { ids, toDelete }) => [...parts(ids), ...parts(toDelete)],
  RotatingApiKey: (_id, { keyId, previousKeyId, toDelete }) => [
    ...[keyId, previousKeyId].map(decrypted),
    ...parts(toDelete),
  ],
};

/** Finds the secrets of keys in a resource's state, each with the key's id. */
const secretsOf: Readonly<Record<string, (id: unknown, state: Properties) => readonly Pair[]>> = {
  ApiKey: (id, { key }) => [[id, key]],
  ApiKeySet: (_id, { ids, secrets }) => {
    const [byAlias, held] = [ids, secrets].map(decrypted).map((map) => (isRecord(map) ? map : {}));
    return Object.entries(held ?? {}).map(([alias, secret]) => [byAlias?.[alias], secret]);
  },
  RotatingApiKey: (_id, { keyId, key, previousKeyId, previousKey }) => [
    [keyId, key],
    [previousKeyId, previousKey],
  ],
};
type Pair = readonly [id: unknown, secret: unknown];

/** The secrets of keys by id, from a JSON object, or from an exported stack with its secrets. */
export function givenSecrets(text: string, file: string, workspaceId: string): ReadonlyMap<string, string> {
  const given = parsed(text);
  const isStack = isRecord(given) && "deployment" in given;
  const pairs = isStack
    ? resourcesIn(text, file).flatMap(({ type, id, outputs }) => {
        const [, secretsIn] = Object.entries(secretsOf).find(([kind]) => isTypeOf(kind, type)) ?? [];
        const state = isRecord(outputs) ? outputs : {};
        return decrypted(state["workspaceId"]) === workspaceId ? (secretsIn?.(id, state) ?? []) : [];
      })
    : Object.entries(isRecord(given) ? given : {});
  const isOne = (pair: readonly unknown[]): pair is [string, string] =>
    pair.every((one) => typeof one === "string");
  const found = pairs.map((pair) => pair.map(decrypted)).filter(isOne);
  if (found.length > 0) return new Map(found);
  const problem = `${file} has no secrets of keys: it must be a JSON object, with the secret of each key by its id, or the output of \`pulumi stack export --show-secrets\`.`;
  throw new Failure("wrongInput", problem);
}

/** The values in a list or a map. Anything else counts as one value, so that no id is overlooked. */
function parts(marked: unknown): readonly unknown[] {
  const value = decrypted(marked) ?? [];
  return typeof value === "object" ? Object.values(value).map(decrypted) : [value];
}

/** Reads the text of a file. Throws a Failure that names the file if it is not an exported stack. */
export function managedKeys(text: string, file: string, workspaceId: string): ManagedKeys {
  const found = resourcesIn(text, file).flatMap((resource) => {
    const { type, urn, external } = resource;
    const [, idsIn] = Object.entries(idsOf).find(([kind]) => isTypeOf(kind, type)) ?? [];
    if (idsIn === undefined) return [];
    const name = typeof urn === "string" ? nameIn(urn) : "";
    const state = isRecord(resource["outputs"]) ? resource["outputs"] : {};
    const of = decrypted(state["workspaceId"]);
    const isElsewhere = typeof of === "string" && of !== workspaceId;
    // The stack only reads an external resource.
    if (external === true || isElsewhere) return [{ name, ids: [] }];
    const all = idsIn(resource["id"], state).filter((id) => id !== undefined && id !== null);
    const ids = all.filter((id) => typeof id === "string" || typeof id === "number").map(String);
    if (ids.length < all.length) {
      const problem = `${file}: the ids of the keys of "${name}" are encrypted, or were edited. Export the stack with \`pulumi stack export --show-secrets\`, and delete that file afterwards.`;
      throw new Failure("wrongInput", problem);
    }
    return [{ name, ids }];
  });
  return { ids: found.flatMap(({ ids }) => ids), names: found.map(({ name }) => name) };
}

function resourcesIn(text: string, file: string): readonly Properties[] {
  const state = parsed(text);
  const deployment = isRecord(state) ? state["deployment"] : undefined;
  const resources = isRecord(deployment) ? (deployment["resources"] ?? []) : undefined;
  if (Array.isArray(resources)) return resources.filter(isRecord);
  const problem = `${file} is not a stack's state: export it with \`pulumi stack export --file ${file}\`.`;
  throw new Failure("wrongInput", problem);
}

/** Drops the parser's error, which quotes the text and with it secrets. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unreadable;
  }
}

/** Stands for a value that is encrypted or was edited. */
const unreadable = Symbol("unreadable");

function decrypted(value: unknown): unknown {
  if (!isMarked(value)) return value;
  const { plaintext } = value as Properties;
  return typeof plaintext === "string" ? parsed(plaintext) : unreadable;
}
