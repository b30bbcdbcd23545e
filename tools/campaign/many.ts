import { inspect } from "node:util";
import { openForeigner } from "./foreigner";
import type { Tier } from "./tiers";
import { type Trial, tryOut, unplayed } from "./trial";

/** Tries out seeds, several at a time: they mostly wait. One that can't be played stops no other. */
export async function tryOutMany(
  seeds: Iterable<number>,
  tier: Tier,
  onTrial: (trial: Trial) => void,
  onBegin: (seed: number) => void = () => {},
): Promise<void> {
  const foreigner = await openForeigner();
  const left = seeds[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const seed = next.value;
      onBegin(seed);
      const trial = tryOut(seed, tier, foreigner).catch((error: unknown) => unplayed(seed, inspect(error)));
      onTrial(await trial);
    }
  };
  try {
    await Promise.all(Array.from({ length: tier.atOnce }, work));
  } finally {
    await foreigner.close();
  }
}

export function* seedsFrom(first: number, count: number, stride = 1): Generator<number> {
  for (let n = 0; n < count; n += stride) yield first + n;
}
