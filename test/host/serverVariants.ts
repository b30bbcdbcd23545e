import fc from "fast-check";
import { defaultVariant, knobs, type PresetName, presets, type Variant } from "../../standin";
import { isAll, someOf } from "../all";

/** Shorter than the provider's pauses, even where a test shortens those. */
export const laterMs = 1;

/** Every value of every knob, and some values of those that are numbers. */
export const knobValues: { readonly [Knob in keyof Variant]: readonly Variant[Knob][] } = {
  ...knobs,
  laterMs: [laterMs],
  rateLimitPerSecond: [0, 40],
  listLimit: [0, 1],
  listLag: [0, 2],
};

/** A variant under test, by its name. */
export interface Case {
  readonly name: string;
  readonly variant: Variant;
  /** Each case has its own workspace. The form of its id is the variant's. */
  readonly workspaceId: string;
}

/** One case for each value of each knob, with all other knobs at their default. `npm test` has none of them. */
export const knobCases: readonly Case[] = Object.entries(isAll ? knobValues : {})
  .filter(([knob]) => knob !== "laterMs")
  .flatMap(([knob, all]) =>
    all
      .filter((value) => value !== defaultVariant[knob as keyof Variant])
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

function caseOf(name: string, knobs: Partial<Variant>): Case {
  const variant = { ...defaultVariant, laterMs, ...knobs };
  const place = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  const ids = { text: `ws_${place}`, numeric: `${place}`, odd: `ws ${place}/ü%2F?#` };
  return { name, variant, workspaceId: ids[variant.ids] };
}

/** The knobs that are not in mixtures, and why. */
const alone: ReadonlySet<string> = new Set<keyof Variant>([
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
export const mixtures: fc.Arbitrary<Partial<Variant>> = fc
  .record(
    Object.fromEntries(
      Object.entries(knobValues)
        .filter(([knob]) => !alone.has(knob))
        .map(([knob, all]) => {
          // A 501 is retried, after pauses of seconds.
          const others = all.filter(
            (value) => value !== defaultVariant[knob as keyof Variant] && value !== 501,
          );
          return [knob, fc.constantFrom<unknown>(...others)];
        }),
    ),
    { requiredKeys: [] },
  )
  .map((knobs) => ({ ...knobs, laterMs }));
