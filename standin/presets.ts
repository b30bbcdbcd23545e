import { type Dialect, defaultDialect } from "./dialect";

/**
 * The presets: server variants (dialects) that combine knobs as real services do. Each has only its differences from
 * {@link defaultDialect}.
 */
export interface Presets {
  /** The default dialect. */
  readonly default: Partial<Dialect>;
  /** Deleted keys stay forever, marked as deleted, and can be read. A second DELETE succeeds like the first. */
  readonly softDelete: Partial<Dialect>;
  /** Textbook REST: PATCH and DELETE answer 204; problem details; 410 for deleted objects, 403 for those of others. */
  readonly strictRest: Partial<Dialect>;
  /** A gateway over GraphQL: never 201; nulls; unknown fields; errors in a list; empty lists for other tenants. */
  readonly graphqlish: Partial<Dialect>;
  /** A Go service with omitempty everywhere: leaves out false, 0, "" and empty lists; nil slices are null. */
  readonly goJson: Partial<Dialect>;
  /** A Rails application: nested attributes are upserted, names trimmed, decimals with two places, numeric ids. */
  readonly rails: Partial<Dialect>;
  /** Lists are read from a replica that lags behind. Their records are older than the last edit. */
  readonly laggingReplica: Partial<Dialect>;
  /** Every value that can be a number is a number. */
  readonly numericIds: Partial<Dialect>;
  /** PATCH adds permissions, and removes one only if the entry has its id. Its answer is an empty object. */
  readonly mergePatch: Partial<Dialect>;
  /** PATCH resets each field that it does not have, and creates all scope entries again. */
  readonly replacing: Partial<Dialect>;
  /** The service rewrites every value to its own spelling. */
  readonly normalizing: Partial<Dialect>;
  /** As little as possible: brief list records and answers; no ids for scope entries, no times, no error messages. */
  readonly minimal: Partial<Dialect>;
  /** Ids with characters that have a meaning in a path, and scope entries in a different order each time. */
  readonly oddIds: Partial<Dialect>;
  /** Few requests per second, and a date that says when to try again. */
  readonly throttled: Partial<Dialect>;
  /** Edits and deletions wait in a queue: the answer is 202, with the record as it still is. */
  readonly queued: Partial<Dialect>;
  /** Edits and deletions reach the store a moment after their answers, which look like those of textbook REST. */
  readonly writeBehind: Partial<Dialect>;
  /** The token may not list keys. Deleting a deleted key is a conflict. */
  readonly noLists: Partial<Dialect>;
  /** A gateway that does not route the list of keys, and answers 400 to every DELETE of a key after the first. */
  readonly strayGateway: Partial<Dialect>;
}

/**
 * The presets by name. `startStandIn` and `setDialect` take a preset or its name.
 *
 * @example
 * ```ts
 * import { presets, startStandIn } from "pulumi-apikeys/testing";
 *
 * export const start = () => startStandIn({ dialect: { ...presets.strictRest, rateLimitPerSecond: 5 } });
 * ```
 *
 * @see docs/testing.md
 */
export const presets: Presets = {
  default: {},
  softDelete: {
    delete: "marksAndLists",
    deleteAgain: 200,
    absent: "null",
    listOrder: "newestFirst",
    duplicateScope: "returned",
    duplicateKey: "returned",
  },
  strictRest: {
    patchAnswer: "nothing",
    deleteAnswer: "nothing",
    deleteAgain: 410,
    readDeleted: 410,
    errorBody: "problem",
    invalidStatus: 422,
    otherTenant: 403,
    positiveNumber: "both",
    retryAfter: "date",
    contentType: "application/json; charset=utf-8",
  },
  graphqlish: {
    createStatus: 200,
    absent: "null",
    extraFields: true,
    errorBody: "list",
    otherTenant: "empty",
    delete: "marks",
    deleteAgain: 200,
    scopeIds: "newEachTime",
    duplicateScope: "created",
  },
  goJson: {
    zeroValues: "omitted",
    emptyLists: "null",
    scopeFlags: "onlyTrue",
    timestamps: "epochSeconds",
    errorBody: "text",
    createStatus: 200,
    positiveNumber: "defaultExpiration",
    deleteAgain: 400,
  },
  rails: {
    patchScopes: "upserts",
    ids: "numeric",
    names: "trimmed",
    decimals: "twoPlaces",
    invalidStatus: 422,
    deleteAgain: 422,
    errorBody: "error",
    absent: "null",
    scopeOrder: "sorted",
  },
  laggingReplica: {
    listLag: 1,
    listRecords: "stale",
    patchAnswer: "before",
    deleteAnswer: "before",
    listLimit: 100,
  },
  numericIds: {
    ids: "numeric",
    timestamps: "epochMillis",
    createStatus: 200,
    errorBody: "nested",
    absent: "empty",
    expiresAt: "rounded",
    numbers: "rounded",
  },
  mergePatch: {
    patchScopes: "merges",
    extraEmptyScope: true,
    patchAnswer: "emptyObject",
    unknownScopeId: "ignored",
    editDeleted: "edited",
    delete: "marksAndOnlyLists",
  },
  replacing: {
    patchFields: "replaces",
    scopeIds: "newEachWrite",
    scopeOrder: "reversed",
    absent: "empty",
    billingRequires: "few",
    migrateRequires: "few",
    scopeRequires: "few",
  },
  normalizing: {
    names: "lowerCased",
    prefix: "underscored",
    decimals: "twoPlaces",
    addresses: "cidr",
    numbers: "rounded",
    expiresAt: "defaulted",
    scopeOrder: "sorted",
    scopeFlags: "onlyTrue",
    enabledOnCreate: "ignored",
  },
  minimal: {
    createAnswer: "brief",
    listRecords: "brief",
    patchAnswer: "emptyBody",
    deleteAnswer: "emptyBody",
    scopeIds: "none",
    timestamps: "null",
    errorBody: "empty",
    contentType: "none",
  },
  oddIds: {
    ids: "odd",
    scopeOrder: "shuffled",
    contentType: "application/vnd.api+json",
    extraFields: true,
    listOrder: "newestFirst",
  },
  throttled: { rateLimitPerSecond: 10, retryAfter: "date", createStatus: 202, errorBody: "nested" },
  queued: {
    writes: "queued",
    createStatus: 202,
    patchAnswer: "before",
    deleteAnswer: "before",
    delete: "marks",
    deleteAgain: 409,
    errorBody: "nested",
  },
  writeBehind: { writes: "behind", patchAnswer: "nothing", deleteAnswer: "nothing", readDeleted: 410 },
  noLists: { keyLists: 403, deleteAgain: 409, readDeleted: 410, otherTenant: 403, patchAnswer: "emptyBody" },
  strayGateway: { keyLists: 405, deleteAgain: 400, errorBody: "text", deleteAnswer: "emptyBody" },
};

/** The name of a preset. */
export type PresetName = keyof Presets;

/** The complete dialect for a preset's name, or for knobs that differ from the default dialect. */
export function completeDialect(dialect: Partial<Dialect> | PresetName): Dialect {
  if (typeof dialect !== "string") return { ...defaultDialect, ...dialect };
  if (!Object.hasOwn(presets, dialect)) {
    throw new Error(`there is no preset "${dialect}"; the presets are ${Object.keys(presets).join(", ")}`);
  }
  return { ...defaultDialect, ...presets[dialect] };
}
