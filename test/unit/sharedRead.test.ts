import { describe, expect, test } from "vitest";
import { openSharedRead } from "../../provider/reads/sharedRead";

/** A list of which each request is answered by hand. */
function listOfNumbers(patienceMs = 60_000) {
  let writes = 0;
  const answers: ((n: number) => void)[] = [];
  const read = () => new Promise<number>((resolve) => answers.push(resolve));
  const list = openSharedRead(read, { patience: { ms: patienceMs, late: -1 }, writes: () => writes });
  const write = () => {
    writes += 1;
  };
  return { list, asked: () => answers.length, answer: (n: number) => answers[n - 1]?.(n), write };
}

describe("a shared read", () => {
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
    const later = [list.fresh(), list.fresh()];
    await new Promise(setImmediate);
    expect(asked()).toBe(3);
    answer(3);
    expect(await Promise.all(later)).toEqual([3, 3]);
  });

  test("is current for each reader once, and is asked for again by who asks again, together", async () => {
    const { list, asked, answer } = listOfNumbers();
    const first = [list.current(1_000, "a"), list.current(1_000, "b")];
    answer(1);
    expect(await Promise.all([...first, list.current(1_000, "c")])).toEqual([1, 1, 1]);
    expect(asked()).toBe(1);
    const again = [list.current(1_000, "a"), list.current(1_000, "b")];
    await new Promise(setImmediate);
    expect(asked()).toBe(2);
    answer(2);
    expect(await Promise.all(again)).toEqual([2, 2]);
    expect(await list.current(1_000, "d")).toBe(2);
  });

  test("is not current for who has read by itself what it looks for", async () => {
    const { list, asked, answer } = listOfNumbers();
    const others = list.recent(1_000);
    answer(1);
    await others;
    list.hasRead("a");
    const own = list.current(1_000, "a");
    await new Promise(setImmediate);
    expect(asked()).toBe(2);
    answer(2);
    expect(await own).toBe(2);
  });

  test("is not current where it is too old", async () => {
    const { list, asked, answer } = listOfNumbers();
    const first = list.current(1_000, "a");
    answer(1);
    await first;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = list.current(1, "b");
    expect(asked()).toBe(2);
    answer(2);
    expect(await second).toBe(2);
  });

  test("is not current once this process has written, be it under way or there: a new one is", async () => {
    const { list, asked, answer, write } = listOfNumbers();
    const first = [list.current(1_000, "a"), list.recent(1_000)];
    write();
    answer(1);
    expect(await first[1]).toBe(1);
    await new Promise(setImmediate);
    expect(asked()).toBe(2);
    answer(2);
    expect(await first[0]).toBe(2);
    write();
    const second = list.current(1_000, "b");
    await new Promise(setImmediate);
    expect(asked()).toBe(3);
    answer(3);
    expect(await second).toBe(3);
  });

  test("is current whoever asked for it", async () => {
    const { list, asked, answer } = listOfNumbers();
    const others = list.recent(1_000);
    answer(1);
    expect([await others, await list.current(1_000, "a")]).toEqual([1, 1]);
    expect(asked()).toBe(1);
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

  test("that takes too long can be waited for all the same", async () => {
    const { list, asked, answer } = listOfNumbers(1);
    const awaited = list.awaited();
    await new Promise(setImmediate);
    expect(await list.recent(60_000)).toBe(-1);
    answer(1);
    expect(await awaited).toBe(1);
    expect(asked()).toBe(1);
  });

  test("that takes too long serves later readers once it is there", async () => {
    const { list, asked, answer } = listOfNumbers(1);
    expect(await list.current(60_000, "a")).toBe(-1);
    answer(1);
    await new Promise(setImmediate);
    expect(await list.current(60_000, "b")).toBe(1);
    expect(asked()).toBe(1);
  });

  test("is answered by what was asked for it, not by what somebody else asked for later", async () => {
    const { list, asked, answer } = listOfNumbers();
    const first = list.awaited();
    await new Promise(setImmediate);
    const second = list.awaited();
    answer(1);
    expect(await first).toBe(1);
    await new Promise(setImmediate);
    expect(asked()).toBe(2);
    answer(2);
    expect(await second).toBe(2);
  });

  test("that fails against its promise fails those who wait, and nobody else", async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.on("unhandledRejection", hear);
    const list = openSharedRead(async () => Promise.reject(new TypeError("a bug")), { writes: () => 0 });
    await expect(list.fresh()).rejects.toThrow("a bug");
    await expect(list.fresh()).rejects.toThrow("a bug");
    await new Promise(setImmediate);
    process.off("unhandledRejection", hear);
    expect(unheard).toEqual([]);
  });
});
