import type { Endpoint } from "./types";
import type { Variant } from "./variant";

/** What is wrong with a value, without quoting it; undefined if nothing is wrong. `T` is the type of a right value. */
type Check<T = unknown> = ((value: unknown, path: string) => string | undefined) & { readonly right?: T };
type Right<C> = C extends Check<infer T> ? T : never;
type Checks = Readonly<Record<string, Check>>;
type Body<Required extends Checks, Optional extends Checks> = {
  [Field in keyof Required]: Right<Required[Field]>;
} & { [Field in keyof Optional]?: Right<Optional[Field]> };

const text: Check<string> = (value, path) =>
  typeof value === "string" ? undefined : `${path} must be a string`;
const flag: Check<boolean> = (value, path) =>
  typeof value === "boolean" ? undefined : `${path} must be a boolean`;
const integer: Check<number> = (value, path) =>
  Number.isSafeInteger(value) ? undefined : `${path} must be an integer`;
const positive: Check<number> = (value, path) =>
  integer(value, path) ?? ((value as number) > 0 ? undefined : `${path} must be greater than 0`);
const numericText: Check<string> = (value, path) =>
  text(value, path) ??
  (/^-?\d+(\.\d+)?$/.test(value as string) ? undefined : `${path} must be a numeric string`);
const object: Check<Record<string, unknown>> = (value, path) =>
  isObject(value) ? undefined : `${path} must be an object`;

function listOf<T>(check: Check<T>): Check<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} must be an array`;
    for (const [place, entry] of value.entries()) {
      const problem = check(entry, `${path}[${place}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

function objectOf<Required extends Checks, Optional extends Checks>(
  required: Required,
  optional: Optional,
): Check<Body<Required, Optional>> {
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

/** A body with fields that some variants require, and with optional ones. */
function requiring<Always extends Checks, Sometimes extends Checks, Optional extends Checks>(
  which: "all" | "few",
  always: Always,
  sometimes: Sometimes,
  optional: Optional,
): Check<Body<Always, Sometimes & Optional>> {
  const required = which === "all" ? { ...always, ...sometimes } : always;
  return objectOf(required, { ...sometimes, ...optional }) as Check<Body<Always, Sometimes & Optional>>;
}

const permission = { representation: text, create: flag, read: flag, update: flag, del: flag };
const newScopes = listOf(objectOf(permission, {}));
const editedScope = objectOf(permission, { id: text });

/** The bodies of the requests that have one. */
const bodies = {
  createApiKey: () =>
    objectOf(
      { name: text, workspaceId: text, scopes: newScopes, enabled: flag, customerId: text },
      { prefix: text, expiresAt: positive, externalMeterId: text, metadata: object },
    ),
  migrateApiKey: ({ migrateRequires }: Variant) =>
    requiring(
      migrateRequires,
      { key: text, name: text, workspaceId: text },
      { scopes: newScopes, enabled: flag, customerId: text, metadata: object },
      {},
    ),
  editApiKey: () => objectOf({}, { name: text, enabled: flag, scopes: listOf(editedScope) }),
  editWorkspace: ({ positiveNumber }: Variant) => {
    const number = (field: string) =>
      positiveNumber === field || positiveNumber === "both" ? positive : integer;
    return objectOf(
      {},
      {
        defaultKeyPrefix: text,
        defaultAllowedIPs: listOf(text),
        defaultRateLimitPerSecond: number("defaultRateLimitPerSecond"),
        defaultExpiration: number("defaultExpiration"),
      },
    );
  },
  createScope: ({ scopeRequires }: Variant) =>
    requiring(scopeRequires, { representation: text }, { name: text, description: text }, {}),
  createBilling: ({ billingRequires }: Variant) =>
    requiring(
      billingRequires,
      { totalCredits: numericText, workspaceId: text },
      { allowOverages: flag, spendCap: text, externalMeterId: text },
      {},
    ),
};

/** The types of bodies in which `findProblem` has found no problem. */
export type Bodies = {
  [Endpoint in keyof typeof bodies]: Right<ReturnType<(typeof bodies)[Endpoint]>>;
};

/** A scope entry in a request. Only edit requests have `id`. */
export type KeyScopeInput = Right<typeof editedScope>;

/** Whether requests to this endpoint have a body. */
export function hasBody(endpoint: Endpoint): endpoint is keyof Bodies {
  return Object.hasOwn(bodies, endpoint);
}

/** The first problem of a body, without quoting any of its values. */
export function findProblem(endpoint: keyof Bodies, body: unknown, variant: Variant): string | undefined {
  return bodies[endpoint](variant)(body, "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
