import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/apiKey/properties";
import { isOfKind, type PropertiesOf, registration } from "./resource";

/** The permissions that a key has on one scope (interface, section 2). A flag that is left out is false. */
export interface KeyScopeArgs {
  /** The representation of the scope, unique within a key's scopes. */
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

/** A scope in a key's outputs: only the permissions that are granted. */
export interface KeyScope {
  readonly representation: string;
  readonly create?: boolean;
  readonly read?: boolean;
  readonly update?: boolean;
  readonly del?: boolean;
}

/** The inputs of an {@link ApiKey} (interface, sections 4.1, 4.4 and 4.5). */
export interface ApiKeyArgs {
  /** The id of the workspace that the key belongs to. Changing it replaces the key. */
  readonly workspaceId: pulumi.Input<string>;
  /** The id of the customer that the key is for. Changing it replaces the key. */
  readonly customerId: pulumi.Input<string>;
  /** The key's name. Default: the resource's name. Changing it updates the key in place. */
  readonly name?: pulumi.Input<string | undefined>;
  /**
   * What the key may do. The scopes are a set: their order makes no difference, and an entry without any permission is
   * the same as no entry. Default: none. Changing them updates the key in place. If the service leaves a permission
   * wider than declared, the update fails.
   */
  readonly scopes?: pulumi.Input<readonly pulumi.Input<KeyScopeArgs>[] | undefined>;
  /** Whether the key works. Default: true. Changing it updates the key in place. */
  readonly enabled?: pulumi.Input<boolean | undefined>;
  /**
   * The start of the secret. Changing it replaces the key. `effectivePrefix` is the prefix that the service actually
   * set.
   */
  readonly prefix?: pulumi.Input<string | undefined>;
  /**
   * When the key expires: a whole number above 0, in the service's own unit, which the interface does not state.
   * Default: set by the service. Changing it replaces the key. `effectiveExpiresAt` is the expiry that the service
   * actually set.
   */
  readonly expiresAt?: pulumi.Input<number | undefined>;
  /**
   * The id of a meter outside the service. The service never returns it, so a refresh can't see changes made outside
   * Pulumi. Changing it replaces the key.
   */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * Any JSON object, which the service keeps with the key. The service never returns it, so a refresh can't see changes
   * made outside Pulumi. Changing it replaces the key.
   */
  readonly metadata?: pulumi.Input<Record<string, unknown> | undefined>;
  /**
   * The value of an existing key to migrate, instead of creating a new key. Always a secret. Can't be combined with
   * `prefix`, `expiresAt` or `externalMeterId`, because the service migrates a key without them. A new value replaces
   * the key. Removing `existingKey` later changes nothing.
   */
  readonly existingKey?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing key to adopt, instead of creating a new key: the key is read, and its `name`, `scopes` and
   * `enabled` are changed to what is declared. `scopes` must be declared beside it. Destroying the resource then deletes
   * the key, as any other. An adopted key has no `key`, because the service shows the secret only once. Can't be combined
   * with `existingKey`, `prefix`, `expiresAt`, `externalMeterId` or `metadata`. Another id replaces: that key is adopted,
   * and the old one deleted. Removing `existingId` later changes nothing. A change of `keepers` replaces the adopted key
   * by a new one, with its secret.
   */
  readonly existingId?: pulumi.Input<string | undefined>;
  /** Arbitrary strings, never sent to the service. Changing one replaces the key, for example to rotate it by date. */
  readonly keepers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
}

/** What {@link ApiKey.get} needs in addition to the key's id. */
export interface ApiKeyState {
  /** The id of the workspace that the key belongs to. */
  readonly workspaceId: pulumi.Input<string>;
}

/**
 * A key that {@link ApiKey.get} has read: an {@link ApiKey} without its secret, which the service shows only when the
 * key is created.
 */
export type ExistingApiKey = pulumi.CustomResource & Omit<ApiKey, "key">;

const insteadOfImport = "Use `pulumi import --file` instead; docs/api-key.md shows the file.";

const properties: PropertiesOf<Shape> = {
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
};

/**
 * An API key of a workspace.
 *
 * Changing `name`, `scopes` or `enabled` updates the key in place. Every other change creates a new key, then deletes
 * the old one. Destroying the resource deletes the key. The service shows the secret, `key`, only once; from then on it
 * is kept in state, encrypted.
 *
 * ```ts
 * const ci = new ApiKey("ci", {
 *   workspaceId: "ws_main",
 *   customerId: "cus_1",
 *   scopes: [{ representation: "orders", read: true }],
 * });
 * export const secret = ci.key;
 * ```
 */
export class ApiKey extends pulumi.CustomResource {
  /** Whether the value is an ApiKey, also one of another copy of this package. */
  static override isInstance(value: unknown): value is ApiKey {
    return isOfKind(value, "ApiKey");
  }

  /**
   * The secret: the value that a client sends. Always a Pulumi secret. A key that was adopted or imported by its id has
   * no secret in state, because the service shows it only once.
   *
   * @remarks
   * An update of a program that uses the missing secret of an adopted or imported key fails, and says what to do.
   */
  declare readonly key: pulumi.Output<string>;
  /** The masked form of the secret. Absent if the service does not return one. */
  declare readonly maskedKey: pulumi.Output<string | undefined>;
  /** When the key was created, in the service's own format. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the key was last changed, as of this stack's last write, in the service's own format. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** The id of the billing record that the service links to the key, as of this stack's last write. */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** The prefix that the service actually set. */
  declare readonly effectivePrefix: pulumi.Output<string | undefined>;
  /** The expiry that the service actually set, in the service's own unit. */
  declare readonly effectiveExpiresAt: pulumi.Output<number | undefined>;

  declare readonly workspaceId: pulumi.Output<string>;
  declare readonly customerId: pulumi.Output<string>;
  declare readonly name: pulumi.Output<string>;
  /** The scopes in canonical form: sorted by representation, granted permissions only. */
  declare readonly scopes: pulumi.Output<KeyScope[]>;
  declare readonly enabled: pulumi.Output<boolean>;
  declare readonly prefix: pulumi.Output<string | undefined>;
  declare readonly expiresAt: pulumi.Output<number | undefined>;
  declare readonly externalMeterId: pulumi.Output<string | undefined>;
  declare readonly metadata: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly existingKey: pulumi.Output<string | undefined>;
  declare readonly existingId: pulumi.Output<string | undefined>;
  declare readonly keepers: pulumi.Output<Record<string, string> | undefined>;

  /**
   * @param name The resource's name, unique within the stack. Also the key's name, unless you set `args.name`.
   * @param args The key's inputs.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, use `pulumi import --file`.
   */
  constructor(name: string, args: ApiKeyArgs, opts: pulumi.CustomResourceOptions = {}) {
    const { existingKey } = args;
    super(
      ...registration(
        "ApiKey",
        name,
        opts.id === undefined
          ? {
              ...args,
              existingKey: existingKey === undefined ? undefined : pulumi.secret(existingKey),
            }
          : args,
        { properties, insteadOfImport },
        opts,
      ),
    );
    const key = opts.id === undefined ? secretIn("ApiKey", this, name) : noSecretIn(name);
    Object.defineProperty(this, "key", key);
  }

  /**
   * Reads a key that this stack does not manage, without its secret. The key is read at each preview and update.
   * Destroy leaves it alone. If the key does not exist, reading it fails.
   *
   * @param name The resource's name in this stack.
   * @param id The key's id in the service.
   * @param state The workspace that the key belongs to.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: ApiKeyState,
    opts: pulumi.CustomResourceOptions = {},
  ): ExistingApiKey {
    return new ApiKey(name, { ...state, __reading: true } as unknown as ApiKeyArgs, { ...opts, id });
  }
}

/** The property `key` of a resource that may have been imported. */
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

/** The secret. Fails if state has none; otherwise the program would continue with the string "undefined". */
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
      `${kind} "${name}": state does not have its secret, because the key was adopted or imported, and the service shows a secret only once, when it creates the key. Use the value from where it is kept today, not the output key; or change keepers, which creates a new key with its secret.`,
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
