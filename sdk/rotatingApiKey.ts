import * as pulumi from "@pulumi/pulumi";
import { guardKey, type KeyOutputs, keyFacts } from "./apiKey";
import type { ApiKeyArgs, KeyValues } from "./keyProperties";
import { type Facts, isA, type Outputs, registration, settleAbsent } from "./resource";

/**
 * The inputs of a {@link RotatingApiKey}: those of its keys, and when they are rotated. What updates a key in place
 * updates both keys. What replaces a key rotates now; while there is a previous key in its overlap, it fails the update.
 */
export interface RotatingApiKeyArgs extends ApiKeyArgs {
  /** The id of the workspace that the keys belong to. Changing it replaces the resource and its keys. */
  readonly workspaceId: pulumi.Input<string>;
  /**
   * The value of an existing key to migrate as the first key or, with `existingId`, the secret of that key; with the
   * limits of an {@link ApiKey}. Always a secret. Default: none. Without `existingId`, a new value replaces the resource
   * and its keys. Removing `existingKey` later changes nothing.
   */
  readonly existingKey?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing key to adopt as the first key, with the limits of an {@link ApiKey}. Default: none. Without
   * `existingKey`, there is no `key` until the first rotation. Another id replaces the resource and its keys; while it
   * stays the same, `workspaceId` can't change. Removing `existingId` later changes nothing.
   */
  readonly existingId?: pulumi.Input<string | undefined>;
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

const facts: Facts = {
  kind: "RotatingApiKey",
  properties: [
    ...keyFacts.properties,
    "keyId",
    "previousKey",
    "previousKeyId",
    "rotatedAt",
    "rotatesAt",
    "retiresAt",
    "rotateEvery",
    "overlap",
    "retire",
  ],
  secrets: [...(keyFacts.secrets ?? []), "previousKey"],
};

interface RotatingValues extends KeyValues {
  readonly overlap: string;
  readonly retire: "afterOverlap" | "whenUnused";
}
export interface RotatingApiKey extends Outputs<RotatingApiKeyArgs, RotatingValues>, KeyOutputs {}

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
  static override readonly isInstance = isA<RotatingApiKey>("RotatingApiKey");

  /**
   * The secret of the current key: the value that a client sends. Always a Pulumi secret. A key that was adopted without
   * `existingKey` has none, until it is rotated.
   *
   * @remarks
   * If the program uses `key` and state will have no secret, the preview or the update fails and says what to do.
   */
  declare readonly key: pulumi.Output<string>;
  /** The id of the current key. */
  declare readonly keyId: pulumi.Output<string>;
  /** The secret of the previous key, until that key is deleted. Always a Pulumi secret. Absent if there is none. */
  declare readonly previousKey: pulumi.Output<string | undefined>;
  /** The id of the previous key, until that key is deleted. Absent if there is none. */
  declare readonly previousKeyId: pulumi.Output<string | undefined>;
  /** When this resource created, migrated or adopted the current key: ISO 8601 in UTC, by the clock of Pulumi's machine. */
  declare readonly rotatedAt: pulumi.Output<string>;
  /** The first update at or after this time rotates the key. ISO 8601 in UTC. */
  declare readonly rotatesAt: pulumi.Output<string>;
  /** The first update at or after this time deletes the previous key. ISO 8601 in UTC. Absent if there is none. */
  declare readonly retiresAt: pulumi.Output<string | undefined>;

  /**
   * Creates an API key that is rotated by age, or takes an existing one with `existingKey` or `existingId`.
   *
   * @param name The resource's name, unique within the stack. Also the keys' name, unless you set `args.name`.
   * @param args The key's inputs, and when it is rotated.
   * @param opts Pulumi's resource options. `import` can't be used: use `existingId`.
   */
  constructor(name: string, args: RotatingApiKeyArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(facts, name, args, opts));
    settleAbsent(this, facts);
    guardKey("RotatingApiKey", name, this);
  }
}
