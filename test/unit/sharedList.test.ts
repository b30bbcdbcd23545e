import { describe, expect, test } from "vitest";
import { openSharedList } from "../../provider/sharedList";

/** A list of which each request is answered by hand. */
function listOfNumbers(patienceMs = 60_000) {
  const answers: ((n: number) => void)[] = [];
  const read = () => new Promise<number>((resolve) => answers.push(resolve));
  const list = openSharedList(read, patienceMs, -1);
  return { list, asked: () => answers.length, answer: (n: number) => answers[n - 1]?.(n) };
}

describe("a shared list", () => {
  test("is asked for once by all who take a recent one, while it is under way and afterwards", async () => {
    const { list, asked, answer } = listOfNumbers();
    const first = [list.recent(1_000), list.recent(1_000)];
    answer(1);
    expect(await Promise.all([...first, list.recent(1_000)])).toEqual([1, 1, 1]);
    expect(asked()).toBe(1);
  });

  test("is asked for anew where the last one is too old", async () => {
    const { list, asked, answer } = listOfNumbers();
    const first = list.recent(1_000);
    answer(1);
    await first;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = list.recent(1);
    expect(asked()).toBe(2);
    answer(2);
    expect(await second).toBe(2);
  });

  test("that is to be fresh is not the one under way, and one request serves all who wait for it", async () => {
    const { list, asked, answer } = listOfNumbers();
    const old = list.recent(1_000);
    const fresh = [list.fresh(), list.fresh()];
    expect(asked()).toBe(1);
    answer(1);
    expect(await old).toBe(1);
    await new Promise(setImmediate);
    expect(asked()).toBe(2);
    answer(2);
    expect(await Promise.all(fresh)).toEqual([2, 2]);
    const later = list.fresh();
    expect(asked()).toBe(3);
    answer(3);
    expect(await later).toBe(3);
  });

  test("that takes too long is waited for once, and is taken when it is there", async () => {
    const { list, asked, answer } = listOfNumbers(20);
    expect(await Promise.all([list.recent(60_000), list.recent(60_000)])).toEqual([-1, -1]);
    expect(await Promise.race([list.recent(60_000), new Promise(setImmediate)])).toBe(-1);
    answer(1);
    await new Promise(setImmediate);
    expect(await list.recent(60_000)).toBe(1);
    expect(asked()).toBe(1);
  });
});
