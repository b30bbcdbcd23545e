/**
 * The properties of a key, from which sets, rotating keys, functions and policies derive theirs. A policy pack loads this
 * module, so it imports nothing but types.
 */
import type * as pulumi from "@pulumi/pulumi";
import type { ValueOf } from "./resource";

/** The permissions of a key on one scope: one that is left out is false. The same representation twice fails the preview. */
export interface KeyScopeArgs {
  /** The representation of the scope. */
  readonly representation: pulumi.Input<string>;
  /** Whether the key may create. */
  readonly create?: pulumi.Input<boolean | undefined>;
  /** Whether the key may read. */
  readonly read?: pulumi.Input<boolean | undefined>;
  /** Whether the key may update. */
  readonly update?: pulumi.Input<boolean | undefined>;
  /** Whether the key may delete. */
  readonly del?: pulumi.Input<boolean | undefined>;
}

type ScopeValues = {
  readonly [Name in keyof KeyScopeArgs]: Exclude<pulumi.Unwrap<KeyScopeArgs[Name]>, undefined>;
};

/** The permissions of a key on one scope, in outputs. Only granted permissions are present. */
export interface KeyScope extends ScopeValues {}

/** The permissions of a key on one scope, each of them present. */
export interface FoundKeyScope extends Required<ScopeValues> {}

/** The inputs of an {@link ApiKey}. */
export interface ApiKeyArgs {
  /** The id of the workspace that the key belongs to. Changing it replaces the key with a new one. */
  readonly workspaceId: pulumi.Input<string>;
  /** The id of the customer that the key is for. Changing it replaces the key with a new one. */
  readonly customerId: pulumi.Input<string>;
  /** The key's name. Default: the resource's name; in a set, the alias. Changing it updates the key in place. */
  readonly name?: pulumi.Input<string | undefined>;
  /**
   * The key's permissions. The scopes are a set: their order makes no difference, and an entry without any permission
   * is the same as no entry. Default: none. Changing them updates the key in place. If the service leaves the key more
   * permissions than the program gives it, the update fails.
   */
  readonly scopes?: pulumi.Input<readonly pulumi.Input<KeyScopeArgs>[] | undefined>;
  /** Whether the key works. Default: true. Changing it updates the key in place. */
  readonly enabled?: pulumi.Input<boolean | undefined>;
  /** The start of the secret. Default: set by the service. Changing it replaces the key with a new one. */
  readonly prefix?: pulumi.Input<string | undefined>;
  /**
   * When the key expires: a whole number above 0, in the service's own unit. Default: set by the service. Changing it
   * replaces the key with a new one.
   */
  readonly expiresAt?: pulumi.Input<number | undefined>;
  /**
   * The id of a meter outside the service. Default: none. Changing it replaces the key with a new one. The service never
   * returns it, so a refresh can't see changes made outside Pulumi.
   */
  readonly externalMeterId?: pulumi.Input<string | undefined>;
  /**
   * Any JSON object, which the service keeps with the key. Default: none. Changing it replaces the key with a new one. The
   * service never returns it, so a refresh can't see changes made outside Pulumi.
   */
  // biome-ignore lint/suspicious/noExplicitAny: with unknown, a value whose type is an interface would be refused.
  readonly metadata?: pulumi.Input<Record<string, any> | undefined>;
  /**
   * The value of an existing key to migrate, instead of creating a key. With `existingId`, the secret of that key, which
   * the update puts into state unless the service shows that it ends differently. Always a secret; an empty string fails
   * the preview. Can't be combined with `prefix`, `expiresAt` or `externalMeterId`. Default: none. Without `existingId`, a
   * new value replaces the key with a new one. While it stays the same, changing `workspaceId`, `customerId`, `metadata`
   * or `keepers` fails the preview. Removing it changes nothing. Destroy deletes the key.
   */
  readonly existingKey?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing key to adopt, instead of creating a key. The update changes the key's `name`, `scopes` and
   * `enabled` to match the program, and the preview can't show these changes. `scopes` must be set too. Can't be
   * combined with `prefix`, `expiresAt`, `externalMeterId` or `metadata`. Default: none. The service shows a secret only
   * once, so state has none of an adopted key without `existingKey`. Another id adopts that key and deletes the old one. While `existingId` is set, a change that needs a new key fails the preview. Removing it changes nothing, or,
   * with a change of `keepers` in the same update, creates a new key and deletes the old one. Destroy deletes the key.
   */
  readonly existingId?: pulumi.Input<string | undefined>;
  /** Strings that are never sent to the service. Default: none. Changing one replaces the key with a new one. */
  readonly keepers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
}

/** @internal All inputs, except the two that name an existing key. */
export const keyInputs = [
  "workspaceId",
  "customerId",
  "name",
  "scopes",
  "enabled",
  "prefix",
  "expiresAt",
  "externalMeterId",
  "metadata",
  "keepers",
];

/** The inputs whose values in outputs have another type. Those with a default are never absent. */
export interface KeyValues {
  readonly name: string;
  readonly scopes: KeyScope[];
  readonly enabled: boolean;
  readonly metadata: Record<string, unknown> | undefined;
  readonly keepers: Record<string, string> | undefined;
}
/** The value of an input in outputs. */
export type KeyValue<Name extends keyof ApiKeyArgs> = ValueOf<ApiKeyArgs, KeyValues, Name>;

/** A key, as a function returns it: never with its secret. A field that the service leaves out is absent. */
export interface FoundApiKey {
  /** The key's id. */
  readonly id: string;
  /** The key's name. */
  readonly name: string | undefined;
  /** The masked form of the secret. */
  readonly maskedKey: string | undefined;
  /** The start of the secret. */
  readonly prefix: string | undefined;
  /** When the key expires, in the service's own unit. */
  readonly expiresAt: number | undefined;
  /** The key's permissions. */
  readonly scopes: readonly FoundKeyScope[] | undefined;
  /** Whether the key works. */
  readonly enabled: boolean | undefined;
  /** The id of the customer that the key is for. */
  readonly customerId: string | undefined;
  /** Whether the key was deleted, but the service still lists it. */
  readonly deleted: boolean;
  /** When the key was created, in the service's own format. */
  readonly createdAt: string | undefined;
  /** When the key was last changed, in the service's own format. */
  readonly updatedAt: string | undefined;
  /** When the key was last used, in the service's own format. */
  readonly lastUsedAt: string | undefined;
  /** The id of the billing record that the service links to the key. */
  readonly billingId: string | undefined;
}
