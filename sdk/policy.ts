/** Help for policy packs: the keys that a resource declares, whatever its kind and its host. It loads no other module. */
import { isTypeOf } from "./types";

/** A resource as a policy gets it: with its inputs in `validateResource`, with its outputs in `validateStack`. */
export interface PolicyResource {
  readonly type: string;
  readonly name: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/** A scope of a key, with all its permissions. */
export interface PolicyScope {
  readonly representation: string;
  readonly create: boolean;
  readonly read: boolean;
  readonly update: boolean;
  readonly del: boolean;
}

/**
 * A key that a program declares, in a resource of its own or in an entry of an ApiKeySet: with the defaults, and without
 * its secret. A property is read when it is used: if its value is not known yet in a preview, the policy ends
 * there, and is evaluated in the update.
 */
export interface PolicyKey {
  /** What to call the key in a message: the alias in a set, otherwise the resource's name. It is never a secret. */
  readonly label: string;
  readonly workspaceId: string;
  readonly customerId: string;
  /** The key's name. Unlike `label`, the program may have made it a secret. */
  readonly name: string;
  readonly scopes: readonly PolicyScope[];
  readonly enabled: boolean;
  readonly prefix: string | undefined;
  /** In the service's own unit. */
  readonly expiresAt: number | undefined;
  readonly externalMeterId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly keepers: Readonly<Record<string, string>> | undefined;
  /** How often a RotatingApiKey makes a new key, such as "90d"; undefined for other keys. */
  readonly rotateEvery: string | undefined;
  /**
   * Whether the program declares a key that existed before, so that neither `prefix` nor `expiresAt` can be declared. It
   * stays true after `keepers` or a rotation has made a new key, until the program leaves out what says so (`existingId`).
   */
  readonly isExisting: boolean;
}

/**
 * The keys that a resource declares; none for a resource of another kind.
 *
 * ```ts
 * validateResource: (args, reportViolation) => {
 *   for (const key of declaredKeys(args)) {
 *     if (key.expiresAt === undefined) reportViolation(`key "${key.label}" never expires`);
 *   }
 * },
 * ```
 */
export function declaredKeys({ type, name, props }: PolicyResource): readonly PolicyKey[] {
  if (kindsOfOne.some((kind) => isTypeOf(kind, type))) return [keyOf(name, (field) => props[field])];
  if (!isTypeOf("ApiKeySet", type)) return [];
  const { keys, __migrated: migrated } = props;
  const isMigrated = (alias: string) => Array.isArray(migrated) && migrated.includes(alias);
  const aliases = typeof keys === "object" && keys !== null ? Object.keys(keys) : [];
  return aliases.map((alias) => keyOf(alias, (field) => ofEntry(props, alias, field), isMigrated(alias)));
}

const kindsOfOne = ["ApiKey", "RotatingApiKey"];

/** What an entry has goes before a default, and null takes that away. */
function ofEntry(props: PolicyResource["props"], alias: string, field: string): unknown {
  if (field === "workspaceId") return props[field];
  const own = at(at(props["keys"], alias), field);
  return own === undefined ? at(props["defaults"], field) : own;
}

function at(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as PolicyResource["props"])[name] : undefined;
}

/** Nothing is read before it is asked for: what is not known yet throws when it is read. */
function keyOf(label: string, read: (field: string) => unknown, isMigrated = false): PolicyKey {
  const given = <T>(field: string) => (read(field) ?? undefined) as T | undefined;
  return {
    label,
    get workspaceId() {
      return given<string>("workspaceId") ?? "";
    },
    get customerId() {
      return given<string>("customerId") ?? "";
    },
    get name() {
      return given<string>("name") ?? label;
    },
    get scopes() {
      return (given<readonly Partial<PolicyScope>[]>("scopes") ?? []).map(scopeOf);
    },
    get enabled() {
      return given<boolean>("enabled") ?? true;
    },
    get prefix() {
      return given<string>("prefix");
    },
    get expiresAt() {
      return given<number>("expiresAt");
    },
    get externalMeterId() {
      return given<string>("externalMeterId");
    },
    get metadata() {
      return given<Record<string, unknown>>("metadata");
    },
    get keepers() {
      return given<Record<string, string>>("keepers");
    },
    get rotateEvery() {
      return given<string>("rotateEvery");
    },
    get isExisting() {
      return isMigrated || (given("existingKey") ?? given("existingId")) !== undefined;
    },
  };
}

function scopeOf({ representation = "", create, read, update, del }: Partial<PolicyScope>): PolicyScope {
  return {
    representation,
    create: create === true,
    read: read === true,
    update: update === true,
    del: del === true,
  };
}
