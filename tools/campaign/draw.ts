import fc from "fast-check";

/** Choices that follow from a seed alone. */
export interface Draw {
  /** A whole number, both ends included. */
  number(from: number, to: number): number;
  one<T>(among: readonly T[]): T;
  /** True in this number of a hundred cases. */
  chance(percent: number): boolean;
}

export function drawing(seed: number): Draw {
  const [given] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  if (given === undefined) throw new Error("nothing was drawn");
  const number = (min: number, max: number) => given(evenly, min, max);
  return {
    number,
    one: (among) => among[number(0, among.length - 1)] as (typeof among)[number],
    chance: (percent) => number(1, 100) <= percent,
  };
}

/** By itself fast-check prefers the ends of a range. */
function evenly(min: number, max: number): fc.Arbitrary<number> {
  return fc.noBias(fc.integer({ min, max }));
}
