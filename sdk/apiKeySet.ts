import * as pulumi from "@pulumi/pulumi";
import type { ApiKeyArgs, KeyScope } from "./apiKey";
import { registration } from "./resource";

/** What stands under every entry of an {@link ApiKeySet}: a field that an entry leaves out is taken from here. */
export type ApiKeySetDefaults = {
  readonly [Name in Exclude<keyof ApiKeyArgs, "workspaceId" | "existingKey">]?: ApiKeyArgs[Name] | undefined;
};

/**
 * One key of an {@link ApiKeySet}: what an {@link ApiKeyArgs} has, but for the workspace. A field that is left out is
 * taken from `defaults`, whole; null takes the default away. `name`'s last default is the alias. `customerId` must be
 * here or in `defaults`.
 */
export type ApiKeySetEntry = {
  readonly [Name in Exclude<keyof ApiKeyArgs, "workspaceId">]?: ApiKeyArgs[Name] | null | undefined;
} & {
  /**
   * The alias that the key had until now: the key then stays, and only stands under another alias. Without it another
   * alias is another key. Means nothing once done, and may then be left out. Default: none.
   */
  readonly renamedFrom?: pulumi.Input<string | undefined> | null;
};

/** What an {@link ApiKeySet} is declared with (interface, sections 4.1, 4.4 and 4.5). */
export interface ApiKeySetArgs {
  /** The id of the workspace that the keys belong to. A change replaces the set, and with it every key. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The keys by alias: a name of your own, that is not empty and does not begin with "__". An entry may be added,
   * changed or left out at any time: its key is made, changed in place, replaced or deleted, as an ApiKey is. Their
   * order makes no difference. An `existingKey` is kept as a secret.
   */
  readonly keys: pulumi.Input<Readonly<Record<string, pulumi.Input<ApiKeySetEntry>>>>;
  /** What stands under every entry, field by field. Default: nothing. */
  readonly defaults?: pulumi.Input<ApiKeySetDefaults | undefined>;
}

/** An entry as a set's outputs hold it, in canonical form; its `existingKey` stands among the secrets. */
export interface DeclaredKey {
  readonly customerId?: string | null;
  readonly name?: string | null;
  readonly scopes?: KeyScope[];
  readonly enabled?: boolean;
  readonly prefix?: string | null;
  readonly expiresAt?: number | null;
  readonly externalMeterId?: string | null;
  readonly metadata?: Record<string, unknown> | null;
  readonly keepers?: Record<string, string> | null;
  readonly renamedFrom?: string;
}

const outputs = ["workspaceId", "keys", "defaults", "ids", "maskedKeys", "secrets"] as const;

/**
 * Many API keys of one workspace as one resource, for hundreds or thousands of them: the engine's own cost grows with
 * the number of resources.
 *
 * Whatever uses an output of a set is shown as an update in each preview in which any key of the set changes, since
 * outputs of what changes are not known before: several smaller sets keep that apart. Within one update missing keys
 * are made, different ones edited in place or made anew, then what is to go is deleted. A key that fails stops no
 * other: the update then fails at its end, names the aliases, and the next one does the rest. Destroying the set deletes
 * its keys.
 *
 * ```ts
 * const customers = new ApiKeySet("customers", {
 *   workspaceId: "ws_main",
 *   defaults: { scopes: [{ representation: "orders", read: true }] },
 *   keys: { acme: { customerId: "cus_1" }, beta: { customerId: "cus_2", enabled: false } },
 * });
 * export const acme = customers.key("acme");
 * ```
 */
export class ApiKeySet extends pulumi.CustomResource {
  /** The ids of the keys by alias. */
  declare readonly ids: pulumi.Output<Readonly<Record<string, string>>>;
  /** The masked forms of the secrets by alias, of those keys that the service gives one for. */
  declare readonly maskedKeys: pulumi.Output<Readonly<Record<string, string>>>;
  /** The secrets, which are what clients send, by alias. Always a Pulumi secret. */
  declare readonly secrets: pulumi.Output<Readonly<Record<string, string>>>;

  declare readonly workspaceId: pulumi.Output<string>;
  /** The entries as declared, in canonical form; `existingKey` is left out. */
  declare readonly keys: pulumi.Output<Readonly<Record<string, DeclaredKey>>>;
  declare readonly defaults: pulumi.Output<Omit<DeclaredKey, "renamedFrom"> | undefined>;

  /** The resource's name, for messages; no output. */
  readonly #name: string;

  /**
   * @param name The resource's name, unique within the stack.
   * @param args The workspace, its keys, and what stands under all of them.
   * @param opts Pulumi's resource options. `import` is refused: declare the keys with `existingKey`; or, without their
   *   values, take them in as a new set with `pulumi import --file`.
   */
  constructor(name: string, args: ApiKeySetArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      ...registration(
        "ApiKeySet",
        name,
        { ...args, keys: withSecrets(args.keys) },
        { outputs, secrets: ["secrets"], secretInputs: ["keys.*.existingKey"] },
        opts,
      ),
    );
    this.#name = name;
  }

  /**
   * The secret of one key, always a Pulumi secret. Not known in a preview in which the set changes. An alias that the
   * set does not have is an error, of the preview already where `keys` is known; and so is that of an imported key, of
   * which no secret is known.
   */
  key(alias: string): pulumi.Output<string> {
    // What is declared is all that a preview knows of a set that is about to change.
    const secret = this.keys.apply((keys) => {
      if (isPlain(keys) && !Object.hasOwn(keys, alias)) throw noKey(this.#name, alias);
      return pulumi
        .all([this.secrets, this.ids])
        .apply(([secrets, ids]) => secretOf(this.#name, alias, secrets, ids));
    });
    return pulumi.secret(secret);
  }
}

type Texts = Readonly<Record<string, string>> | undefined;

/**
 * The secret of one key of the set of this name, or an error that says what is missing. A set that was imported has no
 * secrets until a refresh or an update. Mocks may give neither, and then there is none, as of an ApiKey.
 */
export function secretOf(name: string, alias: string, secrets: Texts, ids: Texts): string {
  const secret = secrets !== undefined && Object.hasOwn(secrets, alias) ? secrets[alias] : undefined;
  if (secret !== undefined || (secrets === undefined && ids === undefined)) return secret as string;
  if (ids === undefined || !Object.hasOwn(ids, alias)) throw noKey(name, alias);
  throw new pulumi.RunError(
    `ApiKeySet "${name}" has the key "${alias}", but not its secret: it was imported without. Another value of keepers in its entry makes a new key.`,
  );
}

function noKey(name: string, alias: string): pulumi.RunError {
  return new pulumi.RunError(`ApiKeySet "${name}" has no key "${alias}".`);
}

/** Marks each existingKey as far as it can be seen without waiting; the provider marks the others. */
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
