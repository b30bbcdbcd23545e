import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/apiKeySet/properties";
import type { ApiKeyArgs, KeyScope } from "./apiKey";
import { isOfKind, type PropertiesOf, registration } from "./resource";

/** Defaults for every entry of an {@link ApiKeySet}: an input that an entry leaves out is taken from here. */
export type ApiKeySetDefaults = {
  readonly [Name in keyof Omit<ApiKeyArgs, "workspaceId" | "existingKey" | "existingId" | "name">]?:
    | ApiKeyArgs[Name]
    | undefined;
} & {
  /** The name of each key whose entry has none. Default: the key's alias. */
  readonly name?: ApiKeyArgs["name"];
};

/**
 * One key of an {@link ApiKeySet}: {@link ApiKeyArgs} without the workspace. An input that is left out is taken from
 * `defaults` as a whole; null removes the default. If `name` is in neither, it is the alias. `customerId` is required
 * here or in `defaults`.
 */
export type ApiKeySetEntry = {
  readonly [Name in keyof Omit<ApiKeyArgs, "workspaceId" | "name">]?: ApiKeyArgs[Name] | null | undefined;
} & {
  /** The key's name. Default: that of `defaults`, then the key's alias. Changing it updates the key in place. */
  readonly name?: ApiKeyArgs["name"] | null;
  /**
   * The alias that the key had before. The key then stays, under its new alias. Without `renamedFrom`, a new alias is a
   * new key. After the update you can leave it in place or remove it. Default: none.
   */
  readonly renamedFrom?: pulumi.Input<string | undefined> | null;
};

/** The inputs of an {@link ApiKeySet} (interface, sections 4.1, 4.4 and 4.5). */
export interface ApiKeySetArgs {
  /** The id of the workspace that the keys belong to. Changing it replaces the set and all its keys. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The keys by alias: a name that you choose, that is not empty and does not begin with "__". You can add, change or
   * remove an entry at any time: its key is created, changed in place, replaced or deleted, like an ApiKey. The order
   * of the entries makes no difference. An `existingKey` is always a secret.
   */
  readonly keys: pulumi.Input<Readonly<Record<string, pulumi.Input<ApiKeySetEntry>>>>;
  /** Defaults applied to every entry, field by field. Default: none. */
  readonly defaults?: pulumi.Input<ApiKeySetDefaults | undefined>;
}

/** An entry in a set's outputs, in canonical form. Its `existingKey` is among the secrets. */
export interface DeclaredKey {
  readonly customerId?: string | null;
  readonly name?: string | null;
  readonly scopes?: KeyScope[];
  readonly enabled?: boolean;
  readonly prefix?: string | null;
  readonly expiresAt?: number | null;
  readonly externalMeterId?: string | null;
  readonly metadata?: Record<string, unknown> | null;
  readonly existingId?: string | null;
  readonly keepers?: Record<string, string> | null;
  readonly renamedFrom?: string;
}

const insteadOfImport =
  "Declare existing keys with existingKey in their entries, which migrates them; or, without their values, import them as a new set with `pulumi import --file` (see docs/api-key-set.md).";

const properties: PropertiesOf<Shape> = {
  workspaceId: "plain",
  keys: "plain",
  defaults: "plain",
  ids: "plain",
  maskedKeys: "plain",
  secrets: "secret",
};

/**
 * Many API keys of one workspace as one resource. Use it for hundreds or thousands of keys, because the engine's own
 * cost grows with the number of resources.
 *
 * One update first creates, changes and replaces keys, and then deletes keys. A failing key doesn't stop the others: in
 * the end the update fails and names the aliases, and the next update does the rest. Destroying the set deletes its
 * keys.
 *
 * ```ts
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
 * Pulumi does not know the outputs of a resource that is about to change. Several smaller sets keep that apart.
 */
export class ApiKeySet extends pulumi.CustomResource {
  /** Whether the value is an ApiKeySet, also one of another copy of this package. */
  static override isInstance(value: unknown): value is ApiKeySet {
    return isOfKind(value, "ApiKeySet");
  }

  /** The ids of the keys by alias. */
  declare readonly ids: pulumi.Output<Readonly<Record<string, string>>>;
  /** The masked forms of the secrets by alias, as far as the service returns them. */
  declare readonly maskedKeys: pulumi.Output<Readonly<Record<string, string>>>;
  /** The secrets by alias: the values that clients send. Always a Pulumi secret. */
  declare readonly secrets: pulumi.Output<Readonly<Record<string, string>>>;

  declare readonly workspaceId: pulumi.Output<string>;
  /** The declared entries in canonical form, without `existingKey`. */
  declare readonly keys: pulumi.Output<Readonly<Record<string, DeclaredKey>>>;
  declare readonly defaults: pulumi.Output<Omit<DeclaredKey, "renamedFrom"> | undefined>;

  /** The resource's name, for messages. Not an output. */
  readonly #name: string;

  /**
   * @param name The resource's name, unique within the stack.
   * @param args The workspace, its keys, and the defaults of all keys.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, migrate the keys with `existingKey`;
   *   or, without their values, import them as a new set with `pulumi import --file`.
   */
  constructor(name: string, args: ApiKeySetArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      ...registration(
        "ApiKeySet",
        name,
        { ...args, keys: withSecrets(args.keys) },
        { properties, insteadOfImport, secretInputs: ["keys.*.existingKey"] },
        opts,
      ),
    );
    this.#name = name;
  }

  /**
   * The secret of one key, always a Pulumi secret. It is unknown in a preview in which the set changes; with the plugin,
   * only where the key itself is new or replaced. It fails for an alias that the set does not have (in the preview
   * already, if `keys` is known), and for an adopted or imported key, which has no
   * secret in state.
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
 */
export function secretOf(name: string, alias: string, secrets: Strings, ids: Strings): string {
  const secret = secrets !== undefined && Object.hasOwn(secrets, alias) ? secrets[alias] : undefined;
  if (secret !== undefined || (secrets === undefined && ids === undefined)) return secret as string;
  if (ids === undefined || !Object.hasOwn(ids, alias)) throw noKey(name, alias);
  throw new pulumi.RunError(
    `ApiKeySet "${name}" has the key "${alias}", but not its secret, because the key was adopted or imported without it. Change keepers in its entry to create a new key.`,
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
  return Object.fromEntries(Object.entries(keys).map(([alias, entry]) => [alias, withSecret(entry)]));
}

function withSecret(entry: pulumi.Input<ApiKeySetEntry>): pulumi.Input<ApiKeySetEntry> {
  if (!isPlain(entry)) return entry;
  const { existingKey } = entry as ApiKeySetEntry;
  if (existingKey === undefined || existingKey === null) return entry;
  return { ...(entry as ApiKeySetEntry), existingKey: pulumi.secret(existingKey) };
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
