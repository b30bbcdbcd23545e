/**
 * The options of a server variant, each with its values, the default first. They are independent of each other. Options for
 * stored values apply when something is written, options for shown values when it is answered. "a | b" in a comment says
 * what the values of an option do, in their order.
 */
export const variantOptions = {
  // ── Writes ──────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * When PATCH and DELETE of keys and PATCH of workspaces are carried out.
   * - "atOnce": before the answer.
   * - "queued": `laterMs` later, in the order in which they arrived. The answer is 202, with the record as it was
   *   before, if `patchAnswer` and `deleteAnswer` send a record. Nothing changes until then.
   * - "behind": the same, but the status is 200 or 204, as if the change were done.
   */
  writes: ["atOnce", "queued", "behind"],
  /**
   * When a new key can be found: at once | `laterMs` later. Until then GET, PATCH and DELETE
   * answer 404 for it, and lists leave it out.
   */
  newKeys: ["atOnce", "later"],
  /** The delay in milliseconds for `writes` and `newKeys`. */
  laterMs: [500 as number],
  /** Fields that a PATCH leaves out: keep their value | are reset ("", false, [], absent). */
  patchFields: ["merges", "replaces"],
  /**
   * The effect of a PATCH of a key on its `scopes`. Entries are matched by id, else by representation.
   * - "replaces": the list in the request is the new list.
   * - "upserts": an entry in the request replaces its match or is added; the other entries stay. A permission is
   *   removed only by sending its entry with the flag false; the entry itself stays, with all four flags false.
   * - "merges": like "upserts", but a false flag removes a permission only if the entry has an id.
   * - "neverNarrows": true flags are added; nothing is ever removed.
   */
  patchScopes: ["replaces", "upserts", "merges", "neverNarrows"],
  /** The answer to PATCH: the record after the edit | before it | 204 | 200 without a body | 200 with `{}`. */
  patchAnswer: ["after", "before", "nothing", "emptyBody", "emptyObject"],
  /** The status of POST answers that created something. */
  createStatus: [201, 200, 202],
  /** The answer to create and migrate: the record with its `key` | the record without it | only `id` and `key`. */
  createAnswer: ["withKey", "withoutKey", "brief"],
  /** `enabled` in create and migrate: used | ignored, so that every new key is enabled. */
  enabledOnCreate: ["used", "ignored"],
  /**
   * A POST of a scope whose representation the workspace has: refused | 200 with the existing scope | a second scope.
   */
  duplicateScope: [409, "returned", "created"],
  /** A migrate of a value that a live key has: refused | 200 with the existing key | a second record. */
  duplicateKey: [409, "returned", "created"],

  // ── Deleting ────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * The effect of DELETE on a key.
   * - "removes": the record no longer exists.
   * - "marks": the record stays with `deleted: true`; GET returns it, lists leave it out.
   * - "marksAndLists": the same, but lists contain it too.
   * - "marksAndOnlyLists": lists contain it, but GET does not find it.
   */
  delete: ["removes", "marks", "marksAndLists", "marksAndOnlyLists"],
  /** The answer to DELETE: the record, marked as deleted | the record as it was | 204 | 200 without a body. */
  deleteAnswer: ["record", "before", "nothing", "emptyBody"],
  /** The status of DELETE for a key that is deleted already. 200: the same answer as the first time. */
  deleteAgain: [404, 410, 409, 400, 422, 200],
  /** The status of PATCH for a deleted key, and of GET if it is not shown; "null": 200 with `{"apiKey": null}`. */
  readDeleted: [404, 410, "null"],

  // ── Errors and limits ───────────────────────────────────────────────────────────────────────────────────
  /**
   * The body of an error: `{message}` | `{error: "text"}` | `{error: {code, message}}` |
   * `{errors: [{message}]}` | problem+json with `title` and `detail` | plain text | none at all.
   */
  errorBody: ["message", "error", "nested", "list", "problem", "text", "empty"],
  /** The part of a request that an error's message repeats: nothing | the request's Authorization header and body, word for word. */
  errorEchoes: ["nothing", "request"],
  /** A workspace of another tenant: 404 | 403 | 404 with empty lists, also for unknown workspaces. */
  otherTenant: [404, 403, "empty"],
  /** How many requests a tenant may send in each second; more are answered with 429. 0: no limit. */
  rateLimitPerSecond: [0 as number],

  // ── Values, as stored ───────────────────────────────────────────────────────────────────────────────────
  /** Names of keys and scopes: as sent | trimmed | trimmed and lower-cased. */
  names: ["asSent", "trimmed", "lowerCased"],
  /** A key's prefix and a workspace's default: as sent | with an underscore at the end. */
  prefix: ["asSent", "underscored"],
  /** Decimal strings of billing records: as sent | with at least two decimal places. */
  decimals: ["asSent", "twoPlaces"],
  /** `defaultAllowedIPs`: as sent | single addresses written as /32 or /128. */
  addresses: ["asSent", "cidr"],
  /** A key's expiresAt: as sent | rounded down to a multiple of 60 (at least 60) | 2592000 if none was sent. */
  expiresAt: ["asSent", "rounded", "defaulted"],
  /**
   * Ids that the stand-in generates: `key_…` | numbers, also in JSON | with spaces, slashes, percent signs, umlauts and
   * other characters that must be percent-encoded in a path.
   */
  ids: ["text", "numeric", "odd"],

  // ── Records, as shown ───────────────────────────────────────────────────────────────────────────────────
  /** createdAt, updatedAt, lastUsedAt: ISO strings | whole seconds | milliseconds | null. */
  timestamps: ["iso", "epochSeconds", "epochMillis", "null"],
  /** Fields without a value: left out | null | "" for strings, 0 for numbers, [] for lists. */
  absent: ["omitted", "null", "empty"],
  /**
   * false, 0, "" and []: sent | left out, as Go's omitempty does. A list at the top level is left out only if the answer
   * then has no field.
   */
  zeroValues: ["sent", "omitted"],
  /** Empty lists that are not left out, inside records and at the top level: `[]` | null. */
  emptyLists: ["sent", "null"],
  /** Whether answers have unknown fields, next to and inside every record and scope entry. */
  extraFields: [false, true],
  /** The order of the entries of a key's `scopes`: as sent | another one in each answer. */
  scopeOrder: ["asSent", "shuffled"],
  /** Ids of a key's scope entries: stable | new after each write | new in each answer | none. */
  scopeIds: ["stable", "newEachWrite", "newEachTime", "none"],
  /** The four flags of a scope entry: all | only the true ones. */
  scopeFlags: ["all", "onlyTrue"],

  // ── Lists ───────────────────────────────────────────────────────────────────────────────────────────────
  /** The list of a workspace's keys: answered | always refused with this status. */
  keyLists: ["answered", 403, 404, 405, 501],
  /** The maximum number of records in a list, which then has the oldest ones. 0: no maximum. */
  listLimit: [0 as number],
  /**
   * The sign of a list that `listLimit` cuts: none | a header `Link` with the next page | `next`, its URL, beside the list |
   * `total`, the number of all records | `hasMore`. Only with the URL of the next page, the rest can be read.
   */
  listPages: ["none", "link", "next", "total", "hasMore"],
  /** After a write, this many requests for its list still return the list as it was before. */
  listLag: [0 as number],
  /**
   * Records in lists: full | keys without scopes and enabled | as they were before their last edit (only `deleted` is
   * current).
   */
  listRecords: ["full", "brief", "stale"],
} as const;

/**
 * A server variant: one plausible way for a service to behave where its API's description leaves it open. It has one value
 * for each option ({@link variantOptions}).
 */
export type Variant = { [Option in keyof typeof variantOptions]: (typeof variantOptions)[Option][number] };

/** The variant of the simplest plausible service: the default of every option. */
export const defaultVariant = Object.fromEntries(
  Object.entries(variantOptions).map(([option, [usual]]) => [option, usual]),
) as Readonly<Variant>;

const variantWith = (differences: Partial<Variant>): Readonly<Partial<Variant>> => differences;

/**
 * Named server variants that combine options as real services do. Each has only its differences from
 * {@link defaultVariant}. `startStandIn` and `setVariant` take one or its name.
 *
 * @see docs/testing.md
 */
export const namedVariants = {
  /** The default variant. */
  default: variantWith({}),
  /** Deleted keys stay forever, marked as deleted, and can be read. A second DELETE succeeds like the first. */
  softDelete: variantWith({
    delete: "marksAndLists",
    deleteAgain: 200,
    absent: "null",
    duplicateScope: "returned",
    duplicateKey: "returned",
  }),
  /** Textbook REST: PATCH and DELETE answer 204; problem details; 410 for deleted objects, 403 for those of others. */
  strictRest: variantWith({
    patchAnswer: "nothing",
    deleteAnswer: "nothing",
    deleteAgain: 410,
    readDeleted: 410,
    errorBody: "problem",
    otherTenant: 403,
  }),
  /** A gateway over GraphQL: never 201; nulls; unknown fields; errors in a list; empty lists for other tenants. */
  graphqlish: variantWith({
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
  goJson: variantWith({
    zeroValues: "omitted",
    emptyLists: "null",
    scopeFlags: "onlyTrue",
    timestamps: "epochSeconds",
    errorBody: "text",
    createStatus: 200,
    deleteAgain: 400,
  }),
  /** A Rails application: nested attributes are upserted, names trimmed, decimals with two places, numeric ids. */
  rails: variantWith({
    patchScopes: "upserts",
    ids: "numeric",
    names: "trimmed",
    decimals: "twoPlaces",
    deleteAgain: 422,
    errorBody: "error",
    absent: "null",
    scopeOrder: "shuffled",
  }),
  /** Lists are read from a replica that lags behind. Their records are older than the last edit. */
  laggingReplica: variantWith({
    listLag: 1,
    listRecords: "stale",
    patchAnswer: "before",
    deleteAnswer: "before",
    listLimit: 100,
  }),
  /** PATCH adds permissions, and removes one only if the entry has its id. Its answer is an empty object. */
  mergePatch: variantWith({
    patchScopes: "merges",
    patchAnswer: "emptyObject",
    delete: "marksAndOnlyLists",
  }),
  /** PATCH resets each field that it does not have, and creates all scope entries again. */
  replacing: variantWith({
    patchFields: "replaces",
    scopeIds: "newEachWrite",
    scopeOrder: "shuffled",
    absent: "empty",
  }),
  /** The service rewrites every value to its own spelling. */
  normalizing: variantWith({
    names: "lowerCased",
    prefix: "underscored",
    decimals: "twoPlaces",
    addresses: "cidr",
    expiresAt: "defaulted",
    scopeOrder: "shuffled",
    scopeFlags: "onlyTrue",
    enabledOnCreate: "ignored",
  }),
  /** As little as possible: brief list records and answers; no ids for scope entries, no times, no error messages. */
  minimal: variantWith({
    createAnswer: "brief",
    listRecords: "brief",
    patchAnswer: "emptyBody",
    deleteAnswer: "emptyBody",
    scopeIds: "none",
    timestamps: "null",
    errorBody: "empty",
  }),
  /** Ids with characters that have a meaning in a path, and scope entries in a different order each time. */
  oddIds: variantWith({
    ids: "odd",
    scopeOrder: "shuffled",
    extraFields: true,
  }),
  /** Lists in pages of two, each with a link to the next one. */
  paged: variantWith({ listLimit: 2, listPages: "link" }),
  /** Few requests per second. */
  throttled: variantWith({ rateLimitPerSecond: 10, createStatus: 202, errorBody: "nested" }),
  /** Edits and deletions wait in a queue: the answer is 202, with the record as it still is. */
  queued: variantWith({
    writes: "queued",
    createStatus: 202,
    patchAnswer: "before",
    deleteAnswer: "before",
    delete: "marks",
    deleteAgain: 409,
    errorBody: "nested",
  }),
  /** Edits and deletions reach the store a moment after their answers, which look like those of textbook REST. */
  writeBehind: variantWith({
    writes: "behind",
    patchAnswer: "nothing",
    deleteAnswer: "nothing",
    readDeleted: 410,
  }),
  /** The token may not list keys. Deleting a deleted key is a conflict. */
  noLists: variantWith({
    keyLists: 403,
    deleteAgain: 409,
    readDeleted: 410,
    otherTenant: 403,
    patchAnswer: "emptyBody",
  }),
};

/** The name of a server variant. */
export type VariantName = keyof typeof namedVariants;

/** A description of a service, as `npx pulumi-apikeys probe --save` writes it: its options, as far as they were seen. */
export interface ProbedService {
  /** The options that were seen. All others have their defaults. */
  readonly variant: Readonly<Record<string, unknown>>;
}

/** The complete variant for a name, for a probed service, or for options that differ from the default variant. */
export function completeVariant(variant: Partial<Variant> | VariantName | ProbedService): Variant {
  if (typeof variant === "object") {
    const isProbed = "variant" in variant;
    if (isProbed) checkOptions(variant.variant);
    return { ...defaultVariant, ...((isProbed ? variant.variant : variant) as Partial<Variant>) };
  }
  if (!Object.hasOwn(namedVariants, variant)) {
    throw new Error(
      `there is no variant "${variant}"; the variants are ${Object.keys(namedVariants).join(", ")}`,
    );
  }
  return { ...defaultVariant, ...namedVariants[variant] };
}

/** The options may come from a file of another version, or from one that was edited. */
function checkOptions(options: ProbedService["variant"]): void {
  for (const [option, value] of Object.entries(options)) {
    const values: readonly unknown[] = Object(variantOptions)[option] ?? [];
    const isCount = values.length === 1 && Number.isSafeInteger(value) && Number(value) >= 0;
    if (!isCount && !values.includes(value))
      throw new Error(`there is no value ${value} of a variant's option ${option}`);
  }
}
