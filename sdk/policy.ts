/**
 * Help for policy packs: the keys that a resource declares, whether it is an ApiKey, a RotatingApiKey or an ApiKeySet.
 * See docs/policies.md.
 *
 * @module pulumi-apikeys/policy
 */
import { type ApiKeyArgs, type FoundKeyScope, type KeyValue, keyInputs } from "./keyProperties";
import { isTypeOf, loadWhereCaptured } from "./types";

/** A resource as Pulumi passes it: to `validateResource` with its inputs, to `validateStack` with its outputs. */
export interface PolicyResource {
  /** The resource's type. */
  readonly type: string;
  /** The resource's name. */
  readonly name: string;
  /** The resource's inputs or outputs. */
  readonly props: Readonly<Record<string, unknown>>;
}

type PolicyInputs = Required<Omit<ApiKeyArgs, "existingKey" | "existingId">>;
type PolicyValues = { readonly [Name in keyof PolicyInputs]: KeyValue<Name> };

/**
 * A key that a program declares, by itself or as an entry of an ApiKeySet: the inputs of an ApiKey without the key's
 * secret, and with the defaults filled in. If a policy uses a property that is not known yet in a preview, Pulumi runs
 * the policy in the update only.
 */
export interface PolicyKey extends Omit<PolicyValues, "scopes"> {
  /** The name of the key for messages: the alias in a set, otherwise the resource's name. Never a secret. */
  readonly label: string;
  /** The key's name. The program may have made it a secret; use `label` in messages. */
  readonly name: string;
  /** The key's permissions. */
  readonly scopes: readonly FoundKeyScope[];
  /** When the key expires: in `validateStack`, the expiry that the service set; otherwise `expiresAt`. */
  readonly effectiveExpiresAt: number | undefined;
  /** How often a RotatingApiKey is rotated, such as "90d"; undefined for other keys. */
  readonly rotateEvery: string | undefined;
  /**
   * Whether the program declares `existingKey` or `existingId`, so that the key can't set `prefix` or `expiresAt`. Check
   * it in `validateResource`: `validateStack` gets outputs, which keep a removed input until an update changes something
   * else.
   */
  readonly isExisting: boolean;
}

/**
 * Returns the keys that a resource declares: one for an ApiKey or a RotatingApiKey, all keys for an ApiKeySet, none for
 * any other resource.
 *
 * @param resource The resource: `args` of `validateResource`, or one of `args.resources` of `validateStack`.
 * @example
 * ```ts
 * import type { ResourceValidation } from "@pulumi/policy";
 * import { declaredKeys } from "pulumi-apikeys/policy";
 *
 * export const everyKeyExpires: ResourceValidation = (args, reportViolation) => {
 *   for (const { label, expiresAt } of declaredKeys(args)) {
 *     if (expiresAt === undefined) reportViolation(`key "${label}" never expires`);
 *   }
 * };
 * ```
 *
 * @see docs/policies.md
 */
export function declaredKeys({ type, name, props }: PolicyResource): readonly PolicyKey[] {
  const isOne = ["ApiKey", "RotatingApiKey"].some((kind) => isTypeOf(kind, type));
  if (isOne) return [keyOf(name, (field) => props[field])];
  if (!isTypeOf("ApiKeySet", type)) return [];
  const { keys } = props;
  const aliases = typeof keys === "object" && keys !== null ? Object.keys(keys) : [];
  return aliases.map((alias) => keyOf(alias, (field) => ofEntry(props, alias, field)));
}

/**
 * Returns those keys that have expired, or that expire within this number of days from now. The service's interface does
 * not define what `expiresAt` counts, so the policy says it: seconds or milliseconds since 1970.
 *
 * @see docs/policies.md
 */
export function expiresWithin(
  keys: readonly PolicyKey[],
  days: number,
  { unit }: { readonly unit: "seconds" | "milliseconds" },
): readonly PolicyKey[] {
  const latest = Date.now() + days * 86_400_000;
  const msPerUnit = unit === "seconds" ? 1_000 : 1;
  // Services use 0 for a key that never expires.
  return keys.filter(({ effectiveExpiresAt: time = 0 }) => time > 0 && time * msPerUnit <= latest);
}

loadWhereCaptured("pulumi-apikeys/policy", { declaredKeys, expiresWithin });

/** The value of an entry goes before the default; null in an entry removes the default. */
function ofEntry(props: PolicyResource["props"], alias: string, field: string): unknown {
  if (field === "workspaceId") return props[field];
  if (field === "effectiveExpiresAt") return at(at(props["__keys"], alias), field);
  const own = at(at(props["keys"], alias), field);
  return own === undefined ? at(props["defaults"], field) : own;
}

function at(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as PolicyResource["props"])[name] : undefined;
}

/** Reads each property only when the policy uses it, because reading an unknown one throws. */
function keyOf(label: string, read: (field: string) => unknown): PolicyKey {
  const given = <T>(field: string) => (read(field) ?? undefined) as T | undefined;
  const inputs = Object.fromEntries(keyInputs.map((name) => [name, () => given(name)]));
  const others: { readonly [Name in keyof PolicyKey]?: () => PolicyKey[Name] } = {
    label: () => label,
    workspaceId: () => given("workspaceId") ?? "",
    customerId: () => given("customerId") ?? "",
    name: () => given("name") ?? label,
    scopes: () => (given<readonly Partial<FoundKeyScope>[]>("scopes") ?? []).map(scopeOf),
    enabled: () => given("enabled") ?? true,
    effectiveExpiresAt: () => given("effectiveExpiresAt") ?? given("expiresAt"),
    rotateEvery: () => given("rotateEvery"),
    isExisting: () => (given("existingKey") ?? given("existingId")) !== undefined,
  };
  const all = Object.entries({ ...inputs, ...others });
  const properties = all.map(([name, get]) => [name, { get, enumerable: true }]);
  return Object.defineProperties({} as PolicyKey, Object.fromEntries(properties));
}

function scopeOf({ representation = "", ...flags }: Partial<FoundKeyScope>): FoundKeyScope {
  const has = (flag: keyof typeof flags) => flags[flag] === true;
  return { representation, create: has("create"), read: has("read"), update: has("update"), del: has("del") };
}
