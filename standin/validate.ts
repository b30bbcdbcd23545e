import { Refusal } from "./answer";
import type { Endpoint } from "./types";

/** Returns a value that is right. Otherwise throws a refusal that names the path, and doesn't quote the value. */
type Check<T = unknown> = (value: unknown, path: string) => T;
type Checks = Readonly<Record<string, Check>>;
type Body<Required extends Checks, Optional extends Checks> = {
  [Field in keyof Required]: ReturnType<Required[Field]>;
} & { [Field in keyof Optional]?: ReturnType<Optional[Field]> };

function check<T>(what: string, isRight: (value: unknown) => boolean): Check<T> {
  return (value, path) => {
    if (isRight(value)) return value as T;
    throw new Refusal(400, `${path || "the body"} must be ${what}`);
  };
}

const text = check<string>("a string", (value) => typeof value === "string");
const flag = check<boolean>("a boolean", (value) => typeof value === "boolean");
const integer = check<number>("an integer", Number.isSafeInteger);
const positive = check<number>(
  "an integer greater than 0",
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);
const numericText = check<string>(
  "a numeric string",
  (value) => typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value),
);
const list = check<unknown[]>("an array", Array.isArray);
const object = check<Record<string, unknown>>(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

function listOf<T>(entry: Check<T>): Check<T[]> {
  return (value, path) => list(value, path).map((each, place) => entry(each, `${path}[${place}]`));
}

function objectOf<Required extends Checks, Optional extends Checks>(
  required: Required,
  optional: Optional,
): Check<Body<Required, Optional>> {
  const checks = new Map(Object.entries({ ...required, ...optional }));
  return (value, path) => {
    const given = object(value, path);
    const at = path === "" ? "" : `${path}.`;
    for (const field of Object.keys(required)) {
      if (!Object.hasOwn(given, field)) throw new Refusal(400, `${at}${field} is required`);
    }
    for (const [field, entry] of Object.entries(given)) {
      const right = checks.get(field);
      if (right === undefined) throw new Refusal(400, `${at}${field} is not a field of this request`);
      right(entry, `${at}${field}`);
    }
    return value as Body<Required, Optional>;
  };
}

const permission = { representation: text, create: flag, read: flag, update: flag, del: flag };
const newScopes = listOf(objectOf(permission, {}));
const editedScope = objectOf(permission, { id: text });
const newKey = { name: text, workspaceId: text, scopes: newScopes, enabled: flag, customerId: text };

/** The bodies of the requests that have one. */
const bodies = {
  createApiKey: objectOf(newKey, {
    prefix: text,
    expiresAt: positive,
    externalMeterId: text,
    metadata: object,
  }),
  migrateApiKey: objectOf({ ...newKey, key: text, metadata: object }, {}),
  editApiKey: objectOf({}, { name: text, enabled: flag, scopes: listOf(editedScope) }),
  editWorkspace: objectOf(
    {},
    {
      defaultKeyPrefix: text,
      defaultAllowedIPs: listOf(text),
      defaultRateLimitPerSecond: positive,
      defaultExpiration: integer,
    },
  ),
  createScope: objectOf({ name: text, representation: text, description: text }, {}),
  createBilling: objectOf(
    { totalCredits: numericText, workspaceId: text },
    { allowOverages: flag, spendCap: text, externalMeterId: text },
  ),
};

/** The types of the bodies that `checkBody` accepts. */
export type Bodies = {
  [Endpoint in keyof typeof bodies]: ReturnType<(typeof bodies)[Endpoint]>;
};

/** A scope entry in a request. Only edit requests have `id`. */
export type KeyScopeInput = ReturnType<typeof editedScope>;

/** Whether requests to this endpoint have a body. */
export function hasBody(endpoint: Endpoint): endpoint is keyof Bodies {
  return Object.hasOwn(bodies, endpoint);
}

/** Refuses a body that is not right, without quoting any of its values. */
export function checkBody(endpoint: keyof Bodies, body: unknown): void {
  bodies[endpoint](body, "");
}
