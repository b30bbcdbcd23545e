import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/apiKeySet/entries";
import { type ApiKeyArgs, type KeyScope, withSecret } from "./apiKey";
import { type Facts, isOfKind, registration, settleAbsent } from "./resource";

/**
 * Defaults for every entry of an {@link ApiKeySet}, field by field: an input that an entry leaves out is taken from
 * here as a whole, and nothing is merged. Changing a default changes every key that uses it.
 */
export interface ApiKeySetDefaultsArgs {
  /** The id of the customer of each key whose entry has none. Default: none. */
  readonly customerId?: ApiKeyArgs["customerId"] | undefined;
  /** The name of each key whose entry has none. Default: the key's alias. */
  readonly name?: ApiKeyArgs["name"];
  /** The permissions of each key whose entry has no `scopes`. Default: none. */
  readonly scopes?: ApiKeyArgs["scopes"];
  /** Whether a key works if its entry does not say. Default: true. */
  readonly enabled?: ApiKeyArgs["enabled"];
  /** The start of the secret of each key whose entry has none. Default: set by the service. */
  readonly prefix?: ApiKeyArgs["prefix"];
  /**
   * When a key expires if its entry does not say: a whole number above 0, in the service's own unit. Default: set by the
   * service.
   */
  readonly expiresAt?: ApiKeyArgs["expiresAt"];
  /** The id of a meter outside the service, for each key whose entry has none. Default: none. */
  readonly externalMeterId?: ApiKeyArgs["externalMeterId"];
  /** The JSON object that the service keeps with each key whose entry has none. Default: none. */
  readonly metadata?: ApiKeyArgs["metadata"];
  /** The `keepers` of each key whose entry has none. Default: none. */
  readonly keepers?: ApiKeyArgs["keepers"];
}

/**
 * One key of an {@link ApiKeySet}: the inputs of an {@link ApiKey}, except `workspaceId`. An input that is left out is
 * taken from `defaults`. `customerId` is required here or in `defaults`.
 *
 * @remarks
 * null removes a default.
 */
export interface ApiKeySetEntryArgs {
  /** The id of the customer that the key is for. Default: that of `defaults`. Changing it replaces the key. */
  readonly customerId?: ApiKeyArgs["customerId"] | null | undefined;
  /** The key's name. Default: that of `defaults`, then the key's alias. Changing it updates the key in place. */
  readonly name?: ApiKeyArgs["name"] | null;
  /**
   * The key's permissions, in place of those of `defaults`. The scopes are a set: their order makes no difference, and
   * an entry without any permission is the same as no entry. Default: those of `defaults`, then none. Changing them
   * updates the key in place. If the service leaves the key more permissions than the program gives it, the update
   * fails.
   */
  readonly scopes?: ApiKeyArgs["scopes"] | null;
  /** Whether the key works. Default: that of `defaults`, then true. Changing it updates the key in place. */
  readonly enabled?: ApiKeyArgs["enabled"] | null;
  /**
   * The start of the secret. Default: that of `defaults`, then set by the service. Changing it replaces the key.
   */
  readonly prefix?: ApiKeyArgs["prefix"] | null;
  /**
   * When the key expires: a whole number above 0, in the service's own unit. Default: that of `defaults`, then set by
   * the service. Changing it replaces the key.
   */
  readonly expiresAt?: ApiKeyArgs["expiresAt"] | null;
  /**
   * The id of a meter outside the service. Default: that of `defaults`, then none. Changing it replaces the key. The
   * service never returns it, so a refresh can't see changes made outside Pulumi.
   */
  readonly externalMeterId?: ApiKeyArgs["externalMeterId"] | null;
  /**
   * Any JSON object, at most 64 levels deep, which the service keeps with the key. Default: that of `defaults`, then
   * none. Changing it replaces the key. The service never returns it, so a refresh can't see changes made outside
   * Pulumi.
   */
  readonly metadata?: ApiKeyArgs["metadata"] | null;
  /**
   * The value of an existing key to migrate, instead of creating a key. Always a secret. Can't be combined with
   * `prefix`, `expiresAt` or `externalMeterId`, also of `defaults`. Default: none. A new value replaces the key. While
   * the value stays the same, changing `workspaceId`, `customerId`, `metadata` or `keepers` fails the preview, because
   * the service can't have one value twice. An empty string, as from an unset variable, fails the preview too. Removing
   * `existingKey` later changes nothing. Removing the entry or the set deletes a migrated key.
   */
  readonly existingKey?: ApiKeyArgs["existingKey"] | null;
  /**
   * The id of an existing key to adopt, instead of creating a key. The update changes the key's `name`, `scopes` and
   * `enabled` to match the program, and the preview can't show these changes. `scopes` must be set here or in
   * `defaults`. Can't be combined with `existingKey`, `prefix`, `expiresAt`, `externalMeterId` or `metadata`, also of
   * `defaults`. Default: none. `secrets` has no secret of an adopted key, because the service shows it only once.
   * Another id adopts that key, and deletes the old one. In an update that adds `existingId` or leaves it as it is, a
   * change that needs a new key, such as one of `keepers`, fails the preview. Removing `existingId` changes nothing;
   * removing it and changing `keepers` in one update creates a new key with its secret, and deletes the adopted one.
   * Removing the entry or the set deletes an adopted key.
   */
  readonly existingId?: ApiKeyArgs["existingId"] | null;
  /**
   * Arbitrary strings, never sent to the service. Default: those of `defaults`, then none. Changing one replaces the
   * key, and its old secret stops working before its users have the new one.
   */
  readonly keepers?: ApiKeyArgs["keepers"] | null;
  /**
   * The key's former alias, to keep the key under a new alias: without `renamedFrom`, a new alias is a new key, and the
   * old key is deleted. Default: none. Fails the preview if the former alias is still declared, or if the new alias has
   * a key already. You can leave it in place after the update, or remove it.
   */
  readonly renamedFrom?: pulumi.Input<string | undefined> | null;
}

/**
 * The inputs of an {@link ApiKeySet}.
 *
 * @see docs/api-key-set.md
 */
export interface ApiKeySetArgs {
  /** The id of the workspace that the keys belong to. Changing it replaces the set and all its keys. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The keys by alias: a string that you choose, not empty, that does not begin with "__". Adding an entry creates a
   * key, and removing one deletes its key. Changing an entry updates its key in place or replaces it, like an `ApiKey`.
   * The order of the entries makes no difference.
   */
  readonly keys: pulumi.Input<Readonly<Record<string, pulumi.Input<ApiKeySetEntryArgs>>>>;
  /** Defaults for every entry, field by field. Default: none. */
  readonly defaults?: pulumi.Input<ApiKeySetDefaultsArgs | undefined>;
}

/** One key of a set, in outputs: the declared values, without `existingKey`. */
export interface ApiKeySetEntry {
  /** The id of the customer that the key is for. */
  readonly customerId?: string | null;
  /** The key's name. */
  readonly name?: string | null;
  /** The key's permissions, sorted by representation. Only granted permissions are present. */
  readonly scopes?: KeyScope[];
  /** Whether the key works. */
  readonly enabled?: boolean;
  /** The start of the secret. */
  readonly prefix?: string | null;
  /** When the key expires, in the service's own unit. */
  readonly expiresAt?: number | null;
  /** The id of a meter outside the service. */
  readonly externalMeterId?: string | null;
  /** The JSON object that the service keeps with the key. */
  readonly metadata?: Record<string, unknown> | null;
  /** The id of the adopted key. */
  readonly existingId?: string | null;
  /** Arbitrary strings, never sent to the service. */
  readonly keepers?: Record<string, string> | null;
  /** The key's former alias. */
  readonly renamedFrom?: string;
}

/** The defaults of a set, in outputs. */
export type ApiKeySetDefaults = Omit<ApiKeySetEntry, "existingId" | "renamedFrom">;

const facts: Facts<Shape> = {
  kind: "ApiKeySet",
  insteadOfImport:
    "Declare existing keys with existingKey in their entries, which migrates them; or, without their values, import them as a new set with `pulumi import --file` (see docs/api-key-set.md).",
  secretInputs: ["keys.*.existingKey"],
  properties: {
    workspaceId: "plain",
    keys: "plain",
    defaults: "plain",
    ids: "plain",
    maskedKeys: "plain",
    secrets: "secret",
  },
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
export class ApiKeySet extends pulumi.CustomResource {
  /** Returns true if the value is an ApiKeySet, even one of another copy of this package. */
  static override isInstance(value: unknown): value is ApiKeySet {
    return isOfKind(value, facts.kind);
  }

  /** The ids of the keys by alias. */
  declare readonly ids: pulumi.Output<Readonly<Record<string, string>>>;
  /** The masked forms of the secrets by alias, as far as the service returns them. */
  declare readonly maskedKeys: pulumi.Output<Readonly<Record<string, string>>>;
  /** The secrets by alias: the values that clients send. The whole map is always a Pulumi secret. */
  declare readonly secrets: pulumi.Output<Readonly<Record<string, string>>>;

  /** The id of the workspace that the keys belong to. */
  declare readonly workspaceId: pulumi.Output<string>;
  /** The declared entries by alias, without `existingKey`. */
  declare readonly keys: pulumi.Output<Readonly<Record<string, ApiKeySetEntry>>>;
  /** The declared defaults. */
  declare readonly defaults: pulumi.Output<ApiKeySetDefaults | undefined>;

  /** The resource's name, for messages. Not an output. */
  readonly #name: string;

  /**
   * Creates many API keys of one workspace as one resource. Adding an entry creates a key, and removing one deletes its
   * key. Destroy deletes all keys of the set.
   *
   * @param name The resource's name, unique within the stack.
   * @param args The workspace, its keys, and the defaults of all keys.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, migrate the keys with `existingKey`,
   *   adopt them with `existingId`, or import them as a new set with `pulumi import --file`.
   * @see docs/api-key-set.md
   */
  constructor(name: string, args: ApiKeySetArgs, opts: pulumi.CustomResourceOptions = {}) {
    refuseWildcard(name, opts.ignoreChanges);
    super(...registration(facts, name, { ...args, keys: withSecrets(args.keys) }, opts));
    settleAbsent(this, facts, args);
    this.#name = name;
  }

  /**
   * Returns the secret of one key, always a Pulumi secret. Fails for an alias that the set does not have (in the
   * preview already, if `keys` is known), and for a key that was adopted or imported, which has no secret in state. In
   * a preview that changes the set, the secret is unknown; with the plugin, only if this key is new or replaced.
   *
   * @param alias The key's alias in `keys`.
   * @example
   * ```ts
   * import { ApiKeySet } from "pulumi-apikeys";
   *
   * const customers = new ApiKeySet("customers", { workspaceId: "ws_main", keys: { acme: { customerId: "cus_1" } } });
   * export const acme = customers.key("acme");
   * ```
   */
  key(alias: string): pulumi.Output<string> {
    const amongAll = () =>
      // If the set is about to change, the preview knows only the declared entries.
      this.keys.apply((keys) => {
        if (isPlain(keys) && !Object.hasOwn(keys, alias)) throw noKey(this.#name, alias);
        return pulumi
          .all([this.secrets, this.ids])
          .apply(([secrets, ids]) => secretOf(this.#name, alias, secrets, ids));
      });
    const secret = memberOf(this.keys, alias).apply((entry) =>
      entry === undefined
        ? amongAll()
        : memberOf(this.secrets, alias).apply((held) => (typeof held === "string" ? held : amongAll())),
    );
    return pulumi.secret(secret);
  }
}

/** With a wildcard, the engine ignores changes of some entries only, at random, once the program has removed an entry. */
function refuseWildcard(name: string, ignored: readonly string[] = []): void {
  const wildcard = /^(?:keys|\["keys"\])(?:\.\*|\[\*\]|\["\*"\])(.*)/;
  const [path, rest = ""] = ignored.map((one) => wildcard.exec(one)).find((found) => found !== null) ?? [];
  if (path === undefined) return;
  throw new pulumi.RunError(
    `ApiKeySet "${name}": the option ignoreChanges can't have ${path}: once an entry is removed, Pulumi would ignore changes of some entries only, at random. Name each entry instead, as in keys.acme${rest}.`,
  );
}

/** A member of an Output is known in a preview even where other members are not. An Output has methods of its own. */
function memberOf(
  map: pulumi.Output<Readonly<Record<string, unknown>>>,
  name: string,
): pulumi.Output<unknown> {
  const member: unknown = map[name];
  return pulumi.Output.isInstance(member) ? member : pulumi.output(undefined);
}

type Strings = Readonly<Record<string, string>> | undefined;

/**
 * The secret of one key of the set of this name, or an error that says what is missing. A set that was imported has no
 * secrets until a refresh or an update. If mocks return neither secrets nor ids, the result is undefined, like an
 * ApiKey's `key`.
 *
 * @internal
 */
export function secretOf(name: string, alias: string, secrets: Strings, ids: Strings): string {
  const secret = secrets !== undefined && Object.hasOwn(secrets, alias) ? secrets[alias] : undefined;
  if (secret !== undefined || (secrets === undefined && ids === undefined)) return secret as string;
  if (ids === undefined || !Object.hasOwn(ids, alias)) throw noKey(name, alias);
  throw new pulumi.RunError(
    `ApiKeySet "${name}" has the key "${alias}", but not its secret, because the key was adopted or imported without it. In its entry, leave existingId out and change keepers to create a new key.`,
  );
}

function noKey(name: string, alias: string): pulumi.RunError {
  return new pulumi.RunError(`ApiKeySet "${name}" has no key "${alias}".`);
}

/**
 * Makes each existingKey secret, as far as it can be seen without waiting. The provider does the same for the others.
 */
function withSecrets(keys: ApiKeySetArgs["keys"]): ApiKeySetArgs["keys"] {
  if (!isPlain(keys)) return keys;
  return Object.fromEntries(
    Object.entries(keys).map(([alias, entry]) => [
      alias,
      isPlain(entry) ? withSecret(entry as ApiKeySetEntryArgs) : entry,
    ]),
  );
}

function isPlain(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !pulumi.Output.isInstance(value) &&
    !(value instanceof Promise)
  );
}
