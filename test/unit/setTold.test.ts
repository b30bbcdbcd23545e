import { expect, test } from "vitest";
import type { Session } from "../../provider/definition";
import { Failure } from "../../provider/errors";
import { openBatch } from "../../provider/resources/setBatch";

/** What is told of so many keys, each of which fails for a reason of 500 characters. */
async function linesOf(count: number): Promise<readonly string[]> {
  const session = { parallel: 4, part: () => ({ masked: (line: string) => line }) };
  const batch = openBatch(session as unknown as Session, "Keys");
  const all = Array.from({ length: count }, (_, place) => ({ name: `k${place}` }));
  await batch.each("created", all, async () => {
    throw new Failure(`${"why ".repeat(120)}what to do`);
  });
  return batch.lines();
}

test("of a few keys that fail the reasons are told whole, of many the beginnings and the ends", async () => {
  const [few, many] = [await linesOf(3), await linesOf(30)];
  expect(few.map(({ length }) => length)).toEqual([496, 496, 496]);
  expect(few.join("")).not.toContain("…");
  expect(many).toHaveLength(21);
  expect(many.slice(0, 20).every((line) => line.length === 300 && /…(.*)what to do$/.test(line))).toBe(true);
  expect(many.at(-1)).toBe("and 10 more");
});
