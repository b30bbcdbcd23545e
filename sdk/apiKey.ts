import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/apiKey/model";
import { type Facts, isOfKind, optionsOfGet, registration, settleAbsent } from "./resource";

/** The permissions of a key on one scope. A permission that is left out is false. */
export interface KeyScopeArgs {
  /** The representation of the scope. Listing the same one twice fails the preview. */
  readonly representation: pulumi.Input<string>;
  /** Whether the key may create. Default: false. */
  readonly create?: pulumi.Input<boolean | undefined>;
  /** Whether the key may read. Default: false. */
  readonly read?: pulumi.Input<boolean | undefined>;
  /** Whether the key may update. Default: false. */
  readonly update?: pulumi.Input<boolean | undefined>;
  /** Whether the key may delete. Default: false. */
  readonly del?: pulumi.Input<boolean | undefined>;
}

/** The permissions of a key on one scope, in outputs. Only granted permissions are present. */
export interface KeyScope {
  /** The representation of the scope. */
  readonly representation: string;
  /** True if the key may create; otherwise absent. */
  readonly create?: boolean;
  /** True if the key may read; otherwise absent. */
  readonly read?: boolean;
  /** True if the key may update; otherwise absent. */
  readonly update?: boolean;
  /** True if the key may delete; otherwise absent. */
  readonly del?: boolean;
}

/**
 * The inputs of an {@link ApiKey}.
 *
 * @see docs/api-key.md
 */
export interface ApiKeyArgs {
  /** The id of the workspace that the key belongs to. Changing it replaces the key. */
  readonly workspaceId: pulumi.Input<string>;
  /** The id of the customer that the key is for. Changing it replaces the key. */
  readonly customerId: pulumi.Input<string>;
  /** The key's name. Default: the resource's name. Changing it updates the key in place. */
  readonly name?: pulumi.Input<string | undefined>;
  /**
   * The key's permissions. The scopes are a set: their order makes no difference, and an entry without any permission
   * is the same as no entry. Default: none. Changing them updates the key in place. If the service leaves the key more
   * permissions than the program gives it, the update fails.
   */
  readonly scopes?: pulumi.Input<readonly pulumi.Input<KeyScopeArgs>[] | undefined>;
  /** Whether the key works. Default: true. Changing it updates the key in place. */
  readonly enabled?: pulumi.Input<boolean | undefined>;
  /**
   * The start of the secret. Default: set by the service. Changing it replaces the key. `effectivePrefix` is the prefix
   * that the service actually set.
   */
  readonly prefix?: pulumi.Input<string | undefined>;
  /**
   * When the key expires: a whole number above 0, in the service's own unit. Default: set by the service. Changing it
   * replaces the key. `effectiveExpiresAt` is the expiry that the service actually set.
   */
  readonly expiresAt?: pulumi.Input<number | undefined>;
  /**
   * The id of a meter outside the service. Default: none. Changing it replaces the key. The service never returns it,
   * so a refresh can't see changes made outside Pulumi.
   */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * Any JSON object, at most 64 levels deep, which the service keeps with the key. Default: none. Changing it replaces
   * the key. The service never returns it, so a refresh can't see changes made outside Pulumi.
   */
  // biome-ignore lint/suspicious/noExplicitAny: with unknown, a value whose type is an interface would be refused.
  readonly metadata?: pulumi.Input<Record<string, any> | undefined>;
  /**
   * The value of an existing key to migrate, instead of creating a key. Always a secret. Can't be combined with
   * `prefix`, `expiresAt` or `externalMeterId`. Default: none. A new value replaces the key. While the value stays the
   * same, changing `workspaceId`, `customerId`, `metadata` or `keepers` fails the preview, because the service can't
   * have one value twice. An empty string, as from an unset variable, fails the preview too. Removing `existingKey`
   * later changes nothing. Destroy deletes a migrated key.
   */
  readonly existingKey?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing key to adopt, instead of creating a key. The update changes the key's `name`, `scopes` and
   * `enabled` to match the program, and the preview can't show these changes. `scopes` must be set too. Can't be
   * combined with `existingKey`, `prefix`, `expiresAt`, `externalMeterId` or `metadata`. Default: none. An adopted key
   * has no `key`, because the service shows a secret only once. Another id adopts that key, and deletes the old one.
   * In an update that adds `existingId` or leaves it as it is, a change that needs a new key, such as one of `keepers`,
   * fails the preview. Removing `existingId` changes nothing; removing it and changing `keepers` in one update creates a
   * new key, which has a `key`, and deletes the adopted one. Destroy deletes an adopted key.
   */
  readonly existingId?: pulumi.Input<string | undefined>;
  /**
   * Arbitrary strings, never sent to the service. Default: none. Changing one replaces the key: for example, to rotate
   * it by date.
   */
  readonly keepers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
}

/** The properties that {@link ApiKey.get} needs to read a key, in addition to the key's id. */
export interface ApiKeyState {
  /** The id of the workspace that the key belongs to. */
  readonly workspaceId: pulumi.Input<string>;
}

/** The result of {@link ApiKey.get}: an {@link ApiKey} without `key`, because the service shows a secret only once. */
export type UnmanagedApiKey = pulumi.CustomResource & Omit<ApiKey, "key">;

/** @internal */
export const keyFacts: Facts<Shape> = {
  kind: "ApiKey",
  insteadOfImport: "Use `pulumi import --file` instead; docs/api-key.md shows the file.",
  properties: {
    key: "secret",
    maskedKey: "plain",
    createdAt: "plain",
    updatedAt: "plain",
    billingId: "plain",
    effectivePrefix: "plain",
    effectiveExpiresAt: "plain",
    workspaceId: "plain",
    customerId: "plain",
    name: "plain",
    scopes: "plain",
    enabled: "plain",
    prefix: "plain",
    expiresAt: "plain",
    externalMeterId: "plain",
    metadata: "plain",
    existingKey: "secret",
    existingId: "plain",
    keepers: "plain",
  },
};

/**
 * An API key of a workspace.
 *
 * Changing `name`, `scopes` or `enabled` updates the key in place. Any other change replaces the key: it creates a new
 * key, then deletes the old one. Destroy deletes the key. The service shows the secret, `key`, only once; from then on
 * state has it, encrypted.
 *
 * @example
 * ```ts
 * import { ApiKey } from "pulumi-apikeys";
 *
 * const ci = new ApiKey("ci", {
 *   workspaceId: "ws_main",
 *   customerId: "cus_1",
 *   scopes: [{ representation: "orders", read: true }],
 * });
 * export const secret = ci.key;
 * ```
 *
 * @see docs/api-key.md
 */
export class ApiKey extends pulumi.CustomResource {
  /** Returns true if the value is an ApiKey, even one of another copy of this package. */
  static override isInstance(value: unknown): value is ApiKey {
    return isOfKind(value, keyFacts.kind);
  }

  /**
   * The secret: the value that a client sends. Always a Pulumi secret. State has no secret for a key that was adopted,
   * or imported by its id, because the service shows a secret only once.
   *
   * @remarks
   * If the program uses `key` and state has no secret, the update fails and says what to do.
   */
  declare readonly key: pulumi.Output<string>;
  /** The masked form of the secret. Absent if the service does not return it. */
  declare readonly maskedKey: pulumi.Output<string | undefined>;
  /** When the key was created, in the service's own format. Absent if the service does not return it. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /**
   * When the key was last changed, as of this stack's last write, in the service's own format. Absent if the service
   * does not return it.
   */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /**
   * The id of the billing record that the service links to the key, as of the create or the last refresh. Absent if
   * there is none.
   */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** The prefix that the service actually set, as of the create or the last refresh. Absent if there is none. */
  declare readonly effectivePrefix: pulumi.Output<string | undefined>;
  /**
   * The expiry that the service actually set, in the service's own unit, as of the create or the last refresh. Absent if
   * there is none.
   */
  declare readonly effectiveExpiresAt: pulumi.Output<number | undefined>;

  /** The id of the workspace that the key belongs to. */
  declare readonly workspaceId: pulumi.Output<string>;
  /** The id of the customer that the key is for. */
  declare readonly customerId: pulumi.Output<string>;
  /** The key's name. */
  declare readonly name: pulumi.Output<string>;
  /** The key's permissions, sorted by representation. Only granted permissions are present. */
  declare readonly scopes: pulumi.Output<KeyScope[]>;
  /** Whether the key works. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The start of the secret, if the program sets it. */
  declare readonly prefix: pulumi.Output<string | undefined>;
  /** When the key expires, if the program sets it, in the service's own unit. */
  declare readonly expiresAt: pulumi.Output<number | undefined>;
  /** The id of a meter outside the service. */
  declare readonly externalMeterId: pulumi.Output<string | undefined>;
  /** The JSON object that the service keeps with the key. */
  declare readonly metadata: pulumi.Output<Record<string, unknown> | undefined>;
  /** The value of the migrated key. Always a Pulumi secret. */
  declare readonly existingKey: pulumi.Output<string | undefined>;
  /** The id of the adopted key. */
  declare readonly existingId: pulumi.Output<string | undefined>;
  /** Arbitrary strings, never sent to the service. */
  declare readonly keepers: pulumi.Output<Record<string, string> | undefined>;

  /**
   * Creates an API key, or takes an existing one with `existingKey` or `existingId`. Changing `name`, `scopes` or
   * `enabled` updates the key in place; any other change replaces it. Destroy deletes the key.
   *
   * @param name The resource's name, unique within the stack. Also the key's name, unless you set `args.name`.
   * @param args The key's inputs.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, use `pulumi import --file`.
   * @see docs/api-key.md
   */
  constructor(name: string, args: ApiKeyArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(keyFacts, name, withSecret(args), opts));
    const key = opts.id === undefined ? secretIn("ApiKey", this, name) : noSecretIn(name);
    Object.defineProperty(this, "key", key);
    settleAbsent(this, keyFacts, args);
  }

  /**
   * Reads a key that this stack does not manage, at each preview and update. The result has no `key`. If the key does
   * not exist, reading it fails. Destroy leaves the key in the service.
   *
   * @param name The resource's name, unique within the stack.
   * @param id The key's id in the service.
   * @param state The workspace that the key belongs to.
   * @param opts Pulumi's resource options.
   * @example
   * ```ts
   * import { ApiKey } from "pulumi-apikeys";
   *
   * const theirs = ApiKey.get("theirs", "key_theirs", { workspaceId: "ws_main" });
   * export const isEnabled = theirs.enabled;
   * ```
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: ApiKeyState,
    opts: pulumi.CustomResourceOptions = {},
  ): UnmanagedApiKey {
    return new ApiKey(name, state as ApiKeyArgs, optionsOfGet(id, state.workspaceId, opts));
  }
}

/** @internal The inputs with existingKey as a secret. */
export function withSecret<Args extends { readonly existingKey?: pulumi.Input<string | undefined> | null }>(
  args: Args,
): Args {
  const { existingKey } = args;
  if (existingKey === undefined || existingKey === null) return args;
  return { ...args, existingKey: pulumi.secret(existingKey) };
}

/** @internal The property `key` of a resource that may have been imported. */
export function secretIn(
  kind: string,
  { key, id }: Pick<ApiKey, "key" | "id">,
  name: string,
): PropertyDescriptor {
  // Unit tests with mocks have no stack, and their mocks may give no secret.
  if (pulumi.runtime.getStackResource() === undefined) return {};
  let secret: pulumi.Output<string> | undefined;
  const get = () => {
    // Only when the program uses it: otherwise an imported key would fail programs that never use its secret.
    secret ??= secretOf(kind, name, key, id);
    return secret;
  };
  return { get, enumerable: true };
}

/** @internal The secret. Fails if state has none; otherwise the program would continue with the string "undefined". */
export function secretOf(
  kind: string,
  name: string,
  held: pulumi.Output<string | undefined>,
  id: pulumi.Output<pulumi.ID>,
): pulumi.Output<string> {
  // For a key that is not created yet and that a targeted run skips, Pulumi before 3.256.0 reports the missing secret
  // as known, but the missing id as unknown. So the id is waited for too.
  return pulumi.all([held, id]).apply(([value]) => {
    if (value !== undefined) return value;
    throw new pulumi.RunError(
      `${kind} "${name}": state does not have its secret, because the key was adopted or imported, and the service shows a secret only once. Use the value from where it is kept today; or leave existingId out and change keepers, which creates a new key with its secret.`,
    );
  });
}

/** Not enumerable, so that a program can export the whole resource. */
function noSecretIn(name: string): PropertyDescriptor {
  const get = () => {
    throw new pulumi.RunError(
      `ApiKey "${name}": ApiKey.get reads no secret, because the service shows it only once, when it creates the key. Use the value from where it is kept today, or a stack reference to the stack that created the key.`,
    );
  };
  return { get, enumerable: false };
}
