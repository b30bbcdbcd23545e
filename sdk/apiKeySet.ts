import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/apiKeySet/properties";
import { type ApiKeyArgs, type KeyScope, withSecret } from "./apiKey";
import { type Facts, isOfKind, registration, settleAbsent } from "./resource";

/**
 * Defaults for every entry of an {@link ApiKeySet}, field by field: an input that an entry leaves out is taken from
 * here as a whole, and nothing is merged. Changing a default changes every key that uses it.
 */
export type ApiKeySetDefaultsArgs = {
  readonly [Name in keyof Omit<ApiKeyArgs, "workspaceId" | "existingKey" | "existingId" | "name">]?:
    | ApiKeyArgs[Name]
    | undefined;
} & {
  /** The name of each key whose entry has none. Default: the key's alias. */
  readonly name?: ApiKeyArgs["name"];
};

/**
 * One key of an {@link ApiKeySet}: the inputs of an {@link ApiKey}, except `workspaceId`. An input that is left out is
 * taken from `defaults`. `customerId` is required here or in `defaults`.
 *
 * @remarks
 * null removes a default.
 */
export type ApiKeySetEntryArgs = {
  readonly [Name in keyof Omit<ApiKeyArgs, "workspaceId" | "name">]?: ApiKeyArgs[Name] | null | undefined;
} & {
  /** The key's name. Default: that of `defaults`, then the key's alias. Changing it updates the key in place. */
  readonly name?: ApiKeyArgs["name"] | null;
  /**
   * The key's former alias, to keep the key under a new alias: without `renamedFrom`, a new alias is a new key, and the
   * old key is deleted. Default: none. Fails the preview if the former alias is still declared, or if the new alias has
   * a key already. You can leave it in place after the update, or remove it.
   */
  readonly renamedFrom?: pulumi.Input<string | undefined> | null;
};

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
