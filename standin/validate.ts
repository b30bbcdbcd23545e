import type { Dialect } from "./dialect";
import type { Endpoint } from "./types";

/** A scope entry in a request. Only edit requests have `id`. */
export interface KeyScopeInput {
  id?: string;
  representation: string;
  create: boolean;
  read: boolean;
  update: boolean;
  del: boolean;
}

/** The bodies of requests that have one, after `findProblem` has found no problem. */
export interface Bodies {
  createApiKey: {
    name: string;
    workspaceId: string;
    scopes: KeyScopeInput[];
    enabled: boolean;
    customerId: string;
    prefix?: string;
    expiresAt?: number;
    externalMeterId?: string;
    metadata?: Record<string, unknown>;
  };
  migrateApiKey: {
    key: string;
    name: string;
    workspaceId: string;
    scopes?: KeyScopeInput[];
    enabled?: boolean;
    customerId?: string;
    metadata?: Record<string, unknown>;
  };
  editApiKey: { name?: string; enabled?: boolean; scopes?: KeyScopeInput[] };
  editWorkspace: {
    defaultKeyPrefix?: string;
    defaultAllowedIPs?: string[];
    defaultRateLimitPerSecond?: number;
    defaultExpiration?: number;
  };
  createScope: { name?: string; representation: string; description?: string };
  createBilling: {
    totalCredits: string;
    workspaceId: string;
    allowOverages?: boolean;
    spendCap?: string;
    externalMeterId?: string;
  };
}

/** What is wrong with a value, without quoting it; undefined if nothing is wrong. */
type Check = (value: unknown, path: string) => string | undefined;

const text: Check = (value, path) => (typeof value === "string" ? undefined : `${path} must be a string`);
const flag: Check = (value, path) => (typeof value === "boolean" ? undefined : `${path} must be a boolean`);
const integer: Check = (value, path) =>
  Number.isSafeInteger(value) ? undefined : `${path} must be an integer`;
const positive: Check = (value, path) =>
  integer(value, path) ?? ((value as number) > 0 ? undefined : `${path} must be greater than 0`);
const numericText: Check = (value, path) =>
  text(value, path) ??
  (/^-?\d+(\.\d+)?$/.test(value as string) ? undefined : `${path} must be a numeric string`);
const object: Check = (value, path) => (isObject(value) ? undefined : `${path} must be an object`);

function listOf(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} must be an array`;
    for (const [place, entry] of value.entries()) {
      const problem = check(entry, `${path}[${place}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

function objectOf(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>>,
): Check {
  const checks = new Map(Object.entries({ ...required, ...optional }));
  return (value, path) => {
    if (!isObject(value)) return `${path || "the body"} must be an object`;
    const at = path === "" ? "" : `${path}.`;
    for (const field of Object.keys(required)) {
      if (!Object.hasOwn(value, field)) return `${at}${field} is required`;
    }
    for (const [field, entry] of Object.entries(value)) {
      const check = checks.get(field);
      if (check === undefined) return `${at}${field} is not a field of this request`;
      const problem = check(entry, `${at}${field}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

const permission = { representation: text, create: flag, read: flag, update: flag, del: flag };
const newScopes = listOf(objectOf(permission, {}));
const editedScopes = listOf(objectOf(permission, { id: text }));

function bodyCheck(endpoint: keyof Bodies, dialect: Dialect): Check {
  switch (endpoint) {
    case "createApiKey":
      return objectOf(
        { name: text, workspaceId: text, scopes: newScopes, enabled: flag, customerId: text },
        { prefix: text, expiresAt: positive, externalMeterId: text, metadata: object },
      );
    case "migrateApiKey":
      return requiring(
        dialect.migrateRequires,
        { key: text, name: text, workspaceId: text },
        {
          scopes: newScopes,
          enabled: flag,
          customerId: text,
          metadata: object,
        },
      );
    case "editApiKey":
      return objectOf({}, { name: text, enabled: flag, scopes: editedScopes });
    case "editWorkspace": {
      const number = (field: string) =>
        dialect.positiveNumber === field || dialect.positiveNumber === "both" ? positive : integer;
      return objectOf(
        {},
        {
          defaultKeyPrefix: text,
          defaultAllowedIPs: listOf(text),
          defaultRateLimitPerSecond: number("defaultRateLimitPerSecond"),
          defaultExpiration: number("defaultExpiration"),
        },
      );
    }
    case "createScope":
      return requiring(dialect.scopeRequires, { representation: text }, { name: text, description: text });
    case "createBilling":
      return requiring(
        dialect.billingRequires,
        { totalCredits: numericText, workspaceId: text },
        {
          allowOverages: flag,
          spendCap: text,
          externalMeterId: text,
        },
      );
  }
}

function requiring(
  which: "all" | "few",
  always: Readonly<Record<string, Check>>,
  others: Readonly<Record<string, Check>>,
): Check {
  return which === "all" ? objectOf({ ...always, ...others }, {}) : objectOf(always, others);
}

/** Whether requests to this endpoint have a body. */
export function hasBody(endpoint: Endpoint): endpoint is keyof Bodies {
  return /^(create|migrate|edit)/.test(endpoint);
}

/** The first problem of a body, without quoting any of its values. */
export function findProblem(endpoint: keyof Bodies, body: unknown, dialect: Dialect): string | undefined {
  return bodyCheck(endpoint, dialect)(body, "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
