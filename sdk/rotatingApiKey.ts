import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/rotatingApiKey/properties";
import { type KeyScope, type KeyScopeArgs, secretIn } from "./apiKey";
import { isOfKind, type PropertiesOf, registration } from "./resource";

/** The inputs of a {@link RotatingApiKey} (interface, sections 4.1, 4.4 and 4.5). */
export interface RotatingApiKeyArgs {
  /** The id of the workspace that the keys belong to. Changing it replaces the resource and its keys. */
  readonly workspaceId: pulumi.Input<string>;
  /** The id of the customer that the keys are for. Changing it rotates now. */
  readonly customerId: pulumi.Input<string>;
  /** The keys' name. Default: the resource's name. Changing it updates both keys in place. */
  readonly name?: pulumi.Input<string | undefined>;
  /**
   * What the keys may do. The scopes are a set: their order makes no difference, and an entry without any permission is
   * the same as no entry. Default: none. Changing them updates both keys in place. If the service leaves a permission
   * wider than declared, the update fails.
   */
  readonly scopes?: pulumi.Input<readonly pulumi.Input<KeyScopeArgs>[] | undefined>;
  /** Whether the keys work. Default: true. Changing it updates both keys in place. */
  readonly enabled?: pulumi.Input<boolean | undefined>;
  /** The start of the secret. Changing it rotates now. */
  readonly prefix?: pulumi.Input<string | undefined>;
  /**
   * When the key expires: a whole number above 0, in the service's own unit, which the interface does not state.
   * Default: set by the service. Changing it rotates now.
   */
  readonly expiresAt?: pulumi.Input<number | undefined>;
  /** The id of a meter outside the service, which never returns it. Changing it rotates now. */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /** Any JSON object, which the service keeps with the key and never returns. Changing it rotates now. */
  readonly metadata?: pulumi.Input<Record<string, unknown> | undefined>;
  /**
   * The value of an existing key to migrate as the first key, instead of creating it. Always a secret. Can't be combined
   * with `prefix`, `expiresAt` or `externalMeterId`. A new value replaces the resource and its keys. Removing
   * `existingKey` later changes nothing.
   */
  readonly existingKey?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing key to adopt as the first key, instead of creating it: the key is read, and its `name`, `scopes`
   * and `enabled` are changed to what is declared. `scopes` must be declared beside it. Destroying the resource then
   * deletes the key, as any other. It has no `key` until it is rotated, because the service shows the secret only once.
   * Can't be combined with `existingKey`, `prefix`, `expiresAt`, `externalMeterId` or `metadata`. Another id replaces the
   * resource and its keys. Removing `existingId` later changes nothing.
   */
  readonly existingId?: pulumi.Input<string | undefined>;
  /** Arbitrary strings, never sent to the service. Changing one rotates now. */
  readonly keepers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
  /**
   * How old the key may get: a whole number of hours, days or weeks, such as "36h", "90d" or "12w". The first update
   * after that creates a new key.
   */
  readonly rotateEvery: pulumi.Input<string>;
  /**
   * How long the previous key stays valid after a rotation, in the same form; shorter than `rotateEvery`. The first
   * update after that deletes it. With "0d" that is the next update. Default: "7d".
   */
  readonly overlap?: pulumi.Input<string | undefined>;
  /**
   * When the previous key is deleted: with "afterOverlap", once the overlap is over. With "whenUnused", once a whole
   * overlap has passed in which the service's `lastUsedAt` of that key did not change. Default: "afterOverlap".
   */
  readonly retire?: pulumi.Input<"afterOverlap" | "whenUnused" | undefined>;
}

const insteadOfImport =
  "Declare the existing key with existingId, which adopts it, or with existingKey, which migrates it; or use `pulumi import --file` (see docs/rotating-api-key.md).";

const properties: PropertiesOf<Shape> = {
  key: "secret",
  keyId: "plain",
  previousKey: "secret",
  previousKeyId: "plain",
  rotatedAt: "plain",
  rotatesAt: "plain",
  retiresAt: "plain",
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
  rotateEvery: "plain",
  overlap: "plain",
  retire: "plain",
};

/**
 * An API key that is rotated without an interruption. The first update after `rotateEvery` creates a new key, and the
 * previous one stays valid for the `overlap`; the first update after that deletes it. Pulumi has to run for both: nothing
 * happens by itself. Destroying the resource deletes both keys.
 *
 * ```ts
 * const ci = new RotatingApiKey("ci", {
 *   workspaceId: "ws_main",
 *   customerId: "cus_1",
 *   scopes: [{ representation: "orders", read: true }],
 *   rotateEvery: "90d",
 *   overlap: "7d",
 * });
 * export const secret = ci.key;
 * ```
 */
export class RotatingApiKey extends pulumi.CustomResource {
  /** Whether the value is a RotatingApiKey, also one of another copy of this package. */
  static override isInstance(value: unknown): value is RotatingApiKey {
    return isOfKind(value, "RotatingApiKey");
  }

  /**
   * The secret of the current key: the value that a client sends. Always a Pulumi secret. A key that was adopted or
   * imported by its id has no secret in state until it is rotated, because the service shows it only once.
   *
   * @remarks
   * An update of a program that uses the missing secret of such a key fails, and says what to do.
   */
  declare readonly key: pulumi.Output<string>;
  /** The id of the current key. */
  declare readonly keyId: pulumi.Output<string>;
  /** The secret of the previous key, while that is still valid. Always a Pulumi secret. */
  declare readonly previousKey: pulumi.Output<string | undefined>;
  /** The id of the previous key, while that is still valid. */
  declare readonly previousKeyId: pulumi.Output<string | undefined>;
  /** When the current key was created, by the clock of the machine that Pulumi ran on: ISO 8601, in UTC. */
  declare readonly rotatedAt: pulumi.Output<string>;
  /** From when on an update rotates the key: ISO 8601, in UTC. */
  declare readonly rotatesAt: pulumi.Output<string>;
  /** From when on an update deletes the previous key: ISO 8601, in UTC. Absent if there is none. */
  declare readonly retiresAt: pulumi.Output<string | undefined>;
  /** The masked form of the secret. Absent if the service does not return one. */
  declare readonly maskedKey: pulumi.Output<string | undefined>;
  /** When the current key was created, in the service's own format. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the current key was last changed, as of this stack's last write, in the service's own format. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** The id of the billing record that the service links to the current key, as of this stack's last write. */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** The prefix that the service actually set. */
  declare readonly effectivePrefix: pulumi.Output<string | undefined>;
  /** The expiry of the current key that the service actually set, in the service's own unit. */
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
  /** In days where it is whole days, otherwise in hours. */
  declare readonly rotateEvery: pulumi.Output<string>;
  /** In days where it is whole days, otherwise in hours. */
  declare readonly overlap: pulumi.Output<string>;
  declare readonly retire: pulumi.Output<string>;

  /**
   * @param name The resource's name, unique within the stack. Also the keys' name, unless you set `args.name`.
   * @param args The key's inputs, and when it is rotated.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, use `pulumi import --file`.
   */
  constructor(name: string, args: RotatingApiKeyArgs, opts: pulumi.CustomResourceOptions = {}) {
    const { existingKey } = args;
    super(
      ...registration(
        "RotatingApiKey",
        name,
        { ...args, existingKey: existingKey === undefined ? undefined : pulumi.secret(existingKey) },
        { properties, insteadOfImport },
        opts,
      ),
    );
    Object.defineProperty(this, "key", secretIn("RotatingApiKey", this, name));
  }
}
