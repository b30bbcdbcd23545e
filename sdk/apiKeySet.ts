import * as pulumi from "@pulumi/pulumi";
import { secretAmong } from "./apiKey";
import type { ApiKeyArgs, KeyValue } from "./keyProperties";
import type { Facts, Internals } from "./resource";
import { fail, isA, isPlain, lacksSecret, registration, settleAbsent, withSecret } from "./resource";

/** TypeScript takes the aliases from it. */
type Named<Alias extends string> = { readonly [Name in Alias]?: pulumi.Input<ApiKeySetEntryArgs> };
type Optional<Args, Absent = undefined> = { readonly [Name in keyof Args]?: Args[Name] | Absent | undefined };

/**
 * Defaults for every entry of an {@link ApiKeySet}, field by field: an input that an entry leaves out is taken from
 * here as a whole, and nothing is merged. Changing a default changes every key that uses it.
 */
export interface ApiKeySetDefaultsArgs
  extends Optional<Omit<ApiKeyArgs, "workspaceId" | "existingKey" | "existingId">> {}

/**
 * One key of an {@link ApiKeySet}: the inputs of an {@link ApiKey}, except `workspaceId`. An input that is left out is
 * taken from `defaults`, also where two inputs can't be combined. `customerId` is required here or in `defaults`.
 * Removing the entry deletes the key, unless it was released. When an update replaces a key, the old secret stops
 * working before its users have the new one.
 *
 * @remarks
 * null removes a default.
 */
export interface ApiKeySetEntryArgs extends Optional<Omit<ApiKeyArgs, "workspaceId">, null> {
  /**
   * The key's former alias, to keep the key under a new alias: without `renamedFrom`, a new alias is a new key, and the
   * old key is deleted. Default: none. Fails the preview if the former alias is still declared. Once the new alias has a
   * key, it means nothing: you can leave it in place, or remove it.
   */
  readonly renamedFrom?: pulumi.Input<string | undefined> | null;
  /**
   * Whether to give up the entry's key without deleting it: the update sends no request for it, and state no longer has
   * it or its secret. From then on the entry can be removed, and another resource can adopt the key. Default: false.
   */
  readonly release?: pulumi.Input<boolean | undefined> | null;
}

/** The inputs of an {@link ApiKeySet}. */
export interface ApiKeySetArgs<Alias extends string = string> {
  /** The id of the workspace that the keys belong to. Changing it replaces the set and all its keys. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The keys by alias: a string that you choose, not empty, that does not begin with "__". Adding an entry creates a
   * key, and removing one deletes its key. Changing an entry updates its key in place or replaces it, like an `ApiKey`.
   * The order of the entries makes no difference.
   */
  readonly keys: pulumi.Input<Readonly<Record<string, pulumi.Input<ApiKeySetEntryArgs>>> & Named<Alias>>;
  /** Defaults for every entry, field by field. Default: none. */
  readonly defaults?: pulumi.Input<ApiKeySetDefaultsArgs | undefined>;
}

type EntryInputs = Omit<ApiKeyArgs, "workspaceId">;
type EntryValues = {
  readonly [Name in keyof EntryInputs]?:
    | Exclude<KeyValue<Name>, undefined>
    | (Name extends "scopes" | "enabled" ? never : null);
};

/** One key of a set, in outputs: the declared values. */
export interface ApiKeySetEntry extends EntryValues {
  /** The key's former alias. */
  readonly renamedFrom?: string;
  /** Whether the key was released. */
  readonly release?: boolean;
}

/** The defaults of a set, in outputs. */
export type ApiKeySetDefaults = Omit<
  ApiKeySetEntry,
  "existingKey" | "existingId" | "renamedFrom" | "release"
>;

const facts: Facts = {
  kind: "ApiKeySet",
  properties: ["workspaceId", "keys", "defaults", "ids", "maskedKeys", "secrets"],
  secrets: ["secrets"],
};

/**
 * Many API keys of one workspace as one resource: for hundreds or thousands of keys, because the engine's own cost
 * grows with the number of resources.
 *
 * One update first creates and changes keys, and deletes keys last. A failing key doesn't stop the others: the update
 * fails and names the aliases, and the next update does the rest. Destroy deletes all keys of the set.
 *
 * @example
 * ```ts
 * import { ApiKeySet } from "pulumi-apikeys";
 *
 * const customers = new ApiKeySet("customers", {
 *   workspaceId: "ws_main",
 *   defaults: { scopes: [{ representation: "orders", read: true }] },
 *   keys: { acme: { customerId: "cus_1" }, beta: { customerId: "cus_2", enabled: false } },
 * });
 * export const acme = customers.key("acme");
 * ```
 *
 * @remarks
 * When any key of a set changes, the preview shows everything that uses an output of the set as changing too, because
 * Pulumi does not know the outputs of a resource that is about to change. Use several sets to keep previews apart.
 *
 * @see docs/api-key-set.md
 */
export class ApiKeySet<Alias extends string = string> extends pulumi.CustomResource {
  /** Returns true if the value is an ApiKeySet, even one of another copy of this package. */
  static override readonly isInstance = isA<ApiKeySet>("ApiKeySet");

  /** The ids of the keys by alias. */
  declare readonly ids: pulumi.Output<Readonly<Record<string, string>>>;
  /** The masked forms of the secrets by alias, as far as the service returns them. */
  declare readonly maskedKeys: pulumi.Output<Readonly<Record<string, string>>>;
  /** The secrets by alias: the values that clients send. The whole map is always a Pulumi secret. */
  declare readonly secrets: pulumi.Output<Readonly<Record<string, string>>>;

  /** The id of the workspace that the keys belong to. */
  declare readonly workspaceId: pulumi.Output<string>;
  /** The declared entries by alias. A Pulumi secret if an entry has `existingKey`. */
  declare readonly keys: pulumi.Output<Readonly<Record<string, ApiKeySetEntry>>>;
  /** The declared defaults. */
  declare readonly defaults: pulumi.Output<ApiKeySetDefaults | undefined>;

  /** The resource's name, for messages. Not an output. */
  readonly #name: string;

  /**
   * Creates many API keys of one workspace as one resource. Destroy deletes all keys of the set.
   *
   * @param name The resource's name, unique within the stack.
   * @param args The workspace, its keys, and the defaults of all keys.
   * @param opts Pulumi's resource options. `import` can't be used: adopt or migrate the keys in their entries.
   */
  constructor(name: string, args: ApiKeySetArgs<Alias>, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(facts, name, { ...args, keys: withSecrets(args.keys) }, opts));
    settleAbsent(this, facts);
    this.#name = name;
  }

  /**
   * Returns the secret of one key, always a Pulumi secret. Fails for an alias that the set does not have (in the
   * preview already, if `keys` is known), and for a key that was adopted without `existingKey`. In a preview
   * that changes the set, the secret is unknown; with the plugin, only if this key is new or replaced.
   *
   * @param alias The key's alias in `keys`. Where the program lists aliases, TypeScript refuses others; beside a map that is
   * spread, write `new ApiKeySet<string>(…)`.
   */
  key(alias: Alias): pulumi.Output<string> {
    const [keys, secrets] = [this.keys, this.secrets] as unknown as [Internals, Internals];
    // A preview may know some of the entries and secrets before it knows all.
    const secret = keys.apply((declared) => {
      if (isPlain(declared) && !Object.hasOwn(declared, alias))
        fail("APIKEYS1001", `ApiKeySet "${this.#name}" has no key "${alias}".`);
      const { existingId, existingKey } = { ...declared?.[alias] };
      return secrets.apply(async (held) => {
        const isBare = await lacksSecret(this, existingId, existingKey);
        return pulumi.isUnknown(held) && !isBare ? held : secretAmong(isBare ? {} : held, this.#name, alias);
      }, true);
    }, true);
    return pulumi.secret(secret);
  }
}

// In a function that Pulumi uploads to run elsewhere, an Output has nothing but `get`.
function keyElsewhere(this: ApiKeySet, alias: string) {
  const held = this.secrets.get();
  if (Object.hasOwn(held, alias)) return { get: () => held[alias] };
  throw new Error(`APIKEYS1006: state does not have the secret of key "${alias}".`);
}
Object.assign(ApiKeySet.prototype.key, { captureReplacement: () => keyElsewhere });

/** Makes each existingKey secret, as far as it can be seen without waiting. The provider does so for the others. */
function withSecrets(keys: ApiKeySetArgs["keys"]): ApiKeySetArgs["keys"] {
  if (!isPlain(keys)) return keys;
  const entries = Object.entries(keys as Record<string, ApiKeySetEntryArgs>);
  return Object.fromEntries(
    entries.map(([alias, entry]) => [alias, isPlain(entry) ? withSecret(entry, ["existingKey"]) : entry]),
  );
}
