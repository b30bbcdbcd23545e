import { defaultVariant, type Variant } from "./variant";

const preset = (differences: Partial<Variant>): Readonly<Partial<Variant>> => differences;

/**
 * The presets by name: server variants that combine knobs as real services do. Each has only its differences from
 * {@link defaultVariant}. `startStandIn` and `setVariant` take a preset or its name.
 *
 * @example
 * ```ts
 * import { presets, startStandIn } from "pulumi-apikeys/testing";
 *
 * export const start = () => startStandIn({ variant: { ...presets.strictRest, rateLimitPerSecond: 5 } });
 * ```
 *
 * @see docs/testing.md
 */
export const presets = {
  /** The default variant. */
  default: preset({}),
  /** Deleted keys stay forever, marked as deleted, and can be read. A second DELETE succeeds like the first. */
  softDelete: preset({
    delete: "marksAndLists",
    deleteAgain: 200,
    absent: "null",
    listOrder: "newestFirst",
    duplicateScope: "returned",
    duplicateKey: "returned",
  }),
  /** Textbook REST: PATCH and DELETE answer 204; problem details; 410 for deleted objects, 403 for those of others. */
  strictRest: preset({
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
  }),
  /** A gateway over GraphQL: never 201; nulls; unknown fields; errors in a list; empty lists for other tenants. */
  graphqlish: preset({
    createStatus: 200,
    absent: "null",
    extraFields: true,
    errorBody: "list",
    otherTenant: "empty",
    delete: "marks",
    deleteAgain: 200,
    scopeIds: "newEachTime",
    duplicateScope: "created",
  }),
  /** A Go service with omitempty everywhere: leaves out false, 0, "" and empty lists; nil slices are null. */
  goJson: preset({
    zeroValues: "omitted",
    emptyLists: "null",
    scopeFlags: "onlyTrue",
    timestamps: "epochSeconds",
    errorBody: "text",
    createStatus: 200,
    positiveNumber: "defaultExpiration",
    deleteAgain: 400,
  }),
  /** A Rails application: nested attributes are upserted, names trimmed, decimals with two places, numeric ids. */
  rails: preset({
    patchScopes: "upserts",
    ids: "numeric",
    names: "trimmed",
    decimals: "twoPlaces",
    invalidStatus: 422,
    deleteAgain: 422,
    errorBody: "error",
    absent: "null",
    scopeOrder: "sorted",
  }),
  /** Lists are read from a replica that lags behind. Their records are older than the last edit. */
  laggingReplica: preset({
    listLag: 1,
    listRecords: "stale",
    patchAnswer: "before",
    deleteAnswer: "before",
    listLimit: 100,
  }),
  /** Every value that can be a number is a number. */
  numericIds: preset({
    ids: "numeric",
    timestamps: "epochMillis",
    createStatus: 200,
    errorBody: "nested",
    absent: "empty",
    expiresAt: "rounded",
    numbers: "rounded",
  }),
  /** PATCH adds permissions, and removes one only if the entry has its id. Its answer is an empty object. */
  mergePatch: preset({
    patchScopes: "merges",
    extraEmptyScope: true,
    patchAnswer: "emptyObject",
    unknownScopeId: "ignored",
    editDeleted: "edited",
    delete: "marksAndOnlyLists",
  }),
  /** PATCH resets each field that it does not have, and creates all scope entries again. */
  replacing: preset({
    patchFields: "replaces",
    scopeIds: "newEachWrite",
    scopeOrder: "reversed",
    absent: "empty",
    migrateRequires: "few",
    scopeRequires: "few",
  }),
  /** The service rewrites every value to its own spelling. */
  normalizing: preset({
    names: "lowerCased",
    prefix: "underscored",
    decimals: "twoPlaces",
    addresses: "cidr",
    numbers: "rounded",
    expiresAt: "defaulted",
    scopeOrder: "sorted",
    scopeFlags: "onlyTrue",
    enabledOnCreate: "ignored",
  }),
  /** As little as possible: brief list records and answers; no ids for scope entries, no times, no error messages. */
  minimal: preset({
    createAnswer: "brief",
    listRecords: "brief",
    patchAnswer: "emptyBody",
    deleteAnswer: "emptyBody",
    scopeIds: "none",
    timestamps: "null",
    errorBody: "empty",
    contentType: "none",
  }),
  /** Ids with characters that have a meaning in a path, and scope entries in a different order each time. */
  oddIds: preset({
    ids: "odd",
    scopeOrder: "shuffled",
    contentType: "application/vnd.api+json",
    extraFields: true,
    listOrder: "newestFirst",
  }),
  /** Few requests per second, and a date that says when to try again. */
  throttled: preset({ rateLimitPerSecond: 10, retryAfter: "date", createStatus: 202, errorBody: "nested" }),
  /** Edits and deletions wait in a queue: the answer is 202, with the record as it still is. */
  queued: preset({
    writes: "queued",
    createStatus: 202,
    patchAnswer: "before",
    deleteAnswer: "before",
    delete: "marks",
    deleteAgain: 409,
    errorBody: "nested",
  }),
  /** Edits and deletions reach the store a moment after their answers, which look like those of textbook REST. */
  writeBehind: preset({
    writes: "behind",
    patchAnswer: "nothing",
    deleteAnswer: "nothing",
    readDeleted: 410,
  }),
  /** The token may not list keys. Deleting a deleted key is a conflict. */
  noLists: preset({
    keyLists: 403,
    deleteAgain: 409,
    readDeleted: 410,
    otherTenant: 403,
    patchAnswer: "emptyBody",
  }),
  /** A gateway that does not route the list of keys, and answers 400 to every DELETE of a key after the first. */
  strayGateway: preset({ keyLists: 405, deleteAgain: 400, errorBody: "text", deleteAnswer: "emptyBody" }),
};

/** The name of a preset. */
export type PresetName = keyof typeof presets;

/** The complete variant for a preset's name, or for knobs that differ from the default variant. */
export function completeVariant(variant: Partial<Variant> | PresetName): Variant {
  if (typeof variant !== "string") return { ...defaultVariant, ...variant };
  if (!Object.hasOwn(presets, variant)) {
    throw new Error(`there is no preset "${variant}"; the presets are ${Object.keys(presets).join(", ")}`);
  }
  return { ...defaultVariant, ...presets[variant] };
}
