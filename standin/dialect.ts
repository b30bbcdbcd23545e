/**
 * How the stand-in fills the gaps of the interface: one plausible service. Every knob stands alone and has a
 * default in `defaultDialect`; "stored" knobs act when something is written, "shown" knobs when it is answered.
 */
export interface Dialect {
  // ── Writes ──────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * When PATCH and DELETE of keys and PATCH of workspaces are carried out.
   * - "atOnce": before the answer.
   * - "queued": `laterMs` later, in the order in which they came. The answer is 202, and its record is the one of
   *   before, where `patchAnswer` and `deleteAnswer` send any. Until then nothing has changed.
   * - "behind": the same, but the status is 200 or 204, as if it were done.
   */
  writes: "atOnce" | "queued" | "behind";
  /**
   * A key that create or migrate made: found at once | `laterMs` later; until then GET, PATCH and DELETE answer 404
   * for it, and lists leave it out.
   */
  newKeys: "atOnce" | "later";
  /** How many milliseconds later that is, for `writes` and `newKeys`. */
  laterMs: number;
  /** Fields that a PATCH does not give: keep their value | go back to nothing ("", false, [], absent). */
  patchFields: "merges" | "replaces";
  /**
   * What a PATCH of a key does with its `scopes`. Entries are matched by id, else by representation.
   * - "replaces": the list given is the new list.
   * - "upserts": an entry given replaces its match or is added; those not named stay. A permission can only be
   *   removed by naming its entry with the flag false; the entry itself stays, with all four false.
   * - "merges": like "upserts", but a flag given as false takes a permission away only if the entry carries an id.
   * - "accumulates": flags given as true are added, false is ignored; only an entry with all four flags false
   *   removes, and it removes the whole entry.
   * - "neverNarrows": flags given as true are added; nothing is ever removed.
   */
  patchScopes: "replaces" | "upserts" | "merges" | "accumulates" | "neverNarrows";
  /** A scope entry in a PATCH with an id that the key does not have: refused | matched by its representation. */
  unknownScopeId: "refused" | "ignored";
  /** What PATCH answers: the record after the edit | before it | 204 | 200 without a body | 200 with `{}`. */
  patchAnswer: "after" | "before" | "nothing" | "emptyBody" | "emptyObject";
  /** The status of POST answers that made something. */
  createStatus: 200 | 201 | 202;
  /** What create and migrate answer: the record and its key | the record alone | only `id` and `key`. */
  createAnswer: "withKey" | "withoutKey" | "brief";
  /** `enabled` in create and migrate: taken | every key begins enabled. */
  enabledOnCreate: "honoured" | "ignored";
  /** Representations of a key's scopes: any text | only what the workspace defines as scopes, else refused. */
  keyScopes: "free" | "mustBeDefined";
  /** A POST of a scope whose representation the workspace has: refused | answered with it, 200 | a second one. */
  duplicateScope: 409 | "returned" | "made";
  /** A migrate of a value that a living key holds: refused | answered with that key, 200 | a second record. */
  migrateHeld: 409 | "returned" | "made";
  /** Which number of a workspace must be greater than 0 (interface, section 8, leaves it open). */
  positiveNumber: "defaultRateLimitPerSecond" | "defaultExpiration" | "both" | "neither";
  /** Required fields of migrate: all seven | key, name and workspaceId. */
  migrateRequires: "all" | "few";
  /** Required fields of a scope: all three | representation. */
  scopeRequires: "all" | "few";
  /** Required fields of a billing record: all five | totalCredits and workspaceId. */
  billingRequires: "all" | "few";

  // ── Deleting ────────────────────────────────────────────────────────────────────────────────────────────
  /**
   * What DELETE of a key does.
   * - "removes": the record is gone.
   * - "marks": it stays with `deleted: true`; GET answers it, lists leave it out.
   * - "marksAndLists": the same, and lists hold it.
   * - "marksAndOnlyLists": lists hold it, GET does not find it.
   */
  delete: "removes" | "marks" | "marksAndLists" | "marksAndOnlyLists";
  /** What DELETE answers: the record, marked deleted | the record as it was | 204 | 200 without a body. */
  deleteAnswer: "record" | "before" | "nothing" | "emptyBody";
  /** DELETE of a key that was deleted before. 200: answered like the first. */
  deleteAgain: 404 | 410 | 409 | 400 | 422 | 200;
  /** GET of a key that was deleted, where it is not shown; and PATCH, where deleted keys can't be edited. */
  readGone: 404 | 410;
  /** PATCH of a key that is marked as deleted: answered as `readGone` says | carried out. */
  editDeleted: "gone" | "edited";

  // ── Errors and limits ───────────────────────────────────────────────────────────────────────────────────
  /**
   * The body of an error: `{message}` | `{error: "text"}` | `{error: {code, message}}` |
   * `{errors: [{message}]}` | problem+json with `title` and `detail` | plain text | none at all.
   */
  errorBody: "message" | "error" | "nested" | "list" | "problem" | "text" | "empty";
  /** What else an error's message holds: nothing | the request's Authorization header and body, word for word. */
  errorEchoes: "nothing" | "request";
  /** The status of a refused body. */
  invalidStatus: 400 | 422;
  /** A workspace of another tenant: 403 | 404 | 404, but its lists are answered as empty, those of unknown ones too. */
  foreign: 403 | 404 | "empty";
  /** Requests that a tenant may make in each second of the clock, more get 429; 0: no limit. */
  rateLimitPerSecond: number;
  /** `Retry-After` beside a 429: seconds | an HTTP date | none. */
  retryAfter: "seconds" | "date" | "none";

  // ── Values, as stored ───────────────────────────────────────────────────────────────────────────────────
  /** Names of keys and scopes: as sent | trimmed | trimmed and lower-cased. */
  names: "asSent" | "trimmed" | "lowerCased";
  /** A key's prefix and a workspace's default: as sent | with an underscore at the end. */
  prefix: "asSent" | "underscored";
  /** Numeric text of billing records: as sent | with at least two decimal places. */
  decimals: "asSent" | "twoPlaces";
  /** `defaultAllowedIPs`: as sent | single addresses written as /32 or /128. */
  addresses: "asSent" | "cidr";
  /** A workspace's two numbers: as sent | rounded down to a multiple of ten, positive ones to no less than 10. */
  numbers: "asSent" | "rounded";
  /** A key's expiresAt: as sent | rounded down to a multiple of 60 (never below 60) | 2592000 where none was sent. */
  expiresAt: "asSent" | "rounded" | "defaulted";
  /**
   * Ids that the stand-in makes: `key_…` | numbers, also on the wire | with spaces, slashes, percent signs,
   * umlauts and other characters that must be percent-encoded in a path.
   */
  ids: "text" | "numeric" | "odd";

  // ── Records, as shown ───────────────────────────────────────────────────────────────────────────────────
  /** createdAt, updatedAt, lastUsedAt: ISO text | whole seconds | milliseconds | null. */
  timestamps: "iso" | "epochSeconds" | "epochMillis" | "null";
  /** Fields without a value: left out | null | "" for text, 0 for numbers, [] for lists. */
  absent: "omitted" | "null" | "empty";
  /** false, 0, "" and []: sent | left out, as Go's omitempty does. */
  zeroValues: "sent" | "leftOut";
  /** Empty lists, inside records and at the top: `[]` | null. */
  emptyLists: "sent" | "null";
  /** Unknown fields beside and inside every record and scope entry. */
  extraFields: boolean;
  /** The entries of a key's `scopes`. */
  scopeOrder: "asSent" | "reversed" | "sorted" | "shuffled";
  /** Ids of a key's scope entries: lasting | new after each write | new in each answer | none. */
  scopeIds: "stable" | "newEachWrite" | "newEachTime" | "none";
  /** The four flags of a scope entry: all | only those that are true. */
  scopeFlags: "all" | "onlyTrue";
  /** One more scope entry, "workspace", with all four flags false, on every key that does not name it. */
  scopeExtraEmpty: boolean;
  /** The Content-Type of JSON answers. */
  contentType: "application/json" | "application/json; charset=utf-8" | "application/vnd.api+json" | "none";

  // ── Lists ───────────────────────────────────────────────────────────────────────────────────────────────
  /** The list of a workspace's keys: answered | refused with this status, always and to everybody. */
  keyLists: "answered" | 403 | 404 | 405 | 501;
  /** The most records that a list answers, the first ones made; 0: all. */
  listCut: number;
  /** After a write, this many requests of the list it belongs to still answer what the list was before. */
  listLag: number;
  /**
   * Records in lists: full | keys without scopes and enabled | as they were before their last edit (only `deleted`
   * is as of now).
   */
  listRecords: "full" | "brief" | "stale";
  /** The order of lists. */
  listOrder: "oldestFirst" | "newestFirst";
}

/** The plainest plausible service; every other dialect is told as its differences from this one. */
export const defaultDialect: Readonly<Dialect> = {
  writes: "atOnce",
  newKeys: "atOnce",
  laterMs: 500,
  patchFields: "merges",
  patchScopes: "replaces",
  unknownScopeId: "refused",
  patchAnswer: "after",
  createStatus: 201,
  createAnswer: "withKey",
  enabledOnCreate: "honoured",
  keyScopes: "free",
  duplicateScope: 409,
  migrateHeld: 409,
  positiveNumber: "defaultRateLimitPerSecond",
  migrateRequires: "all",
  scopeRequires: "all",
  billingRequires: "few",
  delete: "removes",
  deleteAnswer: "record",
  deleteAgain: 404,
  readGone: 404,
  editDeleted: "gone",
  errorBody: "message",
  errorEchoes: "nothing",
  invalidStatus: 400,
  foreign: 404,
  rateLimitPerSecond: 0,
  retryAfter: "seconds",
  names: "asSent",
  prefix: "asSent",
  decimals: "asSent",
  addresses: "asSent",
  numbers: "asSent",
  expiresAt: "asSent",
  ids: "text",
  timestamps: "iso",
  absent: "omitted",
  zeroValues: "sent",
  emptyLists: "sent",
  extraFields: false,
  scopeOrder: "asSent",
  scopeIds: "stable",
  scopeFlags: "all",
  scopeExtraEmpty: false,
  contentType: "application/json",
  keyLists: "answered",
  listCut: 0,
  listLag: 0,
  listRecords: "full",
  listOrder: "oldestFirst",
};
