import type { Contender } from "./contender";
import type { Round } from "./figures";
import type { Size } from "./plan";
import { type Bench, tryOut } from "./trial";

/**
 * Who measures in one round, in which order: another one begins in each, so that what changes on the machine in the
 * meantime, and what one leaves to the next (files in memory, a warm disk), falls on all alike.
 */
function orderOf(
  contenders: readonly Contender[],
  { count, rounds }: Size,
  round: number,
): readonly Contender[] {
  const first = round % Math.max(1, contenders.length);
  const rotated = [...contenders.slice(first), ...contenders.slice(0, first)];
  return rotated.filter((contender) => round < contender.rounds(count, rounds));
}

export async function measureAll(
  contenders: readonly Contender[],
  sizes: readonly Size[],
  bench: Bench,
  report: (line: string) => void,
): Promise<readonly Round[]> {
  const all: Round[] = [];
  for (const size of sizes) {
    for (let round = 0; round < size.rounds; round += 1) {
      for (const contender of orderOf(contenders, size, round)) {
        const figures = await tryOut(contender, size.count, bench);
        all.push({ contender: contender.id, count: size.count, round, figures });
        const times = Object.entries(figures).map(([step, { seconds }]) => `${step} ${seconds.toFixed(2)}`);
        report(
          `N = ${size.count}, round ${round + 1} of ${size.rounds}, ${contender.id}: ${times.join(", ")} s`,
        );
      }
    }
  }
  return all;
}
