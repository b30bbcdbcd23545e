/** More at once are hardly faster, and a service may limit how many it answers. */
const mostAtOnce = 16;

/** Does the same with each, in order, a few at a time. */
export async function eachBounded<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const work = async () => {
    for (const one of waiting) await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, all.length) }, work));
}
