import { Failure } from "../provider/core/errors";
import { isRecord, type Properties } from "../provider/core/state";
import { isMarked } from "../provider/hosts/secretMark";

/** Which keys a stack manages, as `pulumi stack export` tells it. */

export interface ManagedKeys {
  readonly ids: readonly string[];
  /** The names of the resources that manage them. */
  readonly names: readonly string[];
}

/** Types of either host. */
const ourType = /^(?:pulumi-nodejs:dynamic\/apikeys:|apikeys:index:)(\w+)$/;

/** The ids in a resource's state, those of keys that are still to be deleted too. */
const idsOf: Readonly<Record<string, (id: unknown, state: Properties) => readonly unknown[]>> = {
  ApiKey: (id) => [id],
  ApiKeySet: (_id, { ids, __toDelete }) => [...Object.values(ids ?? {}), ...toDelete(__toDelete)],
  RotatingApiKey: (_id, { keyId, previousKeyId, __toDelete }) => [
    ...[keyId, previousKeyId],
    ...toDelete(__toDelete),
  ],
};

function toDelete(keys: unknown): readonly unknown[] {
  return Array.isArray(keys) ? keys.map((key) => isRecord(key) && key["id"]) : [];
}

/** `file` is what messages call it. Throws a Failure for anything but an export of a stack. */
export function managedKeys(text: string, file: string, workspaceId: string): ManagedKeys {
  const found = resourcesIn(text, file).flatMap((resource) => {
    const { type, urn, external } = resource;
    const [, kind = ""] = typeof type === "string" ? (ourType.exec(type) ?? []) : [];
    const idsIn = Object.hasOwn(idsOf, kind) ? idsOf[kind] : undefined;
    if (idsIn === undefined) return [];
    const name = typeof urn === "string" ? urn.split("::").slice(3).join("::") : "";
    const { workspaceId: of, ...state } = plainState(resource["outputs"]);
    const isElsewhere = typeof of === "string" && of !== workspaceId;
    // What is only read is not managed.
    if (external === true || isElsewhere) return [{ name, ids: [] }];
    if (Object.values(state).includes(encrypted)) {
      throw new Failure(
        `${file}: the ids of the keys of "${name}" are encrypted. Export the stack with \`pulumi stack export --show-secrets\`, and delete that file afterwards.`,
      );
    }
    const ids = idsIn(resource["id"], state).filter((id) => typeof id === "string" || typeof id === "number");
    return [{ name, ids: ids.map(String) }];
  });
  return { ids: found.flatMap(({ ids }) => ids), names: found.map(({ name }) => name) };
}

function resourcesIn(text: string, file: string): readonly Properties[] {
  const { deployment } = parsed(text) ?? {};
  const resources = isRecord(deployment) ? (deployment["resources"] ?? []) : undefined;
  if (Array.isArray(resources)) return resources.filter(isRecord);
  throw new Failure(
    `${file} is not the state of a stack: write it with \`pulumi stack export --file ${file}\`.`,
  );
}

/** What the parser says quotes the text, which may hold secrets. */
function parsed(text: string): Properties | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const encrypted = Symbol("encrypted");

/** As far as ids can be told from it. */
function plainState(state: unknown): Properties {
  if (!isRecord(state)) return {};
  const names = ["workspaceId", "ids", "keyId", "previousKeyId", "__toDelete"];
  return Object.fromEntries(names.map((name) => [name, decrypted(state[name])]));
}

function decrypted(value: unknown): unknown {
  if (!isMarked(value)) return value;
  const { plaintext } = value as Properties;
  return typeof plaintext === "string" ? JSON.parse(plaintext) : encrypted;
}
