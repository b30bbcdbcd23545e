import { describe, expect, test } from "vitest";
import { openSharedRead } from "../../../provider/reads/sharedRead";

/** A list whose requests the test answers one by one. */
function listOfNumbers({ patienceMs = 60_000, servesMs = 60_000 } = {}) {
  let writes = 0;
  const answers: ((n: number) => void)[] = [];
  const read = () => new Promise<number>((resolve) => answers.push(resolve));
  const options = { servesMs, patience: { ms: patienceMs, late: -1 }, writes: () => writes };
  const list = openSharedRead(read, options);
  const write = () => {
    writes += 1;
  };
  /** Answers the newest request, once there have been `count`, with its number. */
  const answer = async (count: number) => {
    await new Promise(setImmediate);
    expect(answers).toHaveLength(count);
    answers[count - 1]?.(count);
    await new Promise(setImmediate);
  };
  return { list, asked: () => answers.length, answer, write };
}

describe("a shared read", () => {
  test("takes one request for all readers of a recent answer, during the request and afterwards", async () => {
    const { list, asked, answer } = listOfNumbers();
    const first = [list.recent(), list.recent()];
    await answer(1);
    expect(await Promise.all([...first, list.recent()])).toEqual([1, 1, 1]);
    expect(asked()).toBe(1);
  });

  test.each(["recent", "current"] as const)(
    "takes a new request if the %s answer is too old",
    async (how) => {
      const { list, answer } = listOfNumbers({ servesMs: 1 });
      const first = list[how]("a");
      await answer(1);
      expect(await first).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const second = list[how]("b");
      await answer(2);
      expect(await second).toBe(2);
    },
  );

  test("that must be fresh takes one new request for all its readers, even if another is in progress", async () => {
    const { list, asked, answer } = listOfNumbers();
    const old = list.recent();
    const fresh = [list.fresh(), list.fresh()];
    expect(asked()).toBe(1);
    await answer(1);
    expect(await old).toBe(1);
    await answer(2);
    expect(await Promise.all(fresh)).toEqual([2, 2]);
    const later = [list.fresh(), list.fresh()];
    await answer(3);
    expect(await Promise.all(later)).toEqual([3, 3]);
  });

  test("gives each reader the current answer once, and takes one request for all who read again", async () => {
    const { list, asked, answer } = listOfNumbers();
    const first = [list.current("a"), list.current("b")];
    await answer(1);
    expect(await Promise.all([...first, list.current("c")])).toEqual([1, 1, 1]);
    expect(asked()).toBe(1);
    const again = [list.current("a"), list.current("b")];
    await answer(2);
    expect(await Promise.all(again)).toEqual([2, 2]);
    expect(await list.current("d")).toBe(2);
  });

  test("serves as current whichever reader asked for it", async () => {
    const { list, asked, answer } = listOfNumbers();
    const others = list.recent();
    await answer(1);
    expect([await others, await list.current("b")]).toEqual([1, 1]);
    expect(asked()).toBe(1);
  });

  test("takes a new request after a write of this process, even if the write came during the last request", async () => {
    const { list, answer, write } = listOfNumbers();
    const first = [list.current("a"), list.recent()];
    write();
    await answer(1);
    expect(await first[1]).toBe(1);
    await answer(2);
    expect(await first[0]).toBe(2);
    write();
    const second = list.current("b");
    await answer(3);
    expect(await second).toBe(3);
  });

  test("that takes too long is waited for once, and its answer is used when it comes", async () => {
    const { list, asked, answer } = listOfNumbers({ patienceMs: 20 });
    expect(await Promise.all([list.recent(), list.recent()])).toEqual([-1, -1]);
    expect(await Promise.race([list.recent(), new Promise(setImmediate)])).toBe(-1);
    await answer(1);
    expect([await list.recent(), await list.current("b")]).toEqual([1, 1]);
    expect(asked()).toBe(1);
  });

  test("that takes too long can still be awaited by a reader that needs it", async () => {
    const { list, asked, answer } = listOfNumbers({ patienceMs: 1 });
    const awaited = list.awaited();
    await new Promise(setImmediate);
    expect(await list.recent()).toBe(-1);
    await answer(1);
    expect(await awaited).toBe(1);
    expect(asked()).toBe(1);
  });

  test("gives each awaiting reader the answer to its own request, not to a later one", async () => {
    const { list, answer } = listOfNumbers();
    const first = list.awaited();
    await new Promise(setImmediate);
    const second = list.awaited();
    await answer(1);
    expect(await first).toBe(1);
    await answer(2);
    expect(await second).toBe(2);
  });

  test("that throws fails those who wait, without an unhandled rejection", async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.on("unhandledRejection", hear);
    const list = openSharedRead(async () => Promise.reject(new TypeError("a bug")), {
      servesMs: 1,
      writes: () => 0,
    });
    await expect(list.fresh()).rejects.toThrow("a bug");
    await expect(list.fresh()).rejects.toThrow("a bug");
    await new Promise(setImmediate);
    process.off("unhandledRejection", hear);
    expect(unheard).toEqual([]);
  });
});
