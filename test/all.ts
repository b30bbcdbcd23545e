/**
 * Whether this is `npm run test:all`. `npm test` shows each rule where that costs least; what shows it again, on more
 * services, seeds and moments, runs in test:all alone. vitest.config.mts names the files that do so whole.
 */
export const isAll = process.env["MODE"] === "all";

/** The cases of a list that `npm test` takes; test:all takes every one. */
export function someOf<T>(all: readonly T[], isTaken: (one: T) => boolean): readonly T[] {
  return isAll ? all : all.filter(isTaken);
}

/** A quarter of this number of runs on generated values or seeds; test:all makes all of them. */
export const runs = (all: number): number => (isAll ? all : Math.ceil(all / 4));
