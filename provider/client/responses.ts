/** The service's records as the provider uses them: parsed, ids as strings, absent where the service said nothing. */

/** An entry of a key's scopes (interface, section 2). A flag that is absent or null in an answer is false. */
export interface KeyScope {
  readonly id?: string;
  readonly representation: string;
  readonly create: boolean;
  readonly read: boolean;
  readonly update: boolean;
  readonly del: boolean;
}

/** An API key (interface, section 2). `undefined` stands for absent, null and "". */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly maskedKey: string | undefined;
  readonly prefix: string | undefined;
  readonly expiresAt: number | undefined;
  /** `undefined` when the answer has no such field; null is an empty list. */
  readonly scopes: readonly KeyScope[] | undefined;
  readonly enabled: boolean | undefined;
  readonly customerId: string | undefined;
  readonly deleted: boolean;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly lastUsedAt: string | undefined;
  readonly billingId: string | undefined;
  /** The secret: only in the answers of create and migrate. */
  readonly key: string | undefined;
}
