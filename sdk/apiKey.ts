import * as pulumi from "@pulumi/pulumi";
import { type ApiKeyArgs, type KeyValues, keyInputs } from "./keyProperties";
import { type Facts, fail, isA, type Outputs, registration, settleAbsent } from "./resource";

/** The outputs of a key. */
export interface KeyOutputs {
  /** The masked form of the secret. Absent if the service does not return it. */
  readonly maskedKey: pulumi.Output<string | undefined>;
  /** When the key was created, in the service's own format. Absent if the service does not return it. */
  readonly createdAt: pulumi.Output<string | undefined>;
  /** When the key was last changed, as of this stack's last write, in the service's own format. Absent if it returns none. */
  readonly updatedAt: pulumi.Output<string | undefined>;
  /** The id of the billing record of the key, as of the create or the last refresh. Absent if there is none. */
  readonly billingId: pulumi.Output<string | undefined>;
  /** The prefix that the service actually set, as of the create or the last refresh. Absent if there is none. */
  readonly effectivePrefix: pulumi.Output<string | undefined>;
  /** The expiry that the service set, in its own unit, as of the create or the last refresh. Absent if there is none. */
  readonly effectiveExpiresAt: pulumi.Output<number | undefined>;
}

/** The properties that {@link ApiKey.get} needs to read a key, in addition to the key's id. */
export interface ApiKeyState {
  /** The id of the workspace that the key belongs to. */
  readonly workspaceId: pulumi.Input<string>;
}

/** The result of {@link ApiKey.get}: an {@link ApiKey} without `key`, because the service shows a secret only once. */
export type UnmanagedApiKey = pulumi.CustomResource & Omit<ApiKey, "key">;

/** @internal */
export const keyFacts: Facts = {
  kind: "ApiKey",
  properties: [
    "key",
    "maskedKey",
    "createdAt",
    "updatedAt",
    "billingId",
    "effectivePrefix",
    "effectiveExpiresAt",
    ...keyInputs,
    "existingKey",
    "existingId",
  ],
  secrets: ["key", "existingKey"],
};

export interface ApiKey extends Outputs<ApiKeyArgs, KeyValues>, KeyOutputs {}

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
  static override readonly isInstance = isA<ApiKey>("ApiKey");

  /**
   * The secret: the value that a client sends. Always a Pulumi secret. A key that was imported, or adopted without
   * `existingKey`, has none.
   *
   * @remarks
   * If the program uses `key` and state will have no secret, the preview or the update fails and says what to do.
   */
  declare readonly key: pulumi.Output<string>;

  /**
   * Creates an API key, or takes an existing one with `existingKey` or `existingId`. Destroy deletes the key.
   *
   * @param name The resource's name, unique within the stack. Also the key's name, unless you set `args.name`.
   * @param args The key's inputs.
   * @param opts Pulumi's resource options. `import` needs the plugin; without it, use `pulumi import --file`.
   */
  constructor(name: string, args: ApiKeyArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(...registration(keyFacts, name, args, opts));
    settleAbsent(this, keyFacts);
    // A program can export the whole resource that `get` returns.
    guardKey("ApiKey", name, this, opts.id === undefined);
  }

  /**
   * Reads a key that this stack does not manage, at each preview and update. The result has no `key`. If the key does
   * not exist, reading it fails. Destroy leaves the key in the service.
   *
   * @param name The resource's name, unique within the stack.
   * @param id The key's id in the service.
   * @param state The workspace that the key belongs to.
   * @param opts Pulumi's resource options.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: ApiKeyState,
    opts: pulumi.CustomResourceOptions = {},
  ): UnmanagedApiKey {
    return new ApiKey(name, state as ApiKeyArgs, { ...opts, id });
  }
}

/**
 * @internal Makes `key` fail if the program uses it and state has no secret, and only then: an imported key must not fail
 * programs that never use it.
 */
export function guardKey(
  kind: string,
  name: string,
  resource: Pick<ApiKey, "key" | "id">,
  enumerable = true,
): void {
  // Unit tests with mocks have no stack, and their mocks may give no secret.
  if (pulumi.runtime.getStackResource() === undefined) return;
  const { key, id } = resource;
  const get = () => secretOf(`${kind} "${name}"`, key, id);
  // In a function that Pulumi uploads to run elsewhere.
  get.captureReplacement = () => () => key;
  Object.defineProperty(resource, "key", { get, enumerable });
}

/** @internal The secret, or an error: otherwise the program would continue with the string "undefined". */
export function secretOf(
  what: string,
  held: pulumi.Output<string | undefined>,
  id: pulumi.Output<pulumi.ID>,
): pulumi.Output<string> {
  // For a key that is not created yet and that a targeted run skips, Pulumi before 3.256.0 reports the missing secret
  // as known, but the missing id as unknown. So the id is waited for too; in a preview, `settleAbsent` knows more.
  return pulumi
    .all(pulumi.runtime.isDryRun() ? [held] : [held, id])
    .apply(([value]) => value ?? failWithoutSecret(what));
}

/** @internal The secret of one key of a set. Mocks may return no secrets: it is then undefined, like an ApiKey's `key`. */
export function secretAmong(secrets: Record<string, string> | undefined, set: string, alias: string): string {
  if (secrets === undefined || Object.hasOwn(secrets, alias)) return secrets?.[alias] as string;
  return failWithoutSecret(`ApiKeySet "${set}", key "${alias}"`);
}

/** `what`: the key whose secret the program uses. */
function failWithoutSecret(what: string): never {
  const problem = `${what}: state does not have its secret. The service shows a secret only once, when it creates the key. Use the value from where it is kept today; if this stack manages the key, declare it as existingKey beside existingId, or leave existingId out and change keepers, which creates a new key with its secret.`;
  fail("APIKEYS1006", problem);
}
