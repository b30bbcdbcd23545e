/** The service's records as the provider uses them: parsed, ids as strings, absent where the service said nothing. */

import * as z from "zod";
import {
  flag,
  identifier,
  list,
  mark,
  mirroredFlag,
  mirroredNumber,
  mirroredText,
  number,
  permission,
  record,
  requiredList,
  requiredText,
  secretText,
  text,
  withheld,
} from "./fields";

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
  readonly deleted: boolean | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly lastUsedAt: string | undefined;
  readonly billingId: string | undefined;
  /** The secret: only in the answers of create and migrate. */
  readonly key: string | undefined;
}

/** A workspace (interface, section 2). `undefined` stands for absent, null and "". */
export interface WorkspaceRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly teamId: string | undefined;
  readonly defaultKeyPrefix: string | undefined;
  /** `undefined` when the answer has no such field; null is an empty list. */
  readonly defaultAllowedIPs: readonly string[] | undefined;
  readonly defaultRateLimitPerSecond: number | undefined;
  readonly defaultExpiration: number | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** A scope that a workspace defines (interface, section 2). `undefined` stands for absent, null and "". */
export interface ScopeRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly representation: string;
  readonly description: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** A customer billing record (interface, section 2). Credits are numeric text. */
export interface BillingRecord {
  readonly id: string;
  readonly totalCredits: string | undefined;
  readonly usedCredits: string | undefined;
  readonly allowOverages: boolean | undefined;
  readonly spendCap: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

const keyScope = record({
  id: text,
  representation: requiredText,
  create: permission,
  read: permission,
  update: permission,
  del: permission,
}).transform(({ id, ...flags }): KeyScope => (id === undefined ? flags : { id, ...flags }));

const apiKeyFields = {
  id: identifier,
  name: text,
  maskedKey: mirroredText,
  prefix: mirroredText,
  expiresAt: mirroredNumber,
  scopes: list(keyScope),
  enabled: flag,
  customerId: mirroredText,
  deleted: mark,
  createdAt: mirroredText,
  updatedAt: mirroredText,
  lastUsedAt: mirroredText,
  billingId: mirroredText,
};

// Nothing beside the id may cost the secret, which is shown this once: what can't be read counts as left out.
const newApiKey: z.ZodType<ApiKeyRecord> = record({
  ...apiKeyFields,
  name: mirroredText,
  scopes: list(keyScope).catch(undefined),
  enabled: mirroredFlag,
  key: secretText,
});

// A secret that an answer of read, list, edit or delete carries against the interface is not taken over.
const apiKey: z.ZodType<ApiKeyRecord> = record({ ...apiKeyFields, key: withheld });

const workspace: z.ZodType<WorkspaceRecord> = record({
  id: identifier,
  name: mirroredText,
  teamId: mirroredText,
  defaultKeyPrefix: text,
  defaultAllowedIPs: list(requiredText),
  defaultRateLimitPerSecond: number,
  defaultExpiration: number,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

const scope: z.ZodType<ScopeRecord> = record({
  id: identifier,
  name: text,
  representation: requiredText,
  description: text,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

const billing: z.ZodType<BillingRecord> = record({
  id: identifier,
  totalCredits: mirroredText,
  usedCredits: mirroredText,
  allowOverages: mirroredFlag,
  spendCap: mirroredText,
  createdAt: mirroredText,
  updatedAt: mirroredText,
});

/** Answers of edit, read and delete (4.1, 4.2, 4.9). */
export const apiKeyAnswer = z.object({ apiKey });
/** Answers of create and migrate (4.4, 4.5), with the secret. */
export const newApiKeyAnswer = z.object({ apiKey: newApiKey });
export const apiKeysAnswer = z.object({ apiKeys: requiredList(apiKey) });
export const workspaceAnswer = z.object({ workspace });
export const workspacesAnswer = z.object({ workspaces: requiredList(workspace) });
export const scopeAnswer = z.object({ scope });
export const scopesAnswer = z.object({ scopes: requiredList(scope) });
export const billingAnswer = z.object({ billing });
