import fc from "fast-check";
import { defaultVariant, namedVariants, type Variant, type VariantName, variantOptions } from "../../standin";
import { isAll, someOf } from "../all";

/** Shorter than the provider's pauses, even where a test shortens those. */
export const laterMs = 1;

/** Every value of every part of a variant, and some values of those that are numbers. */
export const variantValues: { readonly [Part in keyof Variant]: readonly Variant[Part][] } = {
  ...variantOptions,
  laterMs: [laterMs],
  rateLimitPerSecond: [0, 40],
  listLimit: [0, 1],
  listLag: [0, 2],
};

/** A variant under test, by its name. */
interface VariantCase {
  readonly name: string;
  readonly variant: Variant;
  /** Each case has its own workspace. The form of its id is the variant's. */
  readonly workspaceId: string;
}

/** One case for each value of each part, with all other parts at their default. `npm test` has none of them. */
const singleCases: readonly VariantCase[] = Object.entries(isAll ? variantValues : {})
  .filter(([part]) => part !== "laterMs")
  .flatMap(([part, all]) =>
    all
      .filter((value) => value !== defaultVariant[part as keyof Variant])
      .map((value) => caseOf(`${part} ${value}`, { [part]: value })),
  );

/** The named variants that differ most from one another. */
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

const namedCases: readonly VariantCase[] = someOf(Object.keys(namedVariants) as VariantName[], (name) =>
  few.includes(name),
).map((name) => caseOf(`the variant ${name}`, namedVariants[name]));

export const variantCases: readonly VariantCase[] = [...namedCases, ...singleCases];

function caseOf(name: string, parts: Partial<Variant>): VariantCase {
  const variant = { ...defaultVariant, laterMs, ...parts };
  const place = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  const ids = { text: `ws_${place}`, numeric: `${place}`, odd: `ws ${place}/ü%2F?#` };
  return { name, variant, workspaceId: ids[variant.ids] };
}

/** The parts that are not in mixtures, and why. */
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

/** Values that differ from the default, of about half of the parts; fast-check removes those that a failure doesn't need. */
export const mixtures: fc.Arbitrary<Partial<Variant>> = fc
  .record(
    Object.fromEntries(
      Object.entries(variantValues)
        .filter(([part]) => !alone.has(part))
        .map(([part, all]) => {
          // A 501 is retried, after pauses of seconds.
          const others = all.filter(
            (value) => value !== defaultVariant[part as keyof Variant] && value !== 501,
          );
          return [part, fc.constantFrom<unknown>(...others)];
        }),
    ),
    { requiredKeys: [] },
  )
  .map((mixture) => ({ ...mixture, laterMs }));
