import * as pulumi from "@pulumi/pulumi";
import { registration } from "./resource";

/** What a key may do with what one scope stands for (interface, section 2). A flag left out is false. */
export interface KeyScopeArgs {
  /** The representation of the scope, unique within a key's scopes. */
  readonly representation: pulumi.Input<string>;
  /** May create. Default: false. */
  readonly create?: pulumi.Input<boolean | undefined>;
  /** May read. Default: false. */
  readonly read?: pulumi.Input<boolean | undefined>;
  /** May update. Default: false. */
  readonly update?: pulumi.Input<boolean | undefined>;
  /** May delete. Default: false. */
  readonly del?: pulumi.Input<boolean | undefined>;
}

/** A scope as a key's outputs hold it: only the permissions that are granted. */
export interface KeyScope {
  readonly representation: string;
  readonly create?: boolean;
  readonly read?: boolean;
  readonly update?: boolean;
  readonly del?: boolean;
}

/** What an {@link ApiKey} is declared with (interface, sections 4.1, 4.4 and 4.5). */
export interface ApiKeyArgs {
  /** The id of the workspace that the key belongs to. A change replaces the key. */
  readonly workspaceId: pulumi.Input<string>;
  /** The id of the customer that the key is for. A change replaces the key. */
  readonly customerId: pulumi.Input<string>;
  /** The key's name. Default: the resource's name. Changes in place. */
  readonly name?: pulumi.Input<string | undefined>;
  /**
   * What the key may do: a set by representation, so order makes no difference, and an entry without any permission
   * is the same as none. Default: none. Changes in place; a permission is never left wider than declared without an
   * error.
   */
  readonly scopes?: pulumi.Input<readonly pulumi.Input<KeyScopeArgs>[] | undefined>;
  /** Whether the key works. Default: true. Changes in place. */
  readonly enabled?: pulumi.Input<boolean | undefined>;
  /** The start of the secret. What the service made of it is `effectivePrefix`. A change replaces the key. */
  readonly prefix?: pulumi.Input<string | undefined>;
  /**
   * When the key expires: a whole number above 0, in the service's own unit, which the interface does not state.
   * Default: the service's. What the service made of it is `effectiveExpiresAt`. A change replaces the key.
   */
  readonly expiresAt?: pulumi.Input<number | undefined>;
  /**
   * The id of a meter outside the service. The service never returns it, so a change made elsewhere can't be seen. A
   * change replaces the key.
   */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * Any JSON object, kept by the service with the key. The service never returns it, so a change made elsewhere can't
   * be seen. A change replaces the key.
   */
  readonly metadata?: pulumi.Input<Record<string, unknown> | undefined>;
  /**
   * The value of a key that exists already, to be taken over instead of making a new one; kept as a secret. Not
   * beside `prefix`, `expiresAt` or `externalMeterId`, which the service's call for this does not have. A new value
   * replaces the key; leaving it out later changes nothing.
   */
  readonly existingKey?: pulumi.Input<string | undefined>;
  /** Texts of your own: a change replaces the key, and nothing else. For rotation by date, for example. */
  readonly keepers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
}

/** What {@link ApiKey.get} has to know besides the key's id. */
export interface ApiKeyState {
  /** The id of the workspace that the key belongs to. */
  readonly workspaceId: pulumi.Input<string>;
}

const computed = [
  "key",
  "maskedKey",
  "createdAt",
  "updatedAt",
  "billingId",
  "effectivePrefix",
  "effectiveExpiresAt",
] as const;

const declared = [
  "workspaceId",
  "customerId",
  "name",
  "scopes",
  "enabled",
  "prefix",
  "expiresAt",
  "externalMeterId",
  "metadata",
  "existingKey",
  "keepers",
] as const satisfies readonly (keyof ApiKeyArgs)[];

/**
 * An API key of a workspace.
 *
 * `name`, `scopes` and `enabled` change in place; every other change makes a new key, then deletes the old one.
 * Destroying the resource deletes the key. Its secret, `key`, is shown by the service once and kept in state from then
 * on, encrypted.
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
  /**
   * The secret: the value a client sends. Absent for a key that was imported or is read by {@link ApiKey.get}, since the
   * service shows it once. Always a Pulumi secret.
   */
  declare readonly key: pulumi.Output<string>;
  /** The masked form of the secret. Absent if the service does not give one. */
  declare readonly maskedKey: pulumi.Output<string | undefined>;
  /** When the key was created, in the service's own format. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the key was last changed as of this stack's last write, in the service's own format. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** The id of the billing record that the service connects with the key, as of the last write. */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** The prefix that the service chose or made of `prefix`. */
  declare readonly effectivePrefix: pulumi.Output<string | undefined>;
  /** The expiry that the service chose or made of `expiresAt`, in its own unit. */
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
  declare readonly keepers: pulumi.Output<Record<string, string> | undefined>;

  /**
   * @param name The resource's name, unique within the stack; also the key's name unless `args.name` says otherwise.
   * @param args What the key is to be.
   * @param opts Pulumi's resource options. `import` is refused: use `pulumi import --file`.
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
              name: args.name ?? name,
              existingKey: existingKey === undefined ? undefined : pulumi.secret(existingKey),
            }
          : args,
        { outputs: [...computed, ...declared], secrets: ["key", "existingKey"] },
        opts,
      ),
    );
  }

  /**
   * Reads a key that this stack does not manage, without its secret. It is read at each preview and up; destroy leaves
   * it alone. A key that does not exist is an error.
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
  ): ApiKey {
    return new ApiKey(name, { ...state, __reading: true } as unknown as ApiKeyArgs, { ...opts, id });
  }
}
