import * as pulumi from "@pulumi/pulumi";
import type { Shape } from "../provider/resources/rotatingApiKey/properties";
import { type KeyScope, type KeyScopeArgs, keyFacts, secretIn, withSecret } from "./apiKey";
import { type Facts, isOfKind, registration, settleAbsent } from "./resource";

/**
 * The inputs of a {@link RotatingApiKey}. A change that rotates now creates a new key in that update, and the current
 * key stays valid for the overlap. While there is a previous key in its overlap, such a change fails the update before
 * any request.
 *
 * @see docs/rotating-api-key.md
 */
export interface RotatingApiKeyArgs {
  /** The id of the workspace that the keys belong to. Changing it replaces the resource and its keys. */
  readonly workspaceId: pulumi.Input<string>;
  /** The id of the customer that the keys are for. Changing it rotates now. */
  readonly customerId: pulumi.Input<string>;
  /** The name of both keys. Default: the resource's name. Changing it updates both keys in place. */
  readonly name?: pulumi.Input<string | undefined>;
  /**
   * The permissions of both keys. The scopes are a set: their order makes no difference, and an entry without any
   * permission is the same as no entry. Default: none. Changing them updates both keys in place. If the service leaves
   * a key more permissions than the program gives it, the update fails.
   */
  readonly scopes?: pulumi.Input<readonly pulumi.Input<KeyScopeArgs>[] | undefined>;
  /** Whether both keys work. Default: true. Changing it updates both keys in place. */
  readonly enabled?: pulumi.Input<boolean | undefined>;
  /**
   * The start of the secret. Default: set by the service. Changing it rotates now. `effectivePrefix` is the prefix that
   * the service actually set.
   */
  readonly prefix?: pulumi.Input<string | undefined>;
  /**
   * When the key expires: a whole number above 0, in the service's own unit. Default: set by the service. Changing it
   * rotates now. `effectiveExpiresAt` is the expiry that the service actually set.
   */
  readonly expiresAt?: pulumi.Input<number | undefined>;
  /** The id of a meter outside the service, which never returns it. Default: none. Changing it rotates now. */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * Any JSON object, at most 64 levels deep, which the service keeps with the key and never returns. Default: none.
   * Changing it rotates now.
   */
  // biome-ignore lint/suspicious/noExplicitAny: with unknown, a value whose type is an interface would be refused.
  readonly metadata?: pulumi.Input<Record<string, any> | undefined>;
  /**
   * The value of an existing key to migrate as the first key, instead of creating one. Always a secret. Can't be
   * combined with `prefix`, `expiresAt` or `externalMeterId`. Default: none. A new value replaces the resource and its
   * keys. An empty string, as from an unset variable, fails the preview. Removing `existingKey` later changes nothing.
   * Destroy deletes a migrated key.
   */
  readonly existingKey?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing key to adopt as the first key, instead of creating one. The update changes the key's `name`,
   * `scopes` and `enabled` to match the program, and the preview can't show these changes. `scopes` must be set too.
   * Can't be combined with `existingKey`, `prefix`, `expiresAt`, `externalMeterId` or `metadata`. Default: none. There
   * is no `key` until the first rotation, because the service shows a secret only once. Another id replaces the
   * resource and its keys; while it stays the same, `workspaceId` can't change. Removing `existingId` later changes
   * nothing. Destroy deletes an adopted key.
   */
  readonly existingId?: pulumi.Input<string | undefined>;
  /** Arbitrary strings, never sent to the service. Default: none. Changing one rotates now. */
  readonly keepers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
  /**
   * How old a key may get: a whole number of hours, days or weeks, such as "36h", "90d" or "12w". The first update
   * after that time creates a new key. Anything else, and a length of 0, fails the preview. Changing it sends no
   * request; the new length counts from `rotatedAt`.
   */
  readonly rotateEvery: pulumi.Input<string>;
  /**
   * How long the previous key stays valid after a rotation: a whole number of hours, days or weeks, shorter than
   * `rotateEvery`, or the preview fails. The first update after that time deletes the previous key; with "0d", which
   * `retire: "whenUnused"` does not allow, the next update does. Default: "7d". Changing it sends no request.
   */
  readonly overlap?: pulumi.Input<string | undefined>;
  /**
   * When to delete the previous key. "afterOverlap": when the overlap is over. "whenUnused": when the key was not used
   * during a whole overlap, by the service's `lastUsedAt`; until then the resource does not rotate again. Default:
   * "afterOverlap". Changing it sends no request.
   */
  readonly retire?: pulumi.Input<"afterOverlap" | "whenUnused" | undefined>;
}

const facts: Facts<Shape> = {
  kind: "RotatingApiKey",
  insteadOfImport:
    "Declare the existing key with existingId, which adopts it, or with existingKey, which migrates it (see docs/rotating-api-key.md).",
  properties: {
    ...keyFacts.properties,
    keyId: "plain",
    previousKey: "secret",
    previousKeyId: "plain",
    rotatedAt: "plain",
    rotatesAt: "plain",
    retiresAt: "plain",
    rotateEvery: "plain",
    overlap: "plain",
    retire: "plain",
  },
};

/**
 * An API key that is rotated by age, without an outage. The first update after `rotateEvery` creates a new key, and the
 * previous key stays valid for the `overlap`. The first update after the overlap deletes the previous key. Nothing
 * happens between updates, so run Pulumi on a schedule. Destroy deletes both keys.
 *
 * @example
 * ```ts
 * import { RotatingApiKey } from "pulumi-apikeys";
 *
 * const ci = new RotatingApiKey("ci", {
 *   workspaceId: "ws_main",
 *   customerId: "cus_1",
 *   scopes: [{ representation: "orders", read: true }],
 *   rotateEvery: "90d",
 *   overlap: "7d",
 * });
 * export const secret = ci.key;
 * ```
 *
 * @see docs/rotating-api-key.md
 */
export class RotatingApiKey extends pulumi.CustomResource {
  /** Returns true if the value is a RotatingApiKey, even one of another copy of this package. */
  static override isInstance(value: unknown): value is RotatingApiKey {
    return isOfKind(value, facts.kind);
  }

  /**
   * The secret of the current key: the value that a client sends. Always a Pulumi secret. State has no secret for a key
   * that was adopted, or imported by its id, until it is rotated, because the service shows a secret only once.
   *
   * @remarks
   * If the program uses `key` and state has no secret, the update fails and says what to do.
   */
  declare readonly key: pulumi.Output<string>;
  /** The id of the current key. */
  declare readonly keyId: pulumi.Output<string>;
  /** The secret of the previous key, until that key is deleted. Always a Pulumi secret. Absent if there is none. */
  declare readonly previousKey: pulumi.Output<string | undefined>;
  /** The id of the previous key, until that key is deleted. Absent if there is none. */
  declare readonly previousKeyId: pulumi.Output<string | undefined>;
  /**
   * When this resource created, migrated, adopted or imported the current key: ISO 8601 in UTC, by the clock of the
   * machine that Pulumi ran on.
   */
  declare readonly rotatedAt: pulumi.Output<string>;
  /** The first update at or after this time rotates the key. ISO 8601 in UTC. */
  declare readonly rotatesAt: pulumi.Output<string>;
  /** The first update at or after this time deletes the previous key. ISO 8601 in UTC. Absent if there is none. */
  declare readonly retiresAt: pulumi.Output<string | undefined>;
  /** The masked form of the current secret. Absent if the service does not return it. */
  declare readonly maskedKey: pulumi.Output<string | undefined>;
  /** When the current key was created, in the service's own format. Absent if the service does not return it. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /**
   * When the current key was last changed, as of this stack's last write, in the service's own format. Absent if the
   * service does not return it.
   */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** The id of the billing record that the service links to the current key. Absent if there is none. */
  declare readonly billingId: pulumi.Output<string | undefined>;
  /** The prefix of the current key that the service actually set. Absent if there is none. */
  declare readonly effectivePrefix: pulumi.Output<string | undefined>;
  /** The expiry of the current key that the service actually set, in the service's own unit. Absent if there is none. */
  declare readonly effectiveExpiresAt: pulumi.Output<number | undefined>;

  /** The id of the workspace that the keys belong to. */
  declare readonly workspaceId: pulumi.Output<string>;
  /** The id of the customer that the keys are for. */
  declare readonly customerId: pulumi.Output<string>;
  /** The name of both keys. */
  declare readonly name: pulumi.Output<string>;
  /** The permissions of both keys, sorted by representation. Only granted permissions are present. */
  declare readonly scopes: pulumi.Output<KeyScope[]>;
  /** Whether both keys work. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The start of the secret, if the program sets it. */
  declare readonly prefix: pulumi.Output<string | undefined>;
  /** When the key expires, if the program sets it, in the service's own unit. */
  declare readonly expiresAt: pulumi.Output<number | undefined>;
  /** The id of a meter outside the service. */
  declare readonly externalMeterId: pulumi.Output<string | undefined>;
  /** The JSON object that the service keeps with the key. */
  declare readonly metadata: pulumi.Output<Record<string, unknown> | undefined>;
  /** The value of the key that was migrated as the first one. Always a Pulumi secret. */
  declare readonly existingKey: pulumi.Output<string | undefined>;
  /** The id of the key that was adopted as the first one. */
  declare readonly existingId: pulumi.Output<string | undefined>;
  /** Arbitrary strings, never sent to the service. */
  declare readonly keepers: pulumi.Output<Record<string, string> | undefined>;
  /** How old a key may get, in days if it is whole days, otherwise in hours: "84d" for "12w". */
  declare readonly rotateEvery: pulumi.Output<string>;
  /** How long the previous key stays valid after a rotation, in days if it is whole days, otherwise in hours. */
  declare readonly overlap: pulumi.Output<string>;
  /** When the previous key is deleted: "afterOverlap" or "whenUnused". */
  declare readonly retire: pulumi.Output<"afterOverlap" | "whenUnused">;

  /**
   * Creates an API key that is rotated by age, or takes an existing one as the first key with `existingKey` or
   * `existingId`. The first update after `rotateEvery` creates a new key; the first update after the `overlap` deletes
   * the previous one. Destroy deletes both.
   *
   * @param name The resource's name, unique within the stack. Also the keys' name, unless you set `args.name`.
   * @param args The key's inputs, and when it is rotated.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, use `existingId`.
   * @see docs/rotating-api-key.md
   */
  constructor(name: string, args: RotatingApiKeyArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(facts, name, withSecret(args), opts));
    Object.defineProperty(this, "key", secretIn("RotatingApiKey", this, name));
    settleAbsent(this, facts, args);
  }
}
