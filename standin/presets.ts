import { type Dialect, defaultDialect } from "./dialect";

/**
 * Server variants (dialects) that combine the knobs as real services do. Each lists only its differences from the
 * default dialect. A provider should work with all of them.
 */
export const presets = {
  /** The default dialect. */
  default: {},

  /** Deleted keys stay forever, marked as deleted, and can be read. A second DELETE succeeds like the first. */
  softDelete: {
    delete: "marksAndLists",
    deleteAgain: 200,
    absent: "null",
    listOrder: "newestFirst",
    duplicateScope: "returned",
    migrateHeld: "returned",
  },

  /** Textbook REST: PATCH and DELETE answer 204; problem details; 410 for deleted objects, 403 for those of others. */
  strictRest: {
    patchAnswer: "nothing",
    deleteAnswer: "nothing",
    deleteAgain: 410,
    readGone: 410,
    errorBody: "problem",
    invalidStatus: 422,
    foreign: 403,
    positiveNumber: "both",
    retryAfter: "date",
    contentType: "application/json; charset=utf-8",
  },

  /** A gateway over GraphQL: never 201; nulls; unknown fields; errors in a list; empty lists for other tenants. */
  graphqlish: {
    createStatus: 200,
    absent: "null",
    extraFields: true,
    errorBody: "list",
    foreign: "empty",
    delete: "marks",
    deleteAgain: 200,
    scopeIds: "newEachTime",
    duplicateScope: "made",
  },

  /** A Go service with omitempty everywhere: leaves out false, 0, "" and empty lists; nil slices are null. */
  goJson: {
    zeroValues: "leftOut",
    emptyLists: "null",
    scopeFlags: "onlyTrue",
    timestamps: "epochSeconds",
    errorBody: "text",
    createStatus: 200,
    positiveNumber: "defaultExpiration",
    deleteAgain: 400,
  },

  /** A Rails application: nested attributes are upserted, names trimmed, decimals with two places, numeric ids. */
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

  /** Lists are read from a replica that lags behind. Their records are older than the last edit. */
  laggingReplica: {
    listLag: 1,
    listRecords: "stale",
    patchAnswer: "before",
    deleteAnswer: "before",
    listCut: 100,
  },

  /** Every value that can be a number is a number. */
  numericIds: {
    ids: "numeric",
    timestamps: "epochMillis",
    createStatus: 200,
    errorBody: "nested",
    absent: "empty",
    expiresAt: "rounded",
    numbers: "rounded",
  },

  /** PATCH adds permissions, and removes one only if the entry has its id. Its answer is an empty object. */
  mergePatch: {
    patchScopes: "merges",
    scopeExtraEmpty: true,
    patchAnswer: "emptyObject",
    unknownScopeId: "ignored",
    editDeleted: "edited",
    delete: "marksAndOnlyLists",
  },

  /** PATCH resets each field that it does not have, and creates all scope entries again. */
  replacing: {
    patchFields: "replaces",
    scopeIds: "newEachWrite",
    scopeOrder: "reversed",
    absent: "empty",
    billingRequires: "few",
    migrateRequires: "few",
    scopeRequires: "few",
  },

  /** The service rewrites every value to its own spelling. */
  normalising: {
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

  /** As little as possible: brief list records and answers; no ids for scope entries, no times, no error messages. */
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

  /** Ids with characters that have a meaning in a path, and scope entries in a different order each time. */
  oddIds: {
    ids: "odd",
    scopeOrder: "shuffled",
    contentType: "application/vnd.api+json",
    extraFields: true,
    listOrder: "newestFirst",
  },

  /** Few requests per second, and a date that says when to try again. */
  throttled: { rateLimitPerSecond: 10, retryAfter: "date", createStatus: 202, errorBody: "nested" },

  /** Edits and deletions wait in a queue: the answer is 202, with the record as it still is. */
  queued: {
    writes: "queued",
    createStatus: 202,
    patchAnswer: "before",
    deleteAnswer: "before",
    delete: "marks",
    deleteAgain: 409,
    errorBody: "nested",
  },

  /** Edits and deletions reach the store a moment after their answers, which look like those of textbook REST. */
  writeBehind: { writes: "behind", patchAnswer: "nothing", deleteAnswer: "nothing", readGone: 410 },

  /** The token may not list keys. Deleting a deleted key is a conflict. */
  noLists: { keyLists: 403, deleteAgain: 409, readGone: 410, foreign: 403, patchAnswer: "emptyBody" },

  /** A gateway that does not route the list of keys, and answers 400 to every DELETE of a key after the first. */
  strayGateway: { keyLists: 405, deleteAgain: 400, errorBody: "text", deleteAnswer: "emptyBody" },
} as const satisfies Readonly<Record<string, Partial<Dialect>>>;

/** The name of a preset. */
export type PresetName = keyof typeof presets;

/** The complete dialect for a preset's name, or for knobs that differ from the default dialect. */
export function completeDialect(dialect: Partial<Dialect> | PresetName): Dialect {
  if (typeof dialect !== "string") return { ...defaultDialect, ...dialect };
  if (!Object.hasOwn(presets, dialect)) {
    throw new Error(`there is no preset "${dialect}"; the presets are ${Object.keys(presets).join(", ")}`);
  }
  return { ...defaultDialect, ...presets[dialect] };
}
