/** The bodies of requests (interface, part 4). A field that is `undefined` is not sent. */

const KiB = 1_024;
/**
 * No larger request makes anything, so that what the service answers can be read back: what it has made would otherwise
 * be known to nobody.
 */
export const mostSent = 256 * KiB;

/** How many bytes a value takes in a request. */
export function sentBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** An entry of a key's scopes in create and migrate, which send no id. */
interface NewKeyScope {
  readonly representation: string;
  readonly create: boolean;
  readonly read: boolean;
  readonly update: boolean;
  readonly del: boolean;
}

/** Body of 4.4. */
export interface CreateApiKey {
  readonly name: string;
  readonly workspaceId: string;
  readonly scopes: readonly NewKeyScope[];
  readonly enabled: boolean;
  readonly customerId: string;
  readonly prefix?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly externalMeterId?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Body of 4.5; `key` is the existing value. */
export interface MigrateApiKey {
  readonly key: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly scopes: readonly NewKeyScope[];
  readonly enabled: boolean;
  readonly customerId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Body of 4.1. */
export interface EditApiKey {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly scopes?: readonly (NewKeyScope & { readonly id?: string | undefined })[] | undefined;
}

/** Body of 4.8. */
export interface EditWorkspace {
  readonly defaultKeyPrefix?: string | undefined;
  readonly defaultAllowedIPs?: readonly string[] | undefined;
  readonly defaultRateLimitPerSecond?: number | undefined;
  readonly defaultExpiration?: number | undefined;
}

/** Body of 4.11. */
export interface CreateScope {
  readonly name: string;
  readonly representation: string;
  readonly description: string;
}

/** Body of 4.12; credits are numeric text. */
export interface CreateBilling {
  readonly totalCredits: string;
  readonly allowOverages: boolean;
  readonly spendCap?: string | undefined;
  readonly externalMeterId?: string | undefined;
  readonly workspaceId: string;
}
