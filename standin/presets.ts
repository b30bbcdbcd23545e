import { type Dialect, defaultDialect } from "./dialect";

/**
 * Dialects that mix the knobs as real services do, told as differences from the default dialect. A provider should
 * get along with every one of them.
 */
export const presets = {
  /** The default dialect. */
  default: {},

  /** Deleted keys stay for ever, marked, and can be read; the second DELETE is as good as the first. */
  softDelete: {
    delete: "marksAndLists",
    deleteAgain: 200,
    absent: "null",
    listOrder: "newestFirst",
    duplicateScope: "returned",
    migrateHeld: "returned",
  },

  /** A service by the book: PATCH and DELETE answer 204, problem details, 410 for what is gone, 403 for others'. */
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

  /** A gateway over GraphQL: never 201, nulls, unknown fields, errors in a list, empty lists for strangers. */
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

  /** A Go service with omitempty everywhere: false, 0, "" and empty lists are left out, nil slices are null. */
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

  /** Reads of lists come from a replica that lags behind, and hold records older than the last edit. */
  laggingReplica: {
    listLag: 1,
    listRecords: "stale",
    patchAnswer: "before",
    deleteAnswer: "before",
    listCut: 100,
  },

  /** Everything that can be a number is one. */
  numericIds: {
    ids: "numeric",
    timestamps: "epochMillis",
    createStatus: 200,
    errorBody: "nested",
    absent: "empty",
    expiresAt: "rounded",
    numbers: "rounded",
  },

  /** PATCH adds permissions, and takes one away only where the entry carries its id; its answer says nothing. */
  mergePatch: {
    patchScopes: "merges",
    scopeExtraEmpty: true,
    patchAnswer: "emptyObject",
    unknownScopeId: "ignored",
    editDeleted: "edited",
    delete: "marksAndOnlyLists",
  },

  /** What isn't given in a PATCH is reset, scope entries are made anew each time. */
  replacing: {
    patchFields: "replaces",
    scopeIds: "newEachWrite",
    scopeOrder: "reversed",
    absent: "empty",
    billingRequires: "few",
    migrateRequires: "few",
    scopeRequires: "few",
  },

  /** Every value comes back in the service's own spelling. */
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

  /** As little as possible: brief list records and answers, no ids for scope entries, no times, no error texts. */
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

  /** Ids with characters that mean something in a path, scope entries in another order each time. */
  oddIds: {
    ids: "odd",
    scopeOrder: "shuffled",
    contentType: "application/vnd.api+json",
    extraFields: true,
    listOrder: "newestFirst",
  },

  /** Few requests a second, and a date that says when to come back. */
  throttled: { rateLimitPerSecond: 10, retryAfter: "date", createStatus: 202, errorBody: "nested" },

  /** Edits and deletions wait in a queue: 202, and the record as it still is. */
  queued: {
    writes: "queued",
    createStatus: 202,
    patchAnswer: "before",
    deleteAnswer: "before",
    delete: "marks",
    deleteAgain: 409,
    errorBody: "nested",
  },

  /** Edits and deletions reach the store a moment after their answers, which are those of a service by the book. */
  writeBehind: { writes: "behind", patchAnswer: "nothing", deleteAnswer: "nothing", readGone: 410 },

  /** The token may not list keys; to delete what is deleted is a conflict. */
  noLists: { keyLists: 403, deleteAgain: 409, readGone: 410, foreign: 403, patchAnswer: "emptyBody" },

  /** A gateway that does not route the list of keys, and takes every DELETE but the first for a bad request. */
  strayGateway: { keyLists: 405, deleteAgain: 400, errorBody: "text", deleteAnswer: "emptyBody" },
} as const satisfies Readonly<Record<string, Partial<Dialect>>>;

/** The name of a preset. */
export type PresetName = keyof typeof presets;

/** A whole dialect from a preset's name, or from knobs that differ from the default dialect. */
export function completeDialect(dialect: Partial<Dialect> | PresetName): Dialect {
  if (typeof dialect !== "string") return { ...defaultDialect, ...dialect };
  if (!Object.hasOwn(presets, dialect)) {
    throw new Error(`there is no preset "${dialect}"; there are ${Object.keys(presets).join(", ")}`);
  }
  return { ...defaultDialect, ...presets[dialect] };
}
