import fc from "fast-check";
import { expect, test } from "vitest";
import { unknownSentinels } from "../../../provider/core/fields";
import { canonicalCredits, creditsSchema } from "../../../provider/resources/customerBilling";

const passes = (value: unknown) => creditsSchema.safeParse(value).success;

/** A number by its digits, without the zeros that a spelling may add. */
const digits = (most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: most }).map((all) => all.join(""));
const value = fc
  .record({ negative: fc.boolean(), whole: digits(40), fraction: digits(40) })
  .map(({ negative, whole, fraction }) => ({
    negative,
    whole: whole.replace(/^0+/, ""),
    fraction: fraction.replace(/0+$/, ""),
  }));
type Value = typeof value extends fc.Arbitrary<infer T> ? T : never;

function plain({ negative, whole, fraction }: Value): string {
  const digits = `${whole || "0"}${fraction === "" ? "" : `.${fraction}`}`;
  return negative && digits !== "0" ? `-${digits}` : digits;
}

const spelled = ({ negative, whole, fraction }: Value) =>
  fc
    .tuple(fc.nat(9), fc.nat(9), fc.constantFrom("", " "), fc.boolean())
    .map(([before, after, space, plus]) => {
      const point = fraction === "" && after === 0 ? "" : ".";
      const sign = negative ? "-" : plus ? "+" : "";
      const text = `${"0".repeat(before)}${whole || "0"}${point}${fraction}${"0".repeat(after)}`;
      return `${space}${sign}${text}${space}`;
    });

test("B1: credits are compared by value, whatever zeros, signs and spaces they are written with", () => {
  fc.assert(
    fc.property(
      value.chain((of) => fc.tuple(fc.constant(of), spelled(of))),
      ([of, text]) => {
        expect(passes(text)).toBe(true);
        expect(canonicalCredits(text)).toBe(plain(of));
        expect(canonicalCredits(plain(of))).toBe(plain(of));
      },
    ),
  );
  const long = `${"9".repeat(60)}.${"0".repeat(59)}1`;
  expect(canonicalCredits(long)).toBe(long);
});

test("B1 credits may be a number if it is a safe integer, which becomes a string", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      expect(passes(number)).toBe(true);
      expect(canonicalCredits(number)).toBe(String(number === 0 ? 0 : number));
    }),
  );
  for (const number of [0.5, 1e21, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])
    expect(passes(number)).toBe(false);
});

test("B1 R8 credits fail the check if they are not a decimal string, and then have no canonical form", () => {
  const long = ["1".repeat(61), `0.${"1".repeat(61)}`, "9".repeat(100_000)];
  const texts = "1e3 1E3 0x10 0b1 NaN Infinity -Infinity 1,000 1_000 . - + --1 1.2.3 $5 ５".split(" ");
  for (const one of [...texts, ...long, "1 000", "", " ", true, {}, [], ["1"]]) {
    expect(passes(one), String(one).slice(0, 20)).toBe(false);
    expect(canonicalCredits(one)).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(passes(text)).toBe(/^\s*[+-]?(\d{1,60}(\.\d{0,60})?|\.\d{1,60})\s*$/.test(text));
    }),
  );
});

test("R2 R8 credits have no value if they are absent, null or empty, and pass if they are unknown", () => {
  for (const absent of [undefined, null, ""]) expect(canonicalCredits(absent)).toBeUndefined();
  for (const absent of [undefined, null]) expect(passes(absent)).toBe(true);
  for (const unknown of unknownSentinels) expect(passes(unknown)).toBe(true);
});
