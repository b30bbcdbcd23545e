import { expect, test, vi } from "vitest";
import type { Session } from "../../provider/core/definition";
import { Failure } from "../../provider/core/errors";
import { openBatch } from "../../provider/resources/apiKeySet/batch";

/** A batch whose keys have a secret to hide each; what it says in the end, and while it lasts. */
function open() {
  const warnings: string[] = [];
  const progress: string[] = [];
  const session: Pick<Session, "parallel" | "warn" | "tell" | "part"> = {
    parallel: 4,
    warn: (line) => void warnings.push(line),
    tell: (line) => void progress.push(line),
    part: (name, warn) => {
      const masked = (line: string) => line.replaceAll(`sk_${name}`, "[secret]");
      return { warn, masked } as Partial<Session> as Session;
    },
  };
  return { batch: openBatch(session as Session, "keys"), warnings, progress };
}

const named = (count: number, prefix = "k") =>
  Array.from({ length: count }, (_, place) => ({ name: `${prefix}${place}` }));

/** What is told of so many keys, each of which fails for a reason of 500 characters. */
async function linesOf(count: number): Promise<readonly string[]> {
  const { batch } = open();
  await batch.each("created", named(count), async () => {
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

test("failures are told in the order of the keys, whichever came first", async () => {
  const { batch } = open();
  await batch.each("created", named(4), async (_, { name }) => {
    await new Promise((resolve) => setTimeout(resolve, 20 - 5 * Number(name.slice(1))));
    throw new Failure("no");
  });
  expect(batch.lines()).toEqual(named(4).map(({ name }) => `"${name}": no`));
});

test("what may have been left in the service is told first and whole, and nothing of it twice or not at all", async () => {
  const { batch, warnings } = open();
  const reason = `${"why ".repeat(300)}what to do`;
  await batch.each("created", [...named(18), ...named(22, "left")], async (_, { name }) => {
    throw new Failure(reason, { unresolved: name.startsWith("left") });
  });
  batch.close();
  const whole = named(22, "left").map(({ name }) => `"${name}": ${reason}`);
  expect(batch.lines()).toEqual([...whole.slice(0, 20), "and 20 more"]);
  expect(warnings).toEqual(whole.slice(20));
  expect(batch.unresolved).toEqual(whole);
});

test("an error that nobody foresaw stops no other key, and says where to look but none of its own words", async () => {
  const { batch } = open();
  const done: string[] = [];
  await batch.each("created", named(8), async (_, { name }) => {
    if (name === "k2") throw new TypeError("private words");
    done.push(name);
    return undefined;
  });
  expect(done).toHaveLength(7);
  expect(batch.lines()).toEqual([
    expect.stringMatching(
      /^"k2": unexpected error \(TypeError\), a bug in pulumi-apikeys: .* look for a key with this name/,
    ),
  ]);
  expect(batch.lines().join()).not.toContain("private");
  expect(batch.unresolved).toHaveLength(1);
});

test("no secret of a key stands in what is told of it, whether it failed or stands all the same", async () => {
  const { batch } = open();
  await batch.each("created", named(2), async (_, { name }) => {
    if (name === "k0") throw new Failure(`refused for sk_${name}`);
    return `not as declared: sk_${name}`;
  });
  expect(batch.lines()).toEqual(['"k0": refused for [secret]', '"k1": not as declared: [secret]']);
});

test("the ids that a warning speaks of are told where it is cut, in lines that are not too long themselves", async () => {
  const { batch, warnings } = open();
  const idOf = (name: string) => `key_${name}_${"i".repeat(name === "k0" ? 5_000 : 80)}`;
  await batch.each("read", named(60), async (part, { name }) => {
    const half = "why ".repeat(60);
    part.warn(`${half}${idOf(name)}${half}`, [idOf(name)]);
    return undefined;
  });
  batch.close();
  const [first = "", ...others] = warnings.slice(21);
  expect(others.length).toBeGreaterThan(0);
  expect(first).toMatch(/^other affected ids: key_k0_i+…i+, key_k1_i{80}, /);
  for (const { name } of named(60).slice(1)) expect(warnings.slice(21).join()).toContain(idOf(name));
  expect(warnings.every(({ length }) => length < 4_000)).toBe(true);
});

test("a key that fails is not counted as done", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const { batch, progress } = open();
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const over = batch.each("deleted", named(3), async (_, { name }) => {
      if (name === "k0") throw new Failure("refused");
      if (name === "k2") await waiting;
      return undefined;
    });
    await new Promise(setImmediate);
    vi.advanceTimersByTime(3_100);
    release();
    await over;
    expect(progress).toEqual(["Keys: 1 of 3 deleted, 1 failed."]);
  } finally {
    vi.useRealTimers();
  }
});
