/** Does the same with each, in order, with at most so many under way. */
export async function eachBounded<T>(
  most: number,
  all: readonly T[],
  act: (one: T) => Promise<void>,
): Promise<void> {
  const waiting = all.values();
  const work = async () => {
    for (const one of waiting) await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, work));
}
