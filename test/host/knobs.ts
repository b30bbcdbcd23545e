import fc from "fast-check";
import { type Dialect, defaultDialect, type PresetName, presets } from "../../standin";
import { isAll, someOf } from "../all";

/** Shorter than the provider's pauses, even where a test shortens those. */
export const laterMs = 1;

/** Every value of every knob; the types ensure that no value of a union is left out. */
export const knobValues: { readonly [Knob in keyof Dialect]: readonly Dialect[Knob][] } = {
  writes: every<"writes">()(["atOnce", "queued", "behind"]),
  newKeys: every<"newKeys">()(["atOnce", "later"]),
  laterMs: [laterMs],
  patchFields: every<"patchFields">()(["merges", "replaces"]),
  patchScopes: every<"patchScopes">()(["replaces", "upserts", "merges", "accumulates", "neverNarrows"]),
  unknownScopeId: every<"unknownScopeId">()(["refused", "ignored"]),
  patchAnswer: every<"patchAnswer">()(["after", "before", "nothing", "emptyBody", "emptyObject"]),
  createStatus: every<"createStatus">()([200, 201, 202]),
  createAnswer: every<"createAnswer">()(["withKey", "withoutKey", "brief"]),
  enabledOnCreate: every<"enabledOnCreate">()(["used", "ignored"]),
  keyScopes: every<"keyScopes">()(["free", "mustBeDefined"]),
  duplicateScope: every<"duplicateScope">()([409, "returned", "created"]),
  duplicateKey: every<"duplicateKey">()([409, "returned", "created"]),
  positiveNumber: every<"positiveNumber">()([
    "defaultRateLimitPerSecond",
    "defaultExpiration",
    "both",
    "neither",
  ]),
  migrateRequires: every<"migrateRequires">()(["all", "few"]),
  scopeRequires: every<"scopeRequires">()(["all", "few"]),
  billingRequires: every<"billingRequires">()(["all", "few"]),
  delete: every<"delete">()(["removes", "marks", "marksAndLists", "marksAndOnlyLists"]),
  deleteAnswer: every<"deleteAnswer">()(["record", "before", "nothing", "emptyBody"]),
  deleteAgain: every<"deleteAgain">()([404, 410, 409, 400, 422, 200]),
  readDeleted: every<"readDeleted">()([404, 410]),
  editDeleted: every<"editDeleted">()(["gone", "edited"]),
  errorBody: every<"errorBody">()(["message", "error", "nested", "list", "problem", "text", "empty"]),
  errorEchoes: every<"errorEchoes">()(["nothing", "request"]),
  invalidStatus: every<"invalidStatus">()([400, 422]),
  otherTenant: every<"otherTenant">()([403, 404, "empty"]),
  rateLimitPerSecond: [0, 40],
  retryAfter: every<"retryAfter">()(["seconds", "date", "none"]),
  names: every<"names">()(["asSent", "trimmed", "lowerCased"]),
  prefix: every<"prefix">()(["asSent", "underscored"]),
  decimals: every<"decimals">()(["asSent", "twoPlaces"]),
  addresses: every<"addresses">()(["asSent", "cidr"]),
  numbers: every<"numbers">()(["asSent", "rounded"]),
  expiresAt: every<"expiresAt">()(["asSent", "rounded", "defaulted"]),
  ids: every<"ids">()(["text", "numeric", "odd"]),
  timestamps: every<"timestamps">()(["iso", "epochSeconds", "epochMillis", "null"]),
  absent: every<"absent">()(["omitted", "null", "empty"]),
  zeroValues: every<"zeroValues">()(["sent", "omitted"]),
  emptyLists: every<"emptyLists">()(["sent", "null"]),
  extraFields: every<"extraFields">()([false, true]),
  scopeOrder: every<"scopeOrder">()(["asSent", "reversed", "sorted", "shuffled"]),
  scopeIds: every<"scopeIds">()(["stable", "newEachWrite", "newEachTime", "none"]),
  scopeFlags: every<"scopeFlags">()(["all", "onlyTrue"]),
  extraEmptyScope: every<"extraEmptyScope">()([false, true]),
  contentType: every<"contentType">()([
    "application/json",
    "application/json; charset=utf-8",
    "application/vnd.api+json",
    "none",
  ]),
  keyLists: every<"keyLists">()(["answered", 403, 404, 405, 501]),
  listLimit: [0, 1],
  listLag: [0, 2],
  listRecords: every<"listRecords">()(["full", "brief", "stale"]),
  listOrder: every<"listOrder">()(["oldestFirst", "newestFirst"]),
};

function every<Knob extends keyof Dialect>() {
  type Value = Dialect[Knob];
  return <const List extends readonly Value[]>(list: [Value] extends [List[number]] ? List : never): List =>
    list;
}

/** A dialect under test, by its name. */
export interface Case {
  readonly name: string;
  readonly dialect: Dialect;
  /** Each case has its own workspace. The form of its id is the dialect's. */
  readonly workspaceId: string;
}

/** One case for each value of each knob, with all other knobs at their default. `npm test` has none of them. */
export const knobCases: readonly Case[] = Object.entries(isAll ? knobValues : {})
  .filter(([knob]) => knob !== "laterMs")
  .flatMap(([knob, all]) =>
    all
      .filter((value) => value !== defaultDialect[knob as keyof Dialect])
      .map((value) => caseOf(`${knob} ${value}`, { [knob]: value })),
  );

/** The presets that differ most from one another. */
const few = [
  "default",
  "strictRest",
  "graphqlish",
  "goJson",
  "mergePatch",
  "normalizing",
  "minimal",
  "queued",
  "noLists",
];

export const presetCases: readonly Case[] = someOf(Object.keys(presets) as PresetName[], (name) =>
  few.includes(name),
).map((name) => caseOf(`preset ${name}`, presets[name]));

function caseOf(name: string, knobs: Partial<Dialect>): Case {
  const dialect = { ...defaultDialect, laterMs, ...knobs };
  const place = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  const ids = { text: `ws_${place}`, numeric: `${place}`, odd: `ws ${place}/ü%2F?#` };
  return { name, dialect, workspaceId: ids[dialect.ids] };
}

/** The knobs that are not in mixtures, and why. */
const alone: ReadonlySet<string> = new Set<keyof Dialect>([
  // Each pause would take a second.
  "rateLimitPerSecond",
  // A key without its secret hides other failures.
  "createAnswer",
  // A key that was not created as declared can't be corrected while the service doesn't find it.
  "newKeys",
  // It is the same in all.
  "laterMs",
]);

/** Knobs that differ from the default, about half of them; fast-check removes those that a failure doesn't need. */
export const mixtures: fc.Arbitrary<Partial<Dialect>> = fc
  .record(
    Object.fromEntries(
      Object.entries(knobValues)
        .filter(([knob]) => !alone.has(knob))
        .map(([knob, all]) => {
          // A 501 is retried, after pauses of seconds.
          const others = all.filter(
            (value) => value !== defaultDialect[knob as keyof Dialect] && value !== 501,
          );
          return [knob, fc.constantFrom<unknown>(...others)];
        }),
    ),
    { requiredKeys: [] },
  )
  .map((knobs) => ({ ...knobs, laterMs }));
